// All that is known of one request: its line, what an operator did by it, what became of its change, and the
// pushes that it caused.

import { remote } from "../core/calls.js";
import { admin } from "../core/places.js";
import { h } from "../core/render.js";
import { to } from "../core/router.js";
import { plural } from "../core/words.js";
import { Code, LinkButton } from "../parts/controls.js";
import { Facts, Pane } from "../parts/layout.js";
import { Empty, Failed, Loaded } from "../parts/states.js";
import { Table } from "../parts/table.js";
import { columns as auditColumns } from "./logs-audit.js";
import { facts } from "./logs-line.js";
import { columns as pushColumns } from "./push.js";

export function OneRequest(text) {
  const request = text.toUpperCase();
  const query = new URLSearchParams({ request });
  const parts = {
    log: remote(`/_brume/admin/logs?${query}`),
    audit: remote(`/_brume/admin/audit?${query}`),
    trace: remote(admin("trace", { request })),
    push: remote(admin("push/log", { request, limit: 200 })),
  };
  const all = Object.values(parts);
  const missing = all.find((entry) => entry.error && entry.value === undefined) ??
    all.find((entry) => entry.value === undefined);
  if (missing) return h(Pane, { key: "missing" }, Loaded(missing));
  const failed = all.find((entry) => entry.error);
  const [log, audit, push] = [parts.log.value.log, parts.audit.value.audit, [...parts.push.value.log].reverse()];
  const trace = parts.trace.value.change ? parts.trace.value : undefined;
  if (log.length + audit.length + push.length === 0 && !trace) return Nothing(request);
  return h(
    "div.stack",
    { key: "found" },
    failed && Failed(failed.error, true),
    Section(
      "Request",
      "the log of this server",
      log.length === 0
        ? Absent("This server did not answer it since it began")
        : log.map((line) => h("div.body", { key: String(line.position) }, Facts(facts(line)))),
    ),
    Section(
      "Trace",
      "what became of its change",
      trace ? Change(trace, request) : Absent("It changed nothing that is remembered here"),
    ),
    Section(
      "Pushes",
      parts.push.value.next ? `the newest ${plural(push.length, "line")}; there may be more` : "what was sent because of it",
      Lines("Pushes of this request", pushColumns, push) ?? Absent("Nothing was sent because of it"),
    ),
    Section(
      "Audit",
      "what an operator did by it",
      Lines("Audit lines of this request", auditColumns, audit) ?? Absent("No operator's change"),
    ),
    h(Code, { text: `brume logs --request ${request}`, what: "the command", label: "Command" }),
  );
}

const Change = (trace, request) =>
  h(
    "div.body",
    null,
    h("p", null, trace.sentence),
    h(
      "div.line",
      null,
      h(LinkButton, { icon: "trace", href: to("trace", [], { request }) }, "Every subscription and device"),
    ),
  );

const Lines = (label, columns, rows) =>
  rows.length === 0 ? undefined : h(Table, { label, columns, rows, id: (line) => String(line.position) });

const Section = (title, note, content) => h(Pane, { key: title, title, note }, content);
const Absent = (sentence) => h("p.absent.note", null, sentence);

const Nothing = (request) =>
  h(
    Pane,
    { class: "fill", key: "nothing" },
    Empty("Nothing with this ID", h(LinkButton, { href: to("logs") }, "Show the newest requests"), "search"),
    h(
      "div.body",
      null,
      h(
        "p.note",
        null,
        "A server remembers its newest 10 000 requests since it began; changes are remembered for a day, in the " +
          "container and environment that the bar names. Several servers of one database remember their own requests.",
      ),
    ),
  );
