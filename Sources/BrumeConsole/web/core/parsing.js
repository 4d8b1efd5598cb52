// What people type as values of fields, by the field's type. What they have not changed stays as it was, also the parts
// of a value that are not typed.

import { typed } from "./values.js";

/**
 * The field of the protocol that a text means, or null for none; throws a sentence if it means none of its type. `before` is
 * the field as it was.
 */
export function parsed(text, type, before) {
  const list = type.match(/^LIST<(.+)>$/);
  if (list) {
    const value = elements(text, list[1], before?.value ?? []);
    return value.length === 0 ? null : { value, type: wire(list[1]) + "_LIST" };
  }
  if (text === "" && type !== "STRING") return null;
  return { value: single(text, type, before?.value), type: wire(type) };
}

const wire = (type) => (type === "ASSET" ? "ASSETID" : type);

/** One element a line. Empty lines are elements of a list that had empty ones. */
function elements(text, type, before) {
  const hasEmpty = type === "STRING" && before.includes("");
  const lines = text.split("\n").filter((line) => line !== "" || hasEmpty);
  const texts = before.map((element) => typed(element, type));
  return origins(lines, texts).map((at, index) =>
    texts[at] === lines[index] ? before[at] : single(lines[index], type, before[at]));
}

/** Which element a line was: the one at its place or another one with the same text, or else the one that it replaces. */
function origins(lines, texts) {
  const found = lines.map((line, at) => (texts[at] === line ? at : undefined));
  const free = new Set(texts.keys());
  found.forEach((at) => free.delete(at));
  const places = new Map();
  for (const at of free) places.set(texts[at], [...(places.get(texts[at]) ?? []), at]);
  const moved = found.map((at, index) => at ?? places.get(lines[index])?.shift());
  moved.forEach((at) => free.delete(at));
  return moved.map((at, index) => at ?? (free.has(index) ? index : undefined));
}

function single(text, type, before) {
  switch (type) {
    case "INT64": return whole(text);
    case "DOUBLE": return finite(text);
    case "TIMESTAMP": return time(text);
    case "LOCATION": return { ...before, ...location(text) };
    case "REFERENCE": return { action: "NONE", ...before, recordName: text.trim() };
    default: return text;
  }
}

/** As a text where numbers of JavaScript have fewer digits. */
function whole(text) {
  if (!/^\s*-?\d+\s*$/.test(text)) throw new Error(`'${text}' is no whole number`);
  const value = BigInt(text.trim());
  if (BigInt.asIntN(64, value) !== value) throw new Error(`'${text}' is beyond 64 bits`);
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

const decimal = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;

function finite(text) {
  const value = Number(text);
  if (!decimal.test(text) || !Number.isFinite(value)) throw new Error(`'${text}' is no number`);
  return value;
}

const iso = /^(\d{4}|[+-]\d{6})-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

function time(text) {
  const value = iso.test(text.trim()) ? Date.parse(text.trim()) : NaN;
  if (Number.isNaN(value)) throw new Error("A time looks like 2026-11-23 or 2026-11-23T10:53:00Z");
  return value;
}

function location(text) {
  const parts = text.split(",");
  if (parts.length !== 2 || !parts.every((part) => decimal.test(part)))
    throw new Error("A place looks like 53.55, 10.0");
  return { latitude: Number(parts[0]), longitude: Number(parts[1]) };
}
