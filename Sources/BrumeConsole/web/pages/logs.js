// Logs and audit: what was asked of this server, by whom, and what came of it. The newest requests; with a
// request ID all that is known of it; and what operators did.

import { paged } from "../core/calls.js";
import { userNames } from "../core/places.js";
import { h } from "../core/render.js";
import { go, route, to, turn, withQuery } from "../core/router.js";
import { draft, into } from "../core/state.js";
import { moment } from "../core/words.js";
import { Button, Check, CopyButton, Field, Tabs } from "../parts/controls.js";
import { Beside, Form, Head, Pane } from "../parts/layout.js";
import { Empty, Loaded, NothingOlder } from "../parts/states.js";
import { chosenLine, Pages, Table } from "../parts/table.js";
import { UserPicker } from "../parts/users.js";
import { AuditLog } from "./logs-audit.js";
import { columns, RequestLine } from "./logs-line.js";
import { OneRequest } from "./logs-request.js";

export const page = {
  name: "logs",
  title: "Logs and audit",
  icon: "logs",
  isLive: true,
  view,
  keys: () => ({ "/": ["Search for a request ID", () => document.getElementById("field-request-id")?.focus()] }),
};

const limit = 100;

function view() {
  const isAudit = route.query.tab === "audit";
  return [
    h(
      Head,
      {
        title: "Logs and audit",
        note: isAudit ? "what operators changed, and what was refused" : "what was asked of this server",
        actions: route.query.request && h(CopyButton, { text: location.href, what: "the link" }, "Copy link"),
      },
      h(Tabs, {
        label: "Show",
        tabs: [
          { text: "Requests", isOn: !isAudit, href: to("logs") },
          { text: "Audit", isOn: isAudit, href: to("logs", [], { tab: "audit" }) },
        ],
      }),
    ),
    isAudit ? AuditLog() : [Search(), route.query.request ? OneRequest(route.query.request) : Requests()],
  ];
}

function Search() {
  const state = draft("logs", () => ({ request: "" }));
  const shown = route.query.request ?? "";
  if (state.of !== shown) Object.assign(state, { of: shown, request: shown });
  return h(
    Pane,
    { key: "search" },
    h(
      Form,
      { class: "body", onsend: () => ask(state.request.trim()) },
      h(
        "div.line",
        null,
        h(Field, {
          label: "Request ID",
          wide: true,
          value: state.request,
          oninput: into(state, "request"),
          placeholder: "from an error's uuid or X-Apple-Request-UUID",
        }),
        h(Button, { kind: "primary", icon: "search", type: "submit" }, "Search"),
        !shown && h(UserPicker, {
          label: "By",
          icon: "user",
          value: route.query.user ?? "",
          options: [["", "everybody"], ...userNames().map((name) => [name, name])],
          onchange: (event) => go(withQuery({ user: event.target.value, before: "", sel: "" })),
        }),
        !shown && h(Check, {
          label: "Failed only",
          checked: route.query.failed === "true",
          onchange: (event) => go(withQuery({ failed: event.target.checked ? "true" : "", before: "", sel: "" })),
        }),
        !shown && h(Check, {
          label: "Apps only",
          checked: route.query.route === "/database",
          onchange: (event) => go(withQuery({ route: event.target.checked ? "/database" : "", before: "", sel: "" })),
        }),
      ),
    ),
  );
}

/** Without an ID the list stays as it is filtered. */
const ask = (request) => go(request === "" ? withQuery({ request }) : to("logs", [], { request }));

function Requests() {
  const query = new URLSearchParams({ limit: String(limit) });
  for (const name of ["user", "failed", "route", "before"]) if (route.query[name]) query.set(name, route.query[name]);
  const entry = paged(`/_brume/admin/logs?${query}`);
  const chosen = chosenLine(entry.value?.log, "log", (position) => `/_brume/admin/logs?limit=1&before=${position + 1}`);
  return Beside(
    h(
      Pane,
      { class: "fill", key: "requests", foot: entry.value && Foot(entry.value) },
      Loaded(entry, ({ log }) =>
        log.length === 0
          ? Nothing()
          : h(Table, {
              label: "Requests, newest first",
              columns,
              rows: log,
              id: (line) => String(line.position),
              chosen: route.query.sel,
              onopen: (line) => go(withQuery({ sel: String(line.position) })),
            })),
    ),
    chosen && RequestLine(chosen, () => go(withQuery({ sel: "" }))),
  );
}

const Foot = ({ next, since }) =>
  h(Pages, {
    text: since ? `newest first; this server remembers requests since ${moment(since)}` : "newest first",
    ...turn("before", next, { sel: "" }),
  });

const Nothing = () =>
  route.query.before
    ? NothingOlder()
    : ["user", "failed", "route"].some((name) => route.query[name])
    ? Empty("No such request", h(Button, { icon: "close", onclick: () => go(to("logs")) }, "Show all"), "logs")
    : Empty("Nothing was asked of this server since it began", undefined, "logs");
