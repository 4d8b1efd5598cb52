// The columns of records: the record's name, fields of its type, who made it and when; and the choice of them.

import { knownUsers } from "../core/places.js";
import { h } from "../core/render.js";
import { go, route, withQuery } from "../core/router.js";
import { shown } from "../core/values.js";
import { exactly, moment, short } from "../core/words.js";
import { recordAt } from "./records-fields.js";
import { fieldTitle } from "./records-query.js";
import { isSystem } from "./schema-text.js";

const mostColumns = 4;

/** The record's name, the first fields of its type, who made it and when. */
export function columns(where, fields) {
  const chosen =
    route.query.cols?.split(",") ??
      fields.filter((field) => !isSystem(field)).slice(0, mostColumns).map((field) => field.name);
  const sortable = (name) =>
    fields.find((field) => field.name === name)?.indexes.includes("SORTABLE") && {
      isOn: where.sort.replace(/^-/, "") === name,
      isDescending: where.sort.startsWith("-"),
      onclick: () => go(withQuery({ sort: where.sort === name ? "-" + name : name, after: "", sel: "" })),
    };
  return [
    { title: "recordName", cell: (record) => h("code", { title: record.recordName }, short(record.recordName, 14)) },
    ...chosen.map((name) => ({
      title: name,
      sort: sortable(name),
      class: isNumber(fields, name) && "right",
      cell: (record) => (record.fields ? Cell(record.fields[name]) : h("span.note", null, "cannot be read")),
    })),
    {
      title: "creator",
      cell: (record) => h("span", { title: record.created?.userRecordName }, who(record.created?.userRecordName)),
    },
    {
      title: "created",
      sort: sortable("___createTime"),
      cell: (record) =>
        record.created && h("span", { title: exactly(record.created.timestamp) }, moment(record.created.timestamp)),
    },
  ];
}

const isNumber = (fields, name) => /INT64|DOUBLE/.test(fields.find((field) => field.name === name)?.type ?? "");
const Cell = (field) =>
  field === undefined
    ? h("span.note", null, "no value")
    : field.type === "REFERENCE" && field.value?.recordName
    // For the mouse: by keys it is a link of the record that is open, and the table one tab stop.
    ? h(
        "a",
        { href: recordAt(field.value), title: field.value.recordName, tabindex: -1 },
        h("code", null, shown(field)),
      )
    : shown(field);

/** The sign-in name of a user's record name. */
export function who(recordName) {
  const user = knownUsers().find((user) => user.recordName === recordName);
  return user?.name ?? (recordName ? short(recordName, 10) : "–");
}

/** Which fields are columns. */
export function Columns(fields) {
  const own = fields.filter((field) => !isSystem(field)).map((field) => field.name);
  const chosen = route.query.cols?.split(",") ?? own.slice(0, mostColumns);
  const toggle = (name) =>
    go(
      withQuery({ cols: own.filter((other) => chosen.includes(other) !== (other === name)).join(",") || own[0] }),
      true,
    );
  return h(
    "details.columns-menu",
    { key: "columns" },
    h("summary.button", null, "Columns"),
    h(
      "div.menu-body",
      null,
      own.map((name) =>
        h(
          "label.check",
          { key: name },
          h("input", { type: "checkbox", checked: chosen.includes(name), onchange: () => toggle(name) }),
          fieldTitle(name),
        )),
    ),
  );
}
