// Start: is the server well, and how do I connect? Figures, the environment of a client, a first program,
// and what comes next.

import { call } from "../core/calls.js";
import { health } from "../core/health.js";
import { admin } from "../core/places.js";
import { h } from "../core/render.js";
import { route, to, withQuery } from "../core/router.js";
import { moment, number } from "../core/words.js";
import { remote } from "../core/calls.js";
import { Button, Code, CopyButton, LinkButton, Tabs } from "../parts/controls.js";
import { Icon } from "../parts/icons.js";
import { Head, Pane } from "../parts/layout.js";
import { Loaded, Loading } from "../parts/states.js";
import { draft, update } from "../core/state.js";
import { languages, program } from "./start-programs.js";

export const page = { name: "start", title: "Start", icon: "start", view };

function view() {
  return [
    h(Head, { title: "Start", note: health.status && `${location.host}, ${health.status.store}${health.status.dev ? ", development" : ""}` }),
    Figures(),
    h("div.columns", { key: "columns" },
      h("div.stack", null, Connect(), Environment()),
      h("div.stack", null, Next(), Stored())),
  ];
}

/** How it is, in figures of the server's own metrics. */
function Figures() {
  const metric = (name) => (health.metrics ? number(health.metrics.get(name) ?? 0) : "–");
  const figures = [
    ["State", !health.isKnown ? "Asking…" : health.isReady ? h("span.ok", null, "Healthy")
      : h("span.bad", null, health.since ? `No answer since ${moment(health.since)}` : "Not ready")],
    ["Records saved", metric("brume_records_saved_total")],
    ["Position of the log", health.status ? number(health.status.logPosition) : "–"],
    ["Notifier is behind", `${metric("brume_notifier_lag_milliseconds")} ms`],
    ["Subscriptions", metric("brume_notifier_subscriptions")],
    ["Devices listening", metric("brume_devices_listening")],
    ["Requests", metric("brume_http_requests_total")],
  ];
  return h("section.pane", { key: "figures", "aria-label": "Health" },
    h("dl.figures", null, figures.map(([name, value]) => h("div", { key: name }, h("dt", null, name), h("dd", null, value)))));
}

function Connect() {
  const language = route.query.client ?? "curl";
  return h(Pane, { key: "connect", title: "Connect",
    actions: h(Tabs, { label: "Client", tabs: Object.entries(languages).map(([name, text]) =>
      ({ text, isOn: name === language, href: withQuery({ client: name }) })) }) },
    h("div.body", null, program(language, location.origin).map(({ says, text }, index) =>
      h("div.stack.tight", { key: `${language}-${index}` }, h("p", null, says), h(Code, { text, what: "the code", label: languages[language] })))));
}

/** The lines of a client's environment; values only when they are asked for. */
function Environment() {
  const state = draft("start.environment", () => ({ isShown: false }));
  const path = admin("status");
  const text = (status) => Object.entries(status.environment).map(([name, value]) => `${name}=${value}`).join("\n");
  return h(Pane, { key: "environment", title: "Environment of a client", note: "what brume status --format env prints",
    actions: [
      h(Button, { kind: "quiet", onclick: () => ((state.isShown = !state.isShown), update()) }, state.isShown ? "Hide values" : "Show values"),
      h(CopyButton, { kind: "primary", what: "the environment", text: async () => text(await call(path)) }, "Copy"),
    ] },
    Loaded(remote(path), (status) =>
      h("pre.lines", { tabindex: 0, role: "region", "aria-label": "Environment" },
        Object.entries(status.environment).map(([name, value]) =>
          h("div", { key: name }, h("span.name", null, name), "=", state.isShown || !/TOKEN|KEY/.test(name) ? value : "••••••••")))));
}

/** What comes next, and whether it is done. */
function Next() {
  const status = health.status;
  if (!status) return h(Pane, { key: "next", title: "Next steps" }, Loading());
  const steps = [
    [status.logPosition > 0, "Save a first record", "the code beside does it", undefined],
    [status.users > 0, "Make a user", plain(status.users, "user"), to("users")],
    [status.apiTokens > 0, "Make an API token for the app", plain(status.apiTokens, "token"), to("users", [], { tab: "tokens" })],
    [(health.metrics?.get("brume_notifier_subscriptions") ?? 0) > 0, "Subscribe to changes", "a push for each change", undefined],
    [(health.metrics?.get("brume_devices_listening") ?? 0) > 0, "Send a test push", "to devices that listen", to("push")],
  ];
  return h(Pane, { key: "next", title: "Next steps" },
    h("ul.steps", null, steps.map(([isDone, title, note, href]) =>
      h("li", { key: title }, h("span", { class: isDone ? "ok" : "" }, Icon(isDone ? "ok" : "unasked")),
        h("div", null, h("p", null, title, isDone && h("span.unseen", null, ", done")), h("p.note", null, note)),
        href && h(LinkButton, { class: "small", href }, "Open")))));
}

const plain = (count, noun) => (count === 0 ? "none yet" : `${number(count)} ${noun}${count === 1 ? "" : "s"}`);

/** Where things are stored. */
const Stored = () =>
  health.status && h(Pane, { key: "stored", title: "This server" },
    h("div.body", null, h("dl.facts", null, [
      ["Address", health.status.url], ["Store", health.status.store], ["Data", h("code", null, health.status.data)],
      ["Mode", health.status.dev ? "development: ready-made users and tokens, faults on request" : "nothing is open that nobody opened"],
    ].map(([name, value]) => h("div", { key: name }, h("dt", null, name), h("dd", null, value))))));
