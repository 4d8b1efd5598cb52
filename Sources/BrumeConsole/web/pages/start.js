// Start: is the server well, and how do I connect? Figures, the environment of a client, a first program,
// and what comes next.

import { call, remote } from "../core/calls.js";
import { health } from "../core/health.js";
import { admin } from "../core/places.js";
import { h } from "../core/render.js";
import { route, withQuery } from "../core/router.js";
import { moment, number } from "../core/words.js";
import { Button, Code, CopyButton, Tabs } from "../parts/controls.js";
import { Head, Pane } from "../parts/layout.js";
import { Loaded } from "../parts/states.js";
import { draft, update } from "../core/state.js";
import { Containers } from "./start-containers.js";
import { Next, Stored } from "./start-next.js";
import { languages, program } from "./start-programs.js";

export const page = { name: "start", title: "Start", icon: "start", view };

function view() {
  return [
    h(Head, {
      title: "Start",
      note: health.status && `${location.host}, ${health.status.store}${health.status.dev ? ", development" : ""}`,
    }),
    Figures(),
    h(
      "div.columns",
      { key: "columns" },
      h("div.stack", null, Connect(), Environment()),
      h("div.stack", null, Next(), Containers(), Stored()),
    ),
  ];
}

/** How it is, in figures of the server's own metrics. */
function Figures() {
  const metric = (name, turned = (value) => value) =>
    health.metrics ? number(turned(health.metrics.get(name) ?? 0)) : "–";
  const figures = [
    [
      "State",
      !health.isKnown
        ? "Asking…"
        : health.isReady
        ? h("span.ok", null, "Healthy")
        : h("span.bad", null, health.since ? `No answer since ${moment(health.since)}` : "Not ready"),
    ],
    ["Records saved", metric("brume_records_saved_total")],
    ["Position of the log", health.status ? number(health.status.logPosition) : "–"],
    ["Notifier is behind", `${metric("brume_notifier_lag_seconds", (seconds) => Math.round(1000 * seconds))} ms`],
    ["Subscriptions", metric("brume_notifier_subscriptions")],
    ["Devices listening", metric("brume_devices_listening")],
    ["Requests", metric("brume_http_requests_total")],
  ];
  return h(
    "section.pane",
    { key: "figures", "aria-label": "Health" },
    h(
      "dl.figures",
      null,
      figures.map(([name, value]) => h("div", { key: name }, h("dt", null, name), h("dd", null, value))),
    ),
  );
}

/** Whether tokens are seen. */
const shown = () => draft("start.environment", () => ({ isShown: false }));

const isSecret = (name) => /TOKEN|KEY/.test(name);
const hidden = "••••••••";

/** The text without tokens, unless somebody wants to see them. */
const masked = (text, values) =>
  shown().isShown
    ? text
    : Object.entries(values).reduce((text, [name, value]) => (value && isSecret(name) ? text.replaceAll(value, hidden) : text), text);

function Connect() {
  const own = { BRUME_CONTAINER: route.container, BRUME_ENVIRONMENT: route.environment };
  const entry = remote(admin("status"));
  const values = { ...own, ...entry.value?.environment };
  const language = route.query.client ?? "curl";
  return h(
    Pane,
    {
      key: "connect",
      title: "Connect",
      actions: h(Tabs, {
        label: "Client",
        tabs: Object.entries(languages).map(([name, text]) => ({
          text,
          isOn: name === language,
          href: withQuery({ client: name }),
        })),
      }),
    },
    // Only the browser's has values in it, which the server has to say first.
    h("div.body", null, language === "browser" && !entry.value ? Loaded(entry) : Steps(language, values)),
  );
}

const Steps = (language, values) =>
  program(language, location.origin, values).map(({ says, text }, index) =>
    h(
      "div.stack.tight",
      { key: `${language}-${index}` },
      h("p", null, says),
      h(Code, { text, shown: masked(text, values), what: "the code", label: languages[language] }),
    ));

/** The lines of a client's environment; values only when they are asked for. */
function Environment() {
  const state = shown();
  const path = admin("status");
  const text = (status) => Object.entries(status.environment).map(([name, value]) => `${name}=${value}`).join("\n");
  return h(
    Pane,
    {
      key: "environment",
      title: "Environment",
      note: "brume status --format env",
      actions: [
        h(
          Button,
          { kind: "quiet", onclick: () => ((state.isShown = !state.isShown), update()) },
          state.isShown ? "Hide values" : "Show values",
        ),
        h(CopyButton, { kind: "primary", what: "the environment", text: async () => text(await call(path)) }, "Copy"),
      ],
    },
    Loaded(remote(path), (status) =>
      h(
        "pre.lines",
        { tabindex: 0, role: "region", "aria-label": "Environment" },
        Object.entries(status.environment).map(([name, value]) =>
          h(
            "div",
            { key: name },
            h("span.name", null, name),
            "=",
            state.isShown || !isSecret(name) ? value : hidden,
          )),
      )),
  );
}
