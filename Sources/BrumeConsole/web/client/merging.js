// MARK: Merging
// What an edit makes of a record, when two fields are equal, and what a conflict ends in. Values only, in
// the form of the protocol; nothing here stores or sends.

/** JSON with its keys in order. */
const canonical = (value) => {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.keys(value).filter((key) => value[key] !== undefined).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join()}}`;
};

/** A file is known by its bytes; its address differs from answer to answer. */
const comparable = (value) => {
  if (Array.isArray(value)) return value.map(comparable);
  if (value?.fileChecksum === undefined) return value;
  return { fileChecksum: value.fileChecksum, size: Number(value.size) };
};

/** Whether two fields hold the same. A whole number may come without its type, and a large one as text. */
const isSameField = (one, other) => {
  const [left, right] = [one?.value ?? null, other?.value ?? null];
  return canonical(comparable(left)) === canonical(comparable(right));
};

/** Whether a record has all that these fields set. */
const hasFields = (record, fields) =>
  Object.entries(fields).every(([name, field]) => isSameField(record.fields?.[name], field));

/** The fields that make `target` of `current`: what differs, and null for what goes. */
const difference = (current = {}, target = {}) => {
  const changed = Object.entries(target).filter(([name, field]) => !isSameField(current[name], field));
  const gone = Object.keys(current).filter((name) => target[name] === undefined);
  return Object.fromEntries([...changed, ...gone.map((name) => [name, { value: null }])]);
};

/** Fields with an edit on top of them. */
const overlaid = (fields = {}, edit = {}) => {
  const all = Object.entries({ ...fields, ...edit });
  return Object.fromEntries(all.filter(([, field]) => field.value !== null && field.value !== undefined));
};

/** The record as this device sees it: what is known of the server's with the edit that waits; or null. */
const visibleRecord = (row, entry) => {
  if (!entry) return row ?? null;
  if (entry.kind === "delete") return null;
  const { recordName, recordType, zoneID, isAnew } = entry;
  const known = (!isAnew && (row ?? entry.base)) || { recordName, recordType, zoneID };
  // An empty value, as a field that is shown always has a type.
  const record = { ...known, fields: overlaid(known.fields, withTypes(entry.fields, known.fields)) };
  if (entry.parent !== undefined) record.parent = entry.parent.recordName ? entry.parent : undefined;
  return record;
};

/** Fields of an edit as if the server had shown them: a number without a type gets one. */
const withTypes = (fields, known = {}) => {
  const typed = Object.entries(fields).map(([name, field]) => {
    if (field.type || field.value === null) return [name, field];
    const isList = Array.isArray(field.value);
    const fallback = isList ? (field.value.length > 0 ? "INT64_LIST" : "UNKNOWN_LIST") : "INT64";
    return [name, { ...field, type: known[name]?.type ?? fallback }];
  });
  return Object.fromEntries(typed);
};

/**
 * What a conflict ends in unless an app decides: fields that were changed here, on top of the server's
 * record. A record that one side deleted and the other changed stays, unless one of another type was made in its place.
 */
const mergeFields = ({ base, theirs, yours }) => {
  if (!yours || !theirs) return yours ?? theirs;
  // One of another type was made in its place here, and is no record to merge theirs into.
  if (yours.recordType && yours.recordType !== theirs.recordType) return yours;
  const names = new Set([...Object.keys(yours.fields), ...Object.keys(base?.fields ?? {})]);
  const fields = { ...theirs.fields };
  const [before, mine] = [encodeFields(base?.fields), encodeFields(yours.fields)];
  for (const name of names) {
    if (isSameField(before[name], mine[name])) continue;
    if (yours.fields[name] === undefined) delete fields[name];
    else fields[name] = yours.fields[name];
  }
  return { ...theirs, fields };
};

