// Field values as texts, by the field's type; parsing.js reads them back. What cannot be typed (assets, bytes, encrypted
// values) is shown by its size only.

import { exactly, moment, short, size } from "./words.js";

/** A value in one line; `field` is the protocol's `{ value, type, isEncrypted }`. */
export function shown(field) {
  if (field === undefined || field === null || field.value === null || field.value === undefined) return "";
  if (field.isEncrypted) return `encrypted, ${size(JSON.stringify(field.value).length)}`;
  return text(field.value, field.type);
}

function text(value, type = "") {
  if (Array.isArray(value)) return value.map((element) => text(element, type.replace("_LIST", ""))).join(", ");
  switch (type.replace("_LIST", "")) {
    case "DOUBLE": return String(Number(value));
    case "TIMESTAMP": return moment(value);
    case "REFERENCE": return short(value.recordName ?? "");
    case "LOCATION": return `${value.latitude}, ${value.longitude}`;
    case "ASSETID": return size(value.size ?? 0);
    case "BYTES": return size(Math.floor((String(value).replace(/=+$/, "").length * 3) / 4));
    default: return String(value);
  }
}

/** Whether the value of a field of this type of the schema may be typed here. */
export const isEditable = (field) => !field.isEncrypted && !/ASSET|BYTES|ENCRYPTED/.test(field.type);

/** Whether a value is a list that cannot be written with one element a line. */
export const hasLongLines = (value) =>
  Array.isArray(value) && value.some((element) => typeof element === "string" && /[\r\n]/.test(element));

/** A value as it is edited; lists have one element a line. */
export function typed(value, type) {
  if (value === undefined || value === null) return "";
  const list = type.match(/^LIST<(.+)>$/);
  if (list) return value.map((element) => typed(element, list[1])).join("\n");
  switch (type) {
    // The server is asked for numbers as texts, and writes 1 as 1.0.
    case "DOUBLE": return String(Number(value));
    case "TIMESTAMP": return exactly(value);
    case "REFERENCE": return value.recordName;
    case "LOCATION": return `${value.latitude}, ${value.longitude}`;
    default: return String(value);
  }
}

/** What a type's value looks like, for empty fields. */
export const example = (type) =>
  ({
    INT64: "42",
    DOUBLE: "1.5",
    TIMESTAMP: "2026-11-23T10:53:00Z",
    REFERENCE: "a record name",
    LOCATION: "53.55, 10.0",
  })[type] ??
    "";

export const plainType = (type) => type.toLowerCase().replace("list<", "list of ").replace(">", "");
