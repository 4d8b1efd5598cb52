// One request of the log: as a row, and in the inspector.

import { h } from "../core/render.js";
import { to } from "../core/router.js";
import { exactly, moment, short, shortContainer } from "../core/words.js";
import { CopyButton, LinkButton } from "../parts/controls.js";
import { Facts, Inspector } from "../parts/layout.js";
import { Badge } from "../parts/states.js";

/** Milliseconds with as many digits as say something. */
export const took = (microseconds) =>
  microseconds < 1000
    ? `${(microseconds / 1000).toFixed(2)} ms`
    : microseconds < 10_000
    ? `${(microseconds / 1000).toFixed(1)} ms`
    : microseconds < 1_000_000
    ? `${Math.round(microseconds / 1000)} ms`
    : `${(microseconds / 1_000_000).toFixed(1)} s`;

export const Status = ({ status, code }) =>
  status >= 500
    ? h(Badge, { kind: "bad" }, `${status} ${code ?? ""}`.trim())
    : status >= 400
    ? h(
        Badge,
        { kind: "wait", icon: status === 401 || status === 403 ? "lock" : "warn" },
        `${status} ${code ?? ""}`.trim(),
      )
    : h(Badge, { kind: "ok" }, String(status));

/** Who called. */
export const caller = ({ user, serverKey, operator }) =>
  user ?? (serverKey ? `key of ${short(serverKey, 10)}` : operator ? `operator ${operator}` : "nobody known");

/** The path without what every path has; the rest is in the inspector. */
export const called = ({ route }) =>
  route.replace(/^\/(database|device)\/1\/\{container\}\/\{environment\}\/(\{database\}\/)?/, "").replace("/_brume/", "");

/** The page of all that is known of a request. */
const allOf = (request) => to("logs", [], { request });

export const columns = [
  { title: "Time", class: "narrow", cell: (line) => h("span", { title: exactly(line.time) }, moment(line.time)) },
  {
    title: "Called",
    cell: (line) => h("code", { title: `${line.method} ${line.route}` }, `${line.method} ${called(line)}`),
  },
  { title: "By", cell: (line) => caller(line) },
  { title: "In", cell: (line) => (line.container ? `${shortContainer(line.container)}, ${line.environment}` : "–") },
  { title: "Answer", cell: Status },
  { title: "Took", class: "right", cell: (line) => took(line.microseconds) },
  { title: "Request", cell: (line) => h("code", { title: line.request }, line.request.slice(0, 8)) },
];

export const facts = (line) => [
  ["Called", h("code", null, `${line.method} ${line.route}`)],
  ["By", line.user ? h("a", { href: to("users", [line.user]) }, line.user) : caller(line)],
  ["Container", line.container && `${line.container}, ${line.environment}`],
  ["Answer", Status(line)],
  ["Took", took(line.microseconds)],
  ["Time", exactly(line.time)],
];

export const RequestLine = (line, onclose) =>
  h(
    Inspector,
    {
      key: "line",
      title: called(line),
      note: moment(line.time),
      onclose,
      actions: h(CopyButton, { text: line.request, what: "the request ID", kind: "quiet" }),
    },
    h(
      "div",
      null,
      Facts([...facts(line), ["Request", h("code", null, line.request)]]),
      h("div.line", null, h(LinkButton, { icon: "search", href: allOf(line.request) }, "All with this ID")),
    ),
  );
