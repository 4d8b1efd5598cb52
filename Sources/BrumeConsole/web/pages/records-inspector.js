// One record: its fields, to read and to edit, what the system knows of it, who would be allowed. Nothing
// is saved before its old and new value were seen; a conflict shows theirs beside yours.

import { call, refresh } from "../core/calls.js";
import { admin, userNames } from "../core/places.js";
import { h } from "../core/render.js";
import { go, route, withQuery } from "../core/router.js";
import { draft, drop, hasDraft, into, say, update } from "../core/state.js";
import { isEditable, parsed, typed } from "../core/values.js";
import { exactly, plural, short } from "../core/words.js";
import { Button, CopyButton, Field, Picker, Tabs } from "../parts/controls.js";
import { Facts, Inspector } from "../parts/layout.js";
import { Wrong } from "../parts/states.js";
import { confirm } from "../parts/dialogs.js";
import { Allowed } from "./records-allowed.js";
import { Fields } from "./records-fields.js";
import { database, zoneID } from "./records-query.js";
import { who } from "./records.js";
import { isSystem } from "./schema-text.js";

/** The draft of a record: texts by field, the tag it was read with, who writes. */
const begun = (record) => draft("record." + (record.recordName ?? ""), () => ({
  texts: {}, tag: record.recordChangeTag, name: "", type: record.recordType, writer: "", error: undefined, conflict: undefined, extra: [] }));
const forgetDraft = (record) => drop("record." + (record.recordName ?? ""));

export function Record(where, record, fields, close) {
  const state = begun(record);
  const changed = changes(state, record, fields);
  const tab = route.query.tab ?? "fields";
  const tabs = { fields: "Fields", system: "System", allowed: "Allowed?" };
  return h(Inspector, { key: record.recordName, title: short(record.recordName, 24), note: `${record.recordType}, by ${who(record.modified?.userRecordName)}, tag ${record.recordChangeTag}`,
    onclose: () => (forgetDraft(record), close()),
    actions: [h(CopyButton, { text: record.recordName, what: "the record name", kind: "quiet" }),
      !where.as && h(Button, { kind: "quiet", icon: "trash", label: "Delete the record", onclick: () => remove(where, record, close) })],
    foot: tab === "fields" && !where.as && Foot(where, record, fields, state, changed) },
    h("div.tabbed", { key: "tabs" }, h(Tabs, { label: "Show", tabs: Object.entries(tabs).map(([name, text]) => ({ text, isOn: name === tab, href: withQuery({ tab: name === "fields" ? "" : name }) })) })),
    tab === "fields" ? Fields(fields.filter((field) => !isSystem(field)), record, state, where.as)
    : tab === "system" ? System(record) : Allowed(where, record));
}

export function NewRecord(where, fields, close) {
  const record = { fields: {}, recordType: where.type };
  const state = begun(record);
  const own = fields.filter((field) => !isSystem(field) && isEditable(field));
  return h(Inspector, { key: "new-record", title: "New record", note: `in ${where.zone}, ${where.database}`, onclose: () => (forgetDraft(record), close()),
    foot: Foot(where, record, fields, state, changes(state, record, fields), close) },
    h("div", { key: "names" },
      h(Field, { label: "Record name", value: state.name, oninput: into(state, "name"), placeholder: "made by the server", created: (element) => element.focus() }),
      fields.length === 0 && [h(Field, { label: "Type", value: state.type, oninput: into(state, "type"), placeholder: "Note" }),
        h("p.note", null, "A type's first record makes it. Add its fields with a program, or in the schema's text.")]),
    Fields(own, record, state));
}

/** What would be saved: fields of the protocol by name; `wrong` has what cannot be. */
function changes(state, record, fields) {
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
  state.wrong = wrong;
  return values;
}

function Foot(where, record, fields, state, changed, close) {
  const count = Object.keys(changed).length;
  const isNew = record.recordName === undefined;
  const canSave = (count > 0 || (isNew && state.type)) && Object.keys(state.wrong).length === 0;
  return h("div.foot", { key: "foot" }, Wrong(state.error),
    state.conflict && h("p.note", null, "Somebody saved this record first; theirs stands below each field. Saving now keeps yours where you edited."),
    h("div.line", null, h("span.note", null, isNew ? "not saved yet" : `${plural(count, "field")} changed`),
      where.database === "public" && h(Picker, { label: "written as", icon: "user", value: writer(state, record), options: userNames(), onchange: into(state, "writer") })),
    h("div.line", null,
      h("span.actions", null, !isNew && h(Button, { disabled: count === 0, onclick: () => forgetDraft(record) }, "Discard"),
        h(Button, { kind: "primary", class: "save", keys: "Ctrl S", disabled: !canSave, onclick: () => save(where, record, fields, state, changed, close) }, "Save"))));
}

/** Under whose name a change in the public database is made: the creator's, unless another one is chosen. */
function writer(state, record) {
  const names = userNames();
  return state.writer || names.find((name) => name === who(record.created?.userRecordName)) || names[0] || "";
}

const views = (where, state, record) => ({ ...database(where), user: where.user || writer(state, record) || undefined });

async function save(where, record, fields, state, changed, close) {
  const isNew = record.recordName === undefined;
  const draftRecord = isNew
    ? { recordType: state.type, recordName: state.name || undefined, fields: changed }
    : { recordName: record.recordName, recordType: record.recordType, recordChangeTag: state.tag, fields: changed };
  state.error = undefined;
  try {
    const [saved] = (await call(admin("records/modify"), { ...views(where, state, record), zoneID: zoneID(where), operations: [{ operationType: isNew ? "create" : "update", record: draftRecord }] })).records;
    if (saved.serverErrorCode) return failed(state, saved);
    forgetDraft(record);
    say(`${short(saved.recordName)} is saved`);
    refresh();
    if (isNew) close();
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

// MARK: Deleting

function remove(where, record, close) {
  const state = begun(record);
  const act = async () => {
    const [answer] = (await call(admin("records/modify"), { ...views(where, state, record), zoneID: zoneID(where), operations: [{ operationType: "forceDelete", record: { recordName: record.recordName } }] })).records;
    if (answer.serverErrorCode) throw new Error(answer.reason);
    draft("records.deleted", () => ({ where, record, writer: writer(state, record) }));
    forgetDraft(record);
    refresh();
    close();
  };
  confirm({ title: "Delete a record", word: short(record.recordName, 12), button: "Delete", act, done: `${short(record.recordName)} is deleted`,
    loses: `${plural(Object.keys(record.fields).length, "field")} of this ${record.recordType}, and every record whose reference says so. Until this page is left you can save it again.` });
}

/** The record that was deleted last, to be saved again: the same name and fields, without files. */
export function Restorable() {
  if (!hasDraft("records.deleted")) return null;
  const { where, record, writer } = draft("records.deleted", () => ({}));
  return h("p.restore", { key: "restore" }, h("span", null, `${short(record.recordName)} was deleted.`),
    h(Button, { class: "small", icon: "retry", onclick: () => restore(where, record, writer) }, "Restore"),
    h(Button, { kind: "quiet", icon: "close", label: "Forget it", onclick: () => drop("records.deleted") }));
}

async function restore(where, record, name) {
  const fields = Object.fromEntries(Object.entries(record.fields).filter(([, field]) => !/ASSETID/.test(field.type ?? "")));
  try {
    const [answer] = (await call(admin("records/modify"), { ...database(where), user: where.user || name || undefined, zoneID: zoneID(where),
      operations: [{ operationType: "create", record: { recordName: record.recordName, recordType: record.recordType, fields } }] })).records;
    if (answer.serverErrorCode) throw new Error(answer.reason);
    drop("records.deleted");
    say(`${short(record.recordName)} is back`);
    refresh();
    go(withQuery({ sel: record.recordName }));
  } catch (error) {
    say(error.message, true);
  }
}

const System = (record) =>
  h("div", { key: "system" }, Facts([
    ["Record name", h("code", null, record.recordName)], ["Type", record.recordType], ["Change tag", h("code", null, record.recordChangeTag)],
    ["Created", record.created && exactly(record.created.timestamp)], ["by", who(record.created?.userRecordName)], ["on device", record.created?.deviceID],
    ["Modified", record.modified && exactly(record.modified.timestamp)], ["by ", who(record.modified?.userRecordName)], ["on device ", record.modified?.deviceID],
    ["Parent", record.parent?.recordName], ["Share", record.share?.recordName],
  ]));

