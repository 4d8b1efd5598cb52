// All that is known of one request: its line, what an operator did by it, what became of its change, and the
// pushes that it caused.

import { remote } from "../core/calls.js";
import { admin } from "../core/places.js";
import { h } from "../core/render.js";
import { to } from "../core/router.js";
import { Button, Code, LinkButton } from "../parts/controls.js";
import { Facts, Pane } from "../parts/layout.js";
import { Empty, Failed, Loading } from "../parts/states.js";
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
  const failed = Object.values(parts).find((entry) => entry.error && entry.value === undefined);
  if (failed) return h(Pane, { key: "failed" }, Failed(failed.error));
  if (Object.values(parts).some((entry) => entry.value === undefined)) return h(Pane, { key: "loading" }, Loading());
  const [log, audit, push] = [parts.log.value.log, parts.audit.value.audit, [...parts.push.value.log].reverse()];
  const trace = parts.trace.value.change ? parts.trace.value : undefined;
  if (log.length + audit.length + push.length === 0 && !trace) return Nothing(request);
  return h(
    "div.stack",
    { key: "found" },
    Section("request", "Request", "the log of this server", log.length > 0
      ? log.map((line) => h("div.body", { key: String(line.position) }, Facts(facts(line))))
      : Absent("This server did not answer it since it began")),
    Section("trace", "Trace", "what became of its change", trace
      ? h("div.body", null, h("p", null, trace.sentence), h("div.line", null,
          h(LinkButton, { icon: "trace", href: to("trace", [], { request }) }, "Every subscription and device")))
      : Absent("It changed nothing that is remembered here")),
    Section("pushes", "Pushes", "what was sent because of it", push.length > 0
      ? h(Table, { label: "Pushes of this request", columns: pushColumns, rows: push, id: (line) => String(line.position) })
      : Absent("Nothing was sent because of it")),
    Section("audit", "Audit", "what an operator did by it", audit.length > 0
      ? h(Table, { label: "Audit lines of this request", columns: auditColumns, rows: audit, id: (line) => String(line.position) })
      : Absent("No operator's change")),
    h("div.line", { key: "command" }, h(Code, { text: `brume logs --request ${request}`, what: "the command", label: "Command" })),
  );
}

const Section = (key, title, note, content) => h(Pane, { key, title, note }, content);
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
