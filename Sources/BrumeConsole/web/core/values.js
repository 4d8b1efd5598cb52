// Field values as texts and back, by the field's type. What cannot be typed (assets, bytes, encrypted
// values) is shown by its size only.

import { moment, short, size } from "./words.js";

/** A value in one line; `field` is the protocol's `{ value, type, isEncrypted }`. */
export function shown(field) {
  if (field === undefined || field === null || field.value === null || field.value === undefined) return "";
  if (field.isEncrypted) return `encrypted, ${size(JSON.stringify(field.value).length)}`;
  return text(field.value, field.type);
}

function text(value, type = "") {
  if (Array.isArray(value)) return value.map((element) => text(element, type.replace("_LIST", ""))).join(", ");
  switch (type.replace("_LIST", "")) {
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

/** A value as it is edited; lists have one element a line. */
export function typed(value, type) {
  if (value === undefined || value === null) return "";
  const list = type.match(/^LIST<(.+)>$/);
  if (list) return value.map((element) => typed(element, list[1])).join("\n");
  switch (type) {
    case "TIMESTAMP": return new Date(value).toISOString();
    case "REFERENCE": return value.recordName;
    case "LOCATION": return `${value.latitude}, ${value.longitude}`;
    default: return String(value);
  }
}

/** The field of the protocol that a text means, or null for none; throws a sentence if it means none of its type. */
export function parsed(text, type, before) {
  const list = type.match(/^LIST<(.+)>$/);
  if (list) {
    const lines = text.split("\n").filter((line) => line !== "");
    return lines.length === 0
      ? null
      : { value: lines.map((line) => parsed(line, list[1]).value), type: wire(list[1]) + "_LIST" };
  }
  if (text === "" && type !== "STRING") return null;
  return { value: single(text, type, before?.value), type: wire(type) };
}

const wire = (type) => (type === "ASSET" ? "ASSETID" : type);

function single(text, type, before) {
  switch (type) {
    case "INT64": return whole(text);
    case "DOUBLE": return finite(text);
    case "TIMESTAMP": return time(text);
    case "LOCATION": return location(text);
    case "REFERENCE": return { action: "NONE", ...before, recordName: text.trim() };
    default: return text;
  }
}

function whole(text) {
  const value = Number(text);
  if (!/^\s*-?\d+\s*$/.test(text)) throw new Error(`'${text}' is no whole number`);
  if (!Number.isSafeInteger(value))
    throw new Error("The browser cannot keep so large a number exactly; use the command line");
  return value;
}

function finite(text) {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) throw new Error(`'${text}' is no number`);
  return value;
}

function time(text) {
  const value = Date.parse(text.trim());
  if (Number.isNaN(value)) throw new Error("A time looks like 2026-11-23 or 2026-11-23T10:53:00Z");
  return value;
}

function location(text) {
  const [latitude, longitude] = text.split(",").map(Number);
  if (!Number.isFinite(latitude) || !Number.isFinite(longitude)) throw new Error("A place looks like 53.55, 10.0");
  return { latitude, longitude };
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
