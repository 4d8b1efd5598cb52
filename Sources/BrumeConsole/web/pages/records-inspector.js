// One record: its fields, to read and to edit, what the system knows of it, who would be allowed. Nothing
// is saved before its old and new value were seen; a conflict shows theirs beside yours.

import { h } from "../core/render.js";
import { go, route, withQuery } from "../core/router.js";
import { into } from "../core/state.js";
import { isEditable } from "../core/values.js";
import { exactly, plural, short } from "../core/words.js";
import { Button, CopyButton, Field, Tabs } from "../parts/controls.js";
import { Facts, Inspector } from "../parts/layout.js";
import { Wrong } from "../parts/states.js";
import { UserPicker } from "../parts/users.js";
import { Allowed } from "./records-allowed.js";
import { who } from "./records-columns.js";
import { remove } from "./records-delete.js";
import { Fields, ShareFields } from "./records-fields.js";
import { NamedFields } from "./records-named.js";
import { recordsAt } from "./records-query.js";
import { begun, changes, forgetDraft, save, writer, writers } from "./records-save.js";
import { isSystem } from "./schema-text.js";

export function Record(where, record, fields, close) {
  const state = begun(where, record);
  const changed = changes(state, record, fields);
  const isShare = record.recordType === "cloudkit.share";
  const tab = route.query.tab ?? "fields";
  const tabs = { fields: "Fields", system: "System", allowed: "Allowed?" };
  return h(
    Inspector,
    {
      key: record.recordName,
      title: short(record.recordName, 24),
      note: `${record.recordType}, by ${who(record.modified?.userRecordName)}, tag ${record.recordChangeTag}`,
      onclose: close,
      actions: [
        h(CopyButton, { text: record.recordName, what: "the record name", kind: "quiet" }),
        !where.as && !isShare && h(Button, {
          kind: "quiet",
          icon: "trash",
          label: "Delete the record",
          onclick: () => remove(where, record, close),
        }),
      ],
      foot: tab === "fields" && !where.as && !isShare && Foot(where, record, fields, state, changed),
    },
    h(
      "div.tabbed",
      { key: "tabs" },
      h(Tabs, {
        label: "Show",
        tabs: Object.entries(tabs).map(([name, text]) => ({
          text,
          isOn: name === tab,
          href: withQuery({ tab: name === "fields" ? "" : name }),
        })),
      }),
    ),
    tab === "fields"
      ? isShare ? ShareFields(where, record) : Fields(fields.filter((field) => !isSystem(field)), record, state, where.as)
      : tab === "system"
      ? System(record)
      : Allowed(where, record),
    // What was named while the record was made.
    tab === "fields" && !where.as && state.named.length > 0 && NamedFields(state.named),
  );
}

/** A record of a type that is there, or of a new one; the schema of development takes up what it brings. */
export function NewRecord(where, types, close) {
  // Users are made elsewhere: where nothing else is, the type has no name yet.
  const record = { fields: {}, recordType: where.type === "Users" ? "" : where.type };
  const state = begun(where, record);
  const fields = types.find(({ name }) => name === state.type)?.fields ?? [];
  const isOpen = route.environment === "development";
  const done = () => (state.type === where.type ? close() : go(recordsAt({ ...where, type: state.type })));
  const own = fields.filter((field) => !isSystem(field) && isEditable(field));
  return h(
    Inspector,
    {
      key: "new-record",
      title: "New record",
      note: `in ${where.zone}, ${where.database}`,
      onclose: close,
      foot: Foot(where, record, fields, state, changes(state, record, fields), done),
    },
    h(
      "div",
      { key: "names" },
      h(Field, { label: "Type", value: state.type, oninput: into(state, "type"), placeholder: "Note" }),
      fields.length === 0 && state.type !== "" && h("p.note", null, isOpen
        ? "A new type: its first record makes it. Name its fields, or add them later."
        : "There is no such type here: deploy development's schema first."),
      h(Field, {
        label: "Record name",
        value: state.name,
        oninput: into(state, "name"),
        placeholder: "made by the server",
        created: (element) => element.focus(),
      }),
    ),
    own.length > 0 && Fields(own, record, state),
    isOpen && NamedFields(state.named),
  );
}

function Foot(where, record, fields, state, changed, close) {
  const count = Object.keys(changed).length;
  const isNew = record.recordName === undefined;
  const canSave = (count > 0 || (isNew && state.type)) && Object.keys(state.wrong).length === 0;
  return h(
    "div.foot",
    { key: "foot" },
    Wrong(state.error),
    state.conflict && h(
      "p.note",
      null,
      isNew
        ? `There is a record ${state.conflict.recordName} already; what it has stands below each field. Choose another name.`
        : "Somebody saved this record first; theirs stands below each field. Saving now keeps yours where you edited.",
    ),
    h(
      "div.line",
      null,
      h("span.note", null, isNew ? "not saved yet" : `${plural(count, "field")} changed`),
      where.database === "public" && (isNew || count > 0) && h(UserPicker, {
        label: "written as",
        icon: "user",
        value: writer(state, record),
        options: writers(state, record),
        onchange: into(state, "writer"),
      }),
    ),
    h(
      "div.line",
      null,
      h(
        "span.actions",
        null,
        h(Button, { disabled: !isNew && count === 0, onclick: () => forgetDraft(where, record) }, "Discard"),
        h(
          Button,
          {
            kind: "primary",
            class: "save",
            keys: "Ctrl S",
            disabled: !canSave,
            onclick: () => save(where, record, fields, state, changed, close),
          },
          "Save",
        ),
      ),
    ),
  );
}

const System = (record) =>
  h(
    "div",
    { key: "system" },
    Facts([
      ["Record name", h("code", null, record.recordName)],
      ["Type", record.recordType],
      ["Change tag", h("code", null, record.recordChangeTag)],
      ["Created", record.created && exactly(record.created.timestamp)],
      ["by", who(record.created?.userRecordName)],
      ["on device", record.created?.deviceID],
      ["Modified", record.modified && exactly(record.modified.timestamp)],
      ["by ", who(record.modified?.userRecordName)],
      ["on device ", record.modified?.deviceID],
      ["Parent", record.parent?.recordName],
      ["Share", record.share?.recordName],
    ]),
  );
