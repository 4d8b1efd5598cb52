// Records: what is stored, and who may see it? The place, the query, the table in pages of 50, the record
// that is open.

import { remote } from "../core/calls.js";
import { admin } from "../core/places.js";
import { h } from "../core/render.js";
import { go, route, withQuery } from "../core/router.js";
import { exactly, moment, short } from "../core/words.js";
import { shown } from "../core/values.js";
import { Button, CopyButton } from "../parts/controls.js";
import { Beside, Head, Pane } from "../parts/layout.js";
import { Empty, Loaded } from "../parts/states.js";
import { Pages, Table } from "../parts/table.js";
import { openCondition, Query } from "./records-conditions.js";
import { NewRecord, Record, Restorable } from "./records-inspector.js";
import { ownSchema, Place, typesOf } from "./records-place.js";
import { curl, database, fieldTitle, pageSize, place, query, withConditions, zoneID } from "./records-query.js";
import { isSystem } from "./schema-text.js";

export const page = {
  name: "records", title: "Records", icon: "records", view,
  keys: () => ({
    n: ["New record", begin],
    "/": ["Another condition", openCondition],
    e: ["Edit the first field", () => document.querySelector(".inspector .value input, .inspector .value textarea")?.focus()],
    "ctrl+s": ["Save the record", () => document.querySelector(".inspector button.save:not(:disabled)")?.click()],
  }),
};

const begin = () => go(withQuery({ new: "1", sel: "" }));
const mostColumns = 4;

function view() {
  const schema = ownSchema();
  const where = place();
  return [
    h(Head, { title: "Records", actions: !where.as && where.type !== "-" && h(Button, { kind: "primary", icon: "plus", onclick: begin }, "New record") }, Place(where)),
    Loaded(schema, () => {
      const types = typesOf(schema);
      if (types.length === 0) return h(Pane, { class: "fill", key: "none" }, Empty("No record types yet: the first save makes one", h(Button, { icon: "plus", onclick: begin }, "New record"), "records"));
      const type = types.find((type) => type.name === where.type) ?? types.find((type) => type.name !== "Users") ?? types[0];
      return Page({ ...where, type: type.name }, types, type.fields);
    }),
    route.query.new && typesOf(schema).length === 0 && NewRecord(where, [], close),
  ];
}

function Page(where, types, fields) {
  let entry;
  try {
    const body = { ...database(where), zoneID: zoneID(where), query: query(where, fields), resultsLimit: pageSize, continuationMarker: where.after };
    entry = remote(admin("records/query"), body);
  } catch (error) {
    entry = { error };
  }
  const records = entry.value?.records ?? [];
  const chosen = records.find((record) => record.recordName === route.query.sel);
  return [
    Query(where, types, fields, entry),
    Restorable(),
    Beside(
      h(Pane, { class: "fill", key: "records", foot: entry.value && Foot(where, fields, entry.value) },
        Loaded(entry, ({ records }) => records.length === 0 ? Nothing(where) : h(Table, {
          label: `${where.type} in ${where.zone}`, columns: columns(where, fields), rows: records, id: (record) => record.recordName,
          chosen: chosen?.recordName, onopen: (record) => go(withQuery({ sel: record.recordName, new: "" })) }))),
      route.query.new ? NewRecord(where, fields, close) : chosen && Record(where, chosen, fields, close)),
  ];
}

const close = () => go(withQuery({ sel: "", new: "" }));

function Nothing(where) {
  if (where.conditions.length === 0) return Empty(`No ${where.type} in this zone`, h(Button, { icon: "plus", onclick: begin }, "New record"), "records");
  const rest = where.conditions.slice(0, -1);
  return Empty("No match", h(Button, { icon: "close", onclick: () => go(withConditions(rest)) }, "Remove the last condition"), "search");
}

/** The record's name, the first fields of its type, who made it and when. */
function columns(where, fields) {
  const chosen = route.query.cols?.split(",") ?? fields.filter((field) => !isSystem(field)).slice(0, mostColumns).map((field) => field.name);
  const sortable = (name) => fields.find((field) => field.name === name)?.indexes.includes("SORTABLE") && {
    isOn: where.sort.replace(/^-/, "") === name, isDescending: where.sort.startsWith("-"),
    onclick: () => go(withQuery({ sort: where.sort === name ? "-" + name : name, after: "", sel: "" })),
  };
  return [
    { title: "recordName", cell: (record) => h("code", { title: record.recordName }, short(record.recordName, 14)) },
    ...chosen.map((name) => ({ title: name, sort: sortable(name), class: isNumber(fields, name) && "right", cell: (record) => Cell(record.fields?.[name]) })),
    { title: "creator", cell: (record) => h("span", { title: record.created?.userRecordName }, who(record.created?.userRecordName)) },
    { title: "created", sort: sortable("___createTime"), cell: (record) => record.created && h("span", { title: exactly(record.created.timestamp) }, moment(record.created.timestamp)) },
  ];
}

const isNumber = (fields, name) => /INT64|DOUBLE/.test(fields.find((field) => field.name === name)?.type ?? "");
const Cell = (field) => (field === undefined ? h("span.note", null, "no value") : shown(field));

/** The sign-in name of a user's record name. */
export function who(recordName) {
  const user = (remote("/_brume/admin/users").value?.users ?? []).find((user) => user.recordName === recordName);
  return user?.name ?? (recordName ? short(recordName, 10) : "–");
}

function Foot(where, fields, { records, continuationMarker }) {
  const text = records.length === 0 ? "" : `${records.length} shown${continuationMarker ? ", more follow" : ", the last ones"}`;
  return h("div.pages", null,
    h(Pages, { text, newer: where.after && (() => history.back()), older: continuationMarker && (() => go(withQuery({ after: continuationMarker, sel: "" }))) }),
    Columns(fields), h(CopyButton, { text: () => curl(where, fields), what: "the query as a command" }, "Copy as curl"));
}

/** Which fields are columns. */
function Columns(fields) {
  const own = fields.filter((field) => !isSystem(field)).map((field) => field.name);
  const chosen = route.query.cols?.split(",") ?? own.slice(0, mostColumns);
  const toggle = (name) => go(withQuery({ cols: own.filter((other) => chosen.includes(other) !== (other === name)).join(",") || own[0] }), true);
  return h("details.columns-menu", { key: "columns" }, h("summary.button", null, "Columns"),
    h("div.menu-body", null, own.map((name) => h("label.check", { key: name }, h("input", { type: "checkbox", checked: chosen.includes(name), onchange: () => toggle(name) }), fieldTitle(name)))));
}

