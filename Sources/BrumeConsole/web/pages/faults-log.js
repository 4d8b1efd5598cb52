// The log of changes, newest first, and the zone of one of them as it was right after it. Nothing can be changed
// here.

import { paged, remote } from "../core/calls.js";
import { admin } from "../core/places.js";
import { h } from "../core/render.js";
import { go, route, to, turn, withQuery } from "../core/router.js";
import { shown } from "../core/values.js";
import { exactly, moment, plural } from "../core/words.js";
import { Inspector, Pane } from "../parts/layout.js";
import { Badge, Empty, Loaded, NothingOlder } from "../parts/states.js";
import { Pages, Table } from "../parts/table.js";

const limit = 50;

export function Log() {
  const entry = paged(admin("log", { limit, before: route.query.before }));
  return h(
    Pane,
    {
      key: "log",
      title: "Log",
      note: "Open a change to see its zone as of then.",
      foot:
        entry.value && h(Pages, {
          text: "newest first",
          ...turn("before", entry.value.before, { then: "" }),
        }),
    },
    Loaded(entry, ({ changes }) =>
      changes.length === 0 && route.query.before
        ? NothingOlder()
        : changes.length === 0
        ? Empty("No change is remembered", undefined, "logs")
        : h(Table, {
            label: "Log",
            columns,
            rows: changes,
            id: (change) => change.id,
            chosen: route.query.then,
            onopen: (change) => go(withQuery({ then: change.id, new: "" })),
          })),
  );
}

const kinds = {
  created: "created",
  updated: "updated",
  deleted: "deleted",
  zoneCreated: "zone made",
  zoneDeleted: "zone deleted",
  membership: "somebody joined or left",
};

const columns = [
  { title: "Change", class: "narrow", cell: (change) => h("code", null, change.id) },
  { title: "Time", class: "narrow", cell: (change) => h("span", { title: exactly(change.time) }, moment(change.time)) },
  { title: "What", cell: (change) => kinds[change.kind] ?? change.kind },
  { title: "Record", cell: (change) => change.record ?? "–" },
  { title: "Zone", cell: (change) => [change.zone ?? "–", change.owner && ` of ${change.owner}`] },
  { title: "By", cell: (change) => [change.user ?? "–", change.device && `, ${change.device}`] },
];

/** The zone of a change as it was then, beside the list. */
export const AsOf = (id) =>
  h(
    Inspector,
    { key: "then", title: `As of ${id}`, onclose: () => go(withQuery({ then: "" })) },
    Loaded(remote(admin("log/then", { change: id })), (then) => [
      h(
        "p",
        { role: "status" },
        `Zone ${then.change.zone} right after ${kinds[then.change.kind] ?? then.change.kind}`
          + `${then.change.record ? ` of ${then.change.record}` : ""}, ${moment(then.change.time)}. Read-only.`,
      ),
      then.deletedBy
        ? h("p.note", null, `The zone was deleted since, by change ${then.deletedBy}: what it held is not kept.`)
        : then.records.length === 0
        ? h("p.note", null, "The zone was empty.")
        : h(Table, { label: "Records then", columns: columnsThen, rows: then.records, id: (row) => row.recordName }),
      !then.complete && !then.deletedBy && h("p.note", null, `${plural(then.records.length, "record")}, and more.`),
      h("p", null, h("a", { href: to("trace", [id]) }, "What became of this change")),
    ]),
  );

const states = {
  same: ["ok", "as now"],
  other: ["info", "changed since"],
  absent: ["off", "not there"],
  unknown: ["wait", "not known"],
};

const columnsThen = [
  { title: "Record", cell: (row) => h("b", null, row.recordName) },
  { title: "Then", cell: (row) => h(Badge, { kind: states[row.then][0] }, states[row.then][1]) },
  { title: "Content", class: "wrap", cell: (row) => content(row.record) },
];

const content = (record) =>
  record
    ? Object.entries(record.fields ?? {}).map(([name, field]) => `${name}: ${shown(field)}`).join("; ") || "no fields"
    : "–";
