// Saving a record: the draft of its fields, what of it has changed, under whose name it is written, and what
// a conflict brings.

import { call, refresh } from "../core/calls.js";
import { admin, areMoreUsers, knownUsers, userNames } from "../core/places.js";
import { parsed } from "../core/parsing.js";
import { go, unlessLeft, withQuery } from "../core/router.js";
import { draft, drop, once, say, update } from "../core/state.js";
import { typed } from "../core/values.js";
import { short } from "../core/words.js";
import { who } from "./records-columns.js";
import { namedSince, namedValues } from "./records-named.js";
import { database, exact, zoneID } from "./records-query.js";

/** Records of one name are others in another container, environment, database or zone; one without a name is of the type
 * that is shown. */
const key = (where, { recordName = "" }) =>
  "record." + JSON.stringify([where.container, where.environment, database(where), where.zone, recordName || [where.type]]);

/** The draft of a record: texts by field, the tag it was read with, who writes. */
export function begun(where, record) {
  const state = draft(key(where, record), () => ({
    texts: {},
    tag: record.recordChangeTag,
    name: "",
    type: record.recordType ?? "",
    writer: "",
    error: undefined,
    conflict: undefined,
    wrong: {},
    // Fields that the schema does not have yet.
    named: [],
    // The tag that was saved over: lists may still have it.
    over: undefined,
  }));
  if (Object.keys(state.texts).length === 0 && record.recordChangeTag !== state.over) state.tag = record.recordChangeTag;
  return state;
}
export const forgetDraft = (where, record) => drop(key(where, record));

/** What would be saved: fields of the protocol by name; `wrong` has what cannot be. */
export function changes(state, record, fields) {
  const [values, wrong] = [{}, {}];
  for (const [name, text] of Object.entries(state.texts)) {
    const type = fields.find((field) => field.name === name)?.type;
    // What has no field here is not seen: another type was chosen since.
    if (type === undefined || text === typed(record.fields[name]?.value, type)) continue;
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
  const creator = record.created?.userRecordName;
  const known = knownUsers().find(({ recordName }) => recordName === creator);
  // The list may have only the first users. In a whole one nobody else is there to write.
  return state.writer || known?.name || (areMoreUsers() && creator) || userNames()[0] || "";
}

/** Who may be chosen as the writer: also a creator whom the list of users does not have, by record name. */
export const writers = (state, record) => {
  const [names, now] = [userNames(), writer(state, record)];
  return names.includes(now) || now === "" ? names : [[now, who(now)], ...names];
};

/** The database of a change, with the name that it is made under. */
export const views = (where, state, record) => ({
  ...database(where),
  user: where.user || writer(state, record) || undefined,
});

/** Saves what has changed. */
export const save = (where, record, fields, state, changed, close) =>
  once(state, async () => {
    const isNew = record.recordName === undefined;
    const draftRecord =
      isNew
        ? { recordType: state.type, recordName: state.name || undefined, fields: changed }
        : { recordName: record.recordName, recordType: record.recordType, recordChangeTag: state.tag, fields: changed };
    const sent = { texts: { ...state.texts }, named: state.named.map((field) => ({ ...field })) };
    state.error = undefined;
    const stays = unlessLeft();
    try {
      const [saved] = (
        await call(admin("records/modify"), {
          ...views(where, state, record),
          ...exact,
          zoneID: zoneID(where),
          operations: [{ operationType: isNew ? "create" : "update", record: draftRecord }],
        })
      ).records;
      if (saved.serverErrorCode) return failed(state, saved);
      const isMore = keepRest(where, record, sent, saved);
      say(`${short(saved.recordName)} is saved`);
      refresh();
      if (isNew) stays(isMore ? () => go(withQuery({ new: "", sel: saved.recordName })) : close);
    } catch (error) {
      state.error = error;
      update();
    }
  });

/** What was typed while the save was under way is a change of the record that is saved now. Answers whether there is any. */
function keepRest(where, record, sent, saved) {
  const { texts, named, writer } = begun(where, record);
  const rest = Object.entries(texts).filter(([name, text]) => sent.texts[name] !== text);
  const [again, more] = namedSince(sent.named, named);
  const isMore = rest.length + again.length + more.length > 0;
  forgetDraft(where, record);
  Object.assign(begun(where, saved), {
    texts: Object.fromEntries([...rest, ...again]),
    named: more,
    tag: saved.recordChangeTag,
    over: record.recordChangeTag,
    writer: isMore ? writer : "",
  });
  return isMore;
}

/** One record's failure; a conflict brings the server's record, and the next save is over it. */
function failed(state, answer) {
  const server = answer.brume?.serverRecord;
  state.error = { message: answer.reason };
  if (server) Object.assign(state, { conflict: server, tag: server.recordChangeTag });
  update();
}
