// Push: compose one and send it to a user's devices; below, what was sent to whom and what became of it.

import { call, refresh, remote } from "../core/calls.js";
import { h } from "../core/render.js";
import { go, route, to, withQuery } from "../core/router.js";
import { admin, place } from "../core/places.js";
import { say } from "../core/state.js";
import { exactly, moment, plural, short } from "../core/words.js";
import { Button, CopyButton } from "../parts/controls.js";
import { Beside, Facts, Head, Inspector, Pane } from "../parts/layout.js";
import { Badge, Empty, Loaded } from "../parts/states.js";
import { chosenLine, Table } from "../parts/table.js";
import { Composer } from "./push-composer.js";
import { Senders } from "./push-senders.js";

export const page = {
  name: "push",
  title: "Push",
  icon: "push",
  isLive: true,
  view,
  keys: () => ({ n: ["Write a push", () => document.getElementById("field-text")?.focus()] }),
};

const filters = ["user", "device", "notification", "request"];

function view() {
  const filter = Object.fromEntries(filters.map((name) => [name, route.query[name]]));
  const log = remote(admin("push/log", { ...filter, limit: 200 }));
  const lines = [...(log.value?.log ?? [])].reverse();
  const chosen = chosenLine(
    log.value?.log,
    "log",
    (position) => admin("push/log", { before: position + 1, limit: 1 }),
  );
  return [
    h(Head, {
      title: "Push",
      note: "what reaches a user's devices, and what became of it",
      actions: lines.some(isToBeRetried) && h(Button, { icon: "retry", onclick: () => retry({}) }, "Send what failed again"),
    }),
    Composer(),
    Senders(),
    Beside(
      h(
        Pane,
        {
          class: "fill",
          key: "log",
          title: "Log",
          note: "what was sent to whom, and the answer; newest first",
          actions: filters.filter((name) => filter[name]).map((name) =>
            h(
              Button,
              { key: name, class: "small", icon: "close", onclick: () => go(withQuery({ [name]: "" })) },
              `${name} ${short(filter[name], 12)}`,
            )),
        },
        Loaded(log, () =>
          lines.length === 0
            ? Nothing(filter)
            : h(Table, {
                label: "Pushes that were sent",
                columns,
                rows: lines,
                id: (line) => String(line.position),
                chosen: route.query.sel,
                onopen: (line) => go(withQuery({ sel: String(line.position) })),
              })),
      ),
      chosen && Line(chosen),
    ),
  ];
}

/** Whether somebody may have it sent again before its time. */
const isToBeRetried = (line) => line.verdict === "retry";

/** Has what failed sent again now, to all or to one; the log shows what becomes of it. */
async function retry(whom) {
  try {
    const { retried } = await call(`/_brume/admin/push/retry?${place()}`, whom);
    say(retried > 0 ? `Sending again to ${plural(retried, "receiver")}` : "Nothing waits after a failure any more");
    refresh();
  } catch (error) {
    say(error.message, true);
  }
}

const Nothing = (filter) =>
  filters.some((name) => filter[name])
    ? Empty("Nothing was sent for this", h(Button, { onclick: () => go(to("push")) }, "Show everything"), "push")
    : Empty("Nothing was sent yet", undefined, "push");

const kinds = {
  sent: "ok",
  retry: "wait",
  gone: "bad",
  refused: "bad",
  failed: "bad",
  withdrawn: "off",
  expired: "off",
  removed: "off",
};

export const columns = [
  { title: "Time", class: "narrow", cell: (line) => h("span", { title: exactly(line.time) }, moment(line.time)) },
  { title: "To", cell: (line) => h("b", null, line.user ?? "webhook") },
  { title: "Device", cell: (line) => h("code", { title: line.device }, short(line.device, 16)) },
  { title: "Way", cell: (line) => line.channel },
  { title: "Verdict", cell: (line) => h(Badge, { kind: kinds[line.verdict] ?? "info" }, line.verdict) },
  { title: "Because", cell: (line) => line.reason || (line.status ? `answered ${line.status}` : "–") },
  { title: "Subscription", cell: (line) => line.subscription || "–" },
];

const Line = (line) =>
  h(
    Inspector,
    {
      key: "line",
      title: `${line.verdict}, ${line.channel}`,
      note: moment(line.time),
      onclose: () => go(withQuery({ sel: "" })),
      actions: [
        isToBeRetried(line) &&
          h(Button, { key: "again", icon: "retry", onclick: () => retry({ user: line.user, device: line.device }) }, "Send again now"),
        h(CopyButton, { key: "link", text: location.href, what: "the link", kind: "quiet" }),
      ],
    },
    h(
      "div",
      null,
      Facts([
        ["To", line.user && h("a", { href: to("users", [line.user]) }, line.user)],
        ["Device", h("code", null, line.device)],
        ["Answer", line.status],
        ["Because", line.reason],
        ["Attempt", line.attempt],
        ["Subscription", line.subscription],
        ["Change", line.change],
        [
          "Notification",
          h("a", { href: to("push", [], { notification: line.notification }) }, h("code", null, line.notification)),
        ],
        ["Request", h("a", { href: to("logs", [], { request: line.request }) }, h("code", null, line.request))],
        [
          "Trace",
          line.user &&
            line.subscription &&
            h("a", { href: to("trace", [], { request: line.request, user: line.user, device: line.device }) }, "why it came or not"),
        ],
        ["Time", exactly(line.time)],
      ]),
    ),
  );
