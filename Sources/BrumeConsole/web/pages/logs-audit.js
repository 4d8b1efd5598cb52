// The audit log: who did what, when, from where, and what came of it. Every call of an operator that changes
// something, and every one that was refused.

import { paged } from "../core/calls.js";
import { h } from "../core/render.js";
import { go, route, to, turn, withQuery } from "../core/router.js";
import { draft, into } from "../core/state.js";
import { exactly, moment, shortContainer } from "../core/words.js";
import { Button, CopyButton, Field } from "../parts/controls.js";
import { Beside, Facts, Form, Inspector, Pane } from "../parts/layout.js";
import { Badge, Empty, Loaded, NothingOlder } from "../parts/states.js";
import { chosenLine, Pages, Table } from "../parts/table.js";

const limit = 100;
const address = (query) => to("logs", [], { tab: "audit", ...query });

export function AuditLog() {
  const query = new URLSearchParams({ limit: String(limit) });
  for (const name of ["operator", "before"]) if (route.query[name]) query.set(name, route.query[name]);
  const entry = paged(`/_brume/admin/audit?${query}`);
  const chosen = chosenLine(
    entry.value?.audit,
    "audit",
    (position) => `/_brume/admin/audit?limit=1&before=${position + 1}`,
  );
  return [
    Filter(),
    Beside(
      h(
        Pane,
        {
          class: "fill",
          key: "audit",
          foot:
            entry.value && h(Pages, {
              text: "newest first",
              ...turn("before", entry.value.next, { sel: "" }),
            }),
        },
        Loaded(entry, ({ audit }) =>
          audit.length === 0 && route.query.before
            ? NothingOlder()
            : audit.length === 0
            ? Empty(
                route.query.operator ? "Nothing by this operator" : "No operator has changed anything yet",
                undefined,
                "logs",
              )
            : h(Table, {
                label: "Audit log",
                // What is beside the table says from where, too.
                columns: chosen ? columns.slice(0, -1) : columns,
                rows: audit,
                id: (line) => String(line.position),
                chosen: route.query.sel,
                onopen: (line) => go(withQuery({ sel: String(line.position) })),
              })),
      ),
      chosen && Line(chosen),
    ),
  ];
}

function Filter() {
  const state = draft("audit", () => ({ operator: "" }));
  const named = route.query.operator ?? "";
  if (state.of !== named) Object.assign(state, { of: named, operator: named });
  return h(
    Pane,
    { key: "filter" },
    h(
      Form,
      { class: "body", onsend: () => go(address({ operator: state.operator.trim() })) },
      h(
        "div.line",
        null,
        h(Field, {
          label: "Operator",
          value: state.operator,
          oninput: into(state, "operator"),
          placeholder: "anybody",
        }),
        h(Button, { icon: "search", type: "submit" }, "Search"),
      ),
    ),
  );
}

const Outcome = (line) =>
  line.status === undefined
    ? h(Badge, { kind: "wait" }, "no answer")
    : line.refused || line.status >= 400
    ? h(Badge, { kind: "bad", icon: line.status === 403 ? "lock" : "bad" }, String(line.status))
    : h(Badge, { kind: "ok" }, "done");

export const columns = [
  { title: "Time", class: "narrow", cell: (line) => h("span", { title: exactly(line.time) }, moment(line.time)) },
  { title: "Operator", cell: (line) => h("b", null, line.operator || "nobody known") },
  { title: "Did", cell: (line) => h("code", null, line.action) },
  { title: "To", cell: (line) => line.subject || "–" },
  { title: "In", cell: (line) => (line.container ? `${shortContainer(line.container)}, ${line.environment}` : "–") },
  { title: "Outcome", cell: Outcome },
  { title: "From", cell: (line) => line.address },
];

const Line = (line) =>
  h(
    Inspector,
    {
      key: "line",
      title: line.action,
      note: moment(line.time),
      onclose: () => go(withQuery({ sel: "" })),
      actions: h(CopyButton, { text: location.href, what: "the link", kind: "quiet" }),
    },
    h(
      "div",
      null,
      Facts([
        ["Operator", line.operator],
        ["To", line.subject],
        ["Container", line.container],
        ["Environment", line.environment],
        ["Status", line.status],
        ["From", line.address],
        ["Time", exactly(line.time)],
        ["Request", h("a", { href: to("logs", [], { request: line.request }) }, h("code", null, line.request))],
      ]),
      h("div.line", null, h("a", { href: to("logs", [], { request: line.request }) }, "All with this ID")),
    ),
  );
