// MARK: Values
// JavaScript values as fields and back. A whole number goes without a type, so that the schema decides
// whether it is an INT64, a DOUBLE or a TIMESTAMP; an INT64 that a number cannot hold is a bigint.

/** A time that no `Date` can be, which the server takes. */
export class Timestamp {
  constructor(milliseconds) {
    this.milliseconds = BigInt(milliseconds);
  }
}

/** A place. Metres, metres a second, degrees. */
export class Location {
  constructor(values) {
    Object.assign(this, values);
    const { timestamp } = values;
    if (timestamp !== undefined) this.timestamp = timestamp instanceof Timestamp ? timestamp : new Date(timestamp);
  }
}

/** A pointer to a record; `action` is NONE, DELETE_SELF or VALIDATE. */
export class Reference {
  constructor(record, { action = "NONE", zoneID } = {}) {
    this.recordName = typeof record === "string" ? record : record.recordName;
    this.action = action;
    const zone = zoneID ?? record.zoneID;
    if (zone) this.zoneID = { ...zone };
  }
}

/** A file of a record, as it was uploaded or fetched. Its address is good for four hours. */
export class Asset {
  constructor(values) {
    Object.assign(this, values);
    this.size = Number(values.size);
  }
}

/** Marks a value whose field is to be encrypted for good. */
export class Encrypted {
  constructor(value) {
    this.value = value;
  }
}

const SMALLEST = -(2n ** 63n);
const LARGEST = 2n ** 63n - 1n;

/** As an answer has it: a text where a number would round it. */
const wireInteger = (value) => (Number.isSafeInteger(Number(value)) ? Number(value) : String(value));

const encodeInteger = (name, value) => {
  if (value < SMALLEST || value > LARGEST) throw usageError(`field '${name}': ${value} has more than 64 bits`);
  return { value: wireInteger(value), type: "INT64" };
};

const encodeNumber = (name, value) => {
  if (!Number.isFinite(value)) throw usageError(`field '${name}': ${value} is no number that a record can hold`);
  return Number.isSafeInteger(value) ? { value } : { value, type: "DOUBLE" };
};

/** What a `Date` has no place for: the seconds since 2001, with all of their fraction, of a time that a native client saved. */
const exactTimes = new WeakMap();

const encodeTime = (name, value) => {
  if (value instanceof Timestamp) return { ...encodeInteger(name, value.milliseconds), type: "TIMESTAMP" };
  const time = value.getTime();
  if (Number.isNaN(time)) throw usageError(`field '${name}': the date is invalid`);
  const exact = exactTimes.get(value);
  // A date can be set to another time.
  return { value: time, type: "TIMESTAMP", ...(exact?.time === time && { brume: { seconds: exact.seconds } }) };
};

const encodeObject = (name, value) => {
  if (value instanceof Date || value instanceof Timestamp) return encodeTime(name, value);
  if (value instanceof Location) {
    const { timestamp, ...place } = value;
    return { value: timestamp ? { ...place, timestamp: encodeTime(name, timestamp).value } : place, type: "LOCATION" };
  }
  if (value instanceof Reference) return { value: { ...value }, type: "REFERENCE" };
  if (value instanceof Asset) return { value: { ...value }, type: "ASSETID" };
  if (value instanceof ArrayBuffer) return { value: toBase64(new Uint8Array(value)), type: "BYTES" };
  if (ArrayBuffer.isView(value)) {
    return { value: toBase64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)), type: "BYTES" };
  }
  throw usageError(
    `field '${name}': use a text, number, bigint, boolean, Date, Timestamp, Uint8Array, Location, Reference, Asset, or a list of one`
  );
};

/** One value that is no list, as `{value, type?}`. */
const encodeScalar = (name, value) => {
  switch (typeof value) {
    case "string": return { value, type: "STRING" };
    case "boolean": return { value: value ? 1 : 0, type: "INT64" };
    case "bigint": return encodeInteger(name, value);
    case "number": return encodeNumber(name, value);
    case "object": if (value !== null) return encodeObject(name, value);
  }
  throw usageError(`field '${name}': a list must not hold ${value}`);
};

const encodeList = (name, values) => {
  const elements = values.map((value) => encodeScalar(name, value));
  const types = new Set(elements.map(({ type }) => type));
  const list = { value: elements.map((element) => element.value) };
  // Whole numbers join what stands beside them: [1, 2.5] are doubles, [1, 2n ** 60n] are integers, and beside a Date they are times.
  if (["DOUBLE", "INT64", "TIMESTAMP"].some((type) => types.has(type))) types.delete(undefined);
  if (types.size > 1) throw usageError(`field '${name}': the elements of a list must have one type`);
  const [type] = types;
  return type ? { ...list, type: `${type}_LIST` } : list;
};

/** A value as a field of a request. `null` clears the field. */
const encodeField = (name, value) => {
  if (value === null) return { value: null };
  if (value instanceof Encrypted) return { ...encodeField(name, value.value), isEncrypted: true };
  return Array.isArray(value) ? encodeList(name, value) : encodeScalar(name, value);
};

/** A Date, or what is beyond one, so that it can be saved again. */
const decodeTime = (value) => {
  const date = new Date(Number(value));
  return Number.isNaN(date.getTime()) ? new Timestamp(value) : date;
};

const decodeLocation = ({ timestamp, ...place }) =>
  new Location(timestamp === undefined ? place : { ...place, timestamp: decodeTime(timestamp) });

const decodeScalar = (value, type) => {
  switch (type) {
    case "INT64": return Number.isSafeInteger(Number(value)) ? Number(value) : BigInt(value);
    case "DOUBLE": return Number(value);
    case "TIMESTAMP": return decodeTime(value);
    case "BYTES": return fromBase64(value);
    case "LOCATION": return decodeLocation(value);
    case "REFERENCE": return new Reference(value, value);
    case "ASSETID": return new Asset(value);
    default: return value;
  }
};

/** A field of an answer as a value. */
const decodeField = ({ value, type, brume }) => {
  if (type.endsWith("_LIST")) return value.map((element) => decodeScalar(element, type.slice(0, -"_LIST".length)));
  const decoded = decodeScalar(value, type);
  const { seconds } = brume ?? {};
  if (seconds !== undefined && decoded instanceof Date) exactTimes.set(decoded, { time: decoded.getTime(), seconds });
  return decoded;
};

/** Reads JSON without rounding: whole numbers that a number cannot hold become texts. */
const parseJSON = (text) => {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  const quoted = (token) => (/^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token);
  return JSON.parse(text.replace(tokens, quoted));
};

const toBase64 = (bytes) => {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
};

const fromBase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

