// Saving a record: the draft of its fields, what of it has changed, under whose name it is written, and what
// a conflict brings.

import { call, refresh } from "../core/calls.js";
import { admin, userNames } from "../core/places.js";
import { unlessLeft } from "../core/router.js";
import { draft, drop, say, update } from "../core/state.js";
import { parsed, typed } from "../core/values.js";
import { short } from "../core/words.js";
import { who } from "./records-columns.js";
import { namedValues } from "./records-named.js";
import { database, zoneID } from "./records-query.js";

/** The draft of a record: texts by field, the tag it was read with, who writes. */
export const begun = (record) =>
  draft("record." + (record.recordName ?? ""), () => ({
    texts: {},
    tag: record.recordChangeTag,
    name: "",
    type: record.recordType ?? "",
    writer: "",
    error: undefined,
    conflict: undefined,
    // Fields that the schema does not have yet.
    named: [],
  }));
export const forgetDraft = (record) => drop("record." + (record.recordName ?? ""));

/** What would be saved: fields of the protocol by name; `wrong` has what cannot be. */
export function changes(state, record, fields) {
  const [values, wrong] = [{}, {}];
  for (const [name, text] of Object.entries(state.texts)) {
    const type = fields.find((field) => field.name === name)?.type ?? "STRING";
    if (text === typed(record.fields[name]?.value, type)) continue;
    try {
      values[name] = parsed(text, type, record.fields[name]) ?? { value: null };
    } catch (error) {
      wrong[name] = error.message;
    }
  }
  Object.assign(values, namedValues(state.named, fields.map(({ name }) => name)));
  for (const field of state.named) if (field.wrong) wrong["named " + field.name] = field.wrong;
  state.wrong = wrong;
  return values;
}

/** Under whose name a change in the public database is made: the creator's, unless another one is chosen. */
export function writer(state, record) {
  const names = userNames();
  return state.writer || names.find((name) => name === who(record.created?.userRecordName)) || names[0] || "";
}

/** The database of a change, with the name that it is made under. */
export const views = (where, state, record) => ({
  ...database(where),
  user: where.user || writer(state, record) || undefined,
});

/** Saves what has changed. */
export async function save(where, record, fields, state, changed, close) {
  const isNew = record.recordName === undefined;
  const draftRecord =
    isNew
      ? { recordType: state.type, recordName: state.name || undefined, fields: changed }
      : { recordName: record.recordName, recordType: record.recordType, recordChangeTag: state.tag, fields: changed };
  state.error = undefined;
  const stays = unlessLeft();
  try {
    const [saved] = (
      await call(admin("records/modify"), {
        ...views(where, state, record),
        zoneID: zoneID(where),
        operations: [{ operationType: isNew ? "create" : "update", record: draftRecord }],
      })
    ).records;
    if (saved.serverErrorCode) return failed(state, saved);
    forgetDraft(record);
    say(`${short(saved.recordName)} is saved`);
    refresh();
    if (isNew) stays(close);
  } catch (error) {
    state.error = error;
    update();
  }
}

/** One record's failure; a conflict brings the server's record, and the next save is over it. */
function failed(state, answer) {
  const server = answer.brume?.serverRecord;
  state.error = { message: answer.reason };
  if (server) Object.assign(state, { conflict: server, tag: server.recordChangeTag });
  update();
}
