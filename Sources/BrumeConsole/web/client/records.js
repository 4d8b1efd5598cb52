// MARK: Records
// Records, zones and subscriptions as the protocol writes them, and as this module hands them out. What
// is handed out is a plain object that may be changed and saved again.

/** `"Trails"` or a zone's ID, as a request names it; undefined for the default zone. */
const encodeZoneID = (zone) => {
  if (zone === undefined || zone === null) return undefined;
  if (typeof zone === "string") return { zoneName: zone };
  const { zoneName, ownerRecordName } = zone.zoneID ?? zone;
  return ownerRecordName === undefined ? { zoneName } : { zoneName, ownerRecordName };
};

const decodeStamp = (stamp) => stamp && { ...stamp, timestamp: new Date(stamp.timestamp) };

/** A record of an answer. */
const decodeRecord = (wire) => {
  const { fields = {}, created, modified, brume, pluginFields, deleted, ...rest } = wire;
  const record = { ...rest, fields: {} };
  const encrypted = [];
  for (const [name, field] of Object.entries(fields)) {
    record.fields[name] = decodeField(field);
    if (field.isEncrypted) encrypted.push(name);
  }
  if (encrypted.length > 0) record.encryptedFields = encrypted;
  if (created) record.created = decodeStamp(created);
  if (modified) record.modified = decodeStamp(modified);
  if (brume?.rootRecordName !== undefined) record.rootRecordName = brume.rootRecordName;
  return record;
};

/** Fields of a request; `undefined` says nothing about a field. */
const encodeFields = (fields = {}, encryptedFields = []) => {
  const encoded = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    encoded[name] = encodeField(name, value);
    if (encryptedFields.includes(name)) encoded[name].isEncrypted = true;
  }
  return encoded;
};

const encodeParent = (parent) => {
  if (parent === undefined) return undefined;
  if (parent === null) return {};
  return { recordName: typeof parent === "string" ? parent : parent.recordName };
};

/** What a request says of a record: what the caller may decide, and nothing that the server decides. */
const encodeRecord = (record) => ({
  recordName: record.recordName,
  recordType: record.recordType,
  recordChangeTag: record.recordChangeTag,
  zoneID: encodeZoneID(record.zoneID),
  fields: encodeFields(record.fields, record.encryptedFields),
  parent: encodeParent(record.parent),
  forRecord: record.forRecord,
  createShortGUID: record.createShortGUID,
  publicPermission: record.publicPermission,
  participants: record.participants?.map(encodeParticipant),
});

/** A name, or a record, as an operation that needs no fields names it. */
const encodeRecordName = (record) =>
  typeof record === "string"
    ? { recordName: record }
    : { recordName: record.recordName, zoneID: encodeZoneID(record.zoneID) };

/** The results of `records/modify`, in order. */
const decodeResult = (wire) => {
  if (isErrorObject(wire)) return { recordName: wire.recordName, error: errorFromWire(wire) };
  if (wire.deleted) return { recordName: wire.recordName, deleted: true };
  return { recordName: wire.recordName, record: decodeRecord(wire) };
};

/** A condition knows milliseconds only. */
const encodeFilter = ({ value, fieldValue, ...filter }) => {
  const { brume, ...encoded } = fieldValue ?? encodeField(filter.fieldName ?? filter.systemFieldName ?? "filter", value);
  return { ...filter, fieldValue: encoded };
};

const encodeSort = ({ relativeLocation, ...sort }) =>
  relativeLocation ? { ...sort, relativeLocation: encodeField("relativeLocation", relativeLocation) } : sort;

const encodeQuery = ({ recordType, filterBy = [], sortBy = [] }) => ({
  recordType,
  filterBy: filterBy.map(encodeFilter),
  sortBy: sortBy.map(encodeSort),
});

const encodeSubscription = ({ query, zoneID, ...subscription }) => ({
  ...subscription,
  zoneID: encodeZoneID(zoneID),
  query: query && encodeQuery(query),
});

const decodeFilter = ({ fieldValue, ...filter }) => ({ ...filter, value: decodeField(fieldValue) });

const decodeSort = ({ relativeLocation, ...sort }) =>
  relativeLocation ? { ...sort, relativeLocation: decodeField(relativeLocation) } : sort;

const decodeSubscription = (wire) => {
  if (!wire.query) return wire;
  const { filterBy = [], sortBy = [], ...query } = wire.query;
  return { ...wire, query: { ...query, filterBy: filterBy.map(decodeFilter), sortBy: sortBy.map(decodeSort) } };
};

/** The list of an answer; the first error in an item's place that is a failure is thrown, with all results. */
const allOrError = (results, isFailure = () => true) => {
  const failed = results.find(({ error }) => error && isFailure(error));
  if (!failed) return results;
  failed.error.results = results;
  throw failed.error;
};

