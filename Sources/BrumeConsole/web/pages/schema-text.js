// The schema's text as values: types with their fields, indexes and grants. It reads what the server
// prints, line by line; whether a text is right is the server's to say.

const unquoted = (name) => name.replace(/^"(.*)"$/, "$1");

/** `{ roles, types: [{ name, fields: [{ name, type, isEncrypted, indexes }], grants: [{ right, role }] }] }` */
export function read(text) {
  const schema = { roles: [], types: [] };
  let type;
  for (const line of text.split("\n").map((line) => line.trim().replace(/,$/, ""))) {
    const role = line.match(/^CREATE ROLE (.+);$/);
    const begin = line.match(/^RECORD TYPE (.+) \($/);
    const grant = line.match(/^GRANT (\w+) TO (.+)$/);
    const field = line.match(/^("[^"]+"|\w+)\s+(ENCRYPTED )?(LIST<[^>]+>|\w+)((?: QUERYABLE| SORTABLE| SEARCHABLE)*)$/);
    if (role) schema.roles.push(unquoted(role[1]));
    else if (begin) schema.types.push((type = { name: unquoted(begin[1]), fields: [], grants: [] }));
    else if (grant) type?.grants.push({ right: grant[1], role: unquoted(grant[2]) });
    else if (field) {
      type?.fields.push({
        name: unquoted(field[1]),
        type: field[3],
        isEncrypted: Boolean(field[2]) || field[3].includes("ENCRYPTED"),
        indexes: field[4].trim().split(" ").filter(Boolean),
      });
    }
  }
  for (const { fields } of schema.types) fields.sort((one, other) => isSystem(one) - isSystem(other));
  return schema;
}

/** Fields that every type has; they stand last. */
export const isSystem = (field) => field.name.startsWith("___");

/** The indexes that a field's type allows, as the schema language has them. */
export function allowed(field) {
  if (field.isEncrypted || /ASSET|BYTES/.test(field.type)) return [];
  if (field.type === "STRING") return ["QUERYABLE", "SORTABLE", "SEARCHABLE"];
  if (field.type === "LIST<STRING>") return ["QUERYABLE", "SEARCHABLE"];
  if (field.type.startsWith("LIST")) return ["QUERYABLE"];
  return ["QUERYABLE", "SORTABLE"];
}

/** What production has of a field: "same", "changed", "new". */
export function standing(field, production) {
  const other = production?.fields.find((candidate) => candidate.name === field.name);
  if (!other) return "new";
  const isSame =
    other.type === field.type && other.isEncrypted === field.isEncrypted && other.indexes.join() === field.indexes.join();
  return isSame ? "same" : "changed";
}
