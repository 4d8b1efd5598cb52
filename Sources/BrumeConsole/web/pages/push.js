// Push: compose one and send it to a user's devices; below, what was sent to whom and what became of it.

import { call, refresh, remote } from "../core/calls.js";
import { h } from "../core/render.js";
import { go, route, to, withQuery } from "../core/router.js";
import { draft, into, say, update } from "../core/state.js";
import { admin, place, userNames } from "../core/places.js";
import { exactly, moment, plural, short } from "../core/words.js";
import { Button, CopyButton, Field, Picker } from "../parts/controls.js";
import { Beside, Facts, Form, Head, Inspector, Pane } from "../parts/layout.js";
import { Badge, Empty, Loaded, Wrong } from "../parts/states.js";
import { Table } from "../parts/table.js";

export const page = {
  name: "push", title: "Push", icon: "push", isLive: true, view,
  keys: () => ({ n: ["Write a push", () => document.getElementById("field-text")?.focus()] }),
};

const filters = ["user", "device", "notification", "request"];

function view() {
  const filter = Object.fromEntries(filters.map((name) => [name, route.query[name]]));
  const log = remote(admin("push/log", { ...filter, limit: 200 }));
  const lines = [...(log.value?.log ?? [])].reverse();
  const chosen = lines.find((line) => String(line.position) === route.query.sel);
  return [
    h(Head, { title: "Push", note: "Tries what reaches a user's devices. Streams and polls answer for themselves; the log has what was sent outside." }),
    Composer(),
    Beside(
      h(Pane, { class: "fill", key: "log", title: "Sent outside", note: "APNs, Web Push and webhooks, newest first",
        actions: filters.filter((name) => filter[name]).map((name) =>
          h(Button, { key: name, class: "small", icon: "close", onclick: () => go(withQuery({ [name]: "" })) }, `${name} ${short(filter[name], 12)}`)) },
        Loaded(log, () => lines.length === 0 ? Nothing(filter) : h(Table, {
          label: "Pushes that were sent outside", columns, rows: lines, id: (line) => String(line.position),
          chosen: route.query.sel, onopen: (line) => go(withQuery({ sel: String(line.position) })) }))),
      chosen && Line(chosen)),
  ];
}

const Nothing = (filter) =>
  filters.some((name) => filter[name])
    ? Empty("Nothing was sent for this", h(Button, { onclick: () => go(to("push")) }, "Show everything"), "push")
    : Empty("Nothing was sent outside yet: no device has an address of APNs or Web Push, and no webhook is called", undefined, "push");

const kinds = { sent: "ok", retry: "wait", gone: "bad", refused: "bad", failed: "bad", withdrawn: "off", expired: "off", removed: "off" };

const columns = [
  { title: "Time", class: "narrow", cell: (line) => h("span", { title: exactly(line.time) }, moment(line.time)) },
  { title: "To", cell: (line) => h("b", null, line.user ?? "webhook") },
  { title: "Device", cell: (line) => h("code", { title: line.device }, short(line.device, 16)) },
  { title: "Way", cell: (line) => line.channel },
  { title: "Verdict", cell: (line) => h(Badge, { kind: kinds[line.verdict] ?? "info" }, line.verdict) },
  { title: "Because", cell: (line) => line.reason || (line.status ? `answered ${line.status}` : "–") },
  { title: "Subscription", cell: (line) => line.subscription || "–" },
];

const Line = (line) =>
  h(Inspector, { key: "line", title: `${line.verdict}, ${line.channel}`, note: moment(line.time), onclose: () => go(withQuery({ sel: "" })),
    actions: h(CopyButton, { text: location.href, what: "the link", kind: "quiet" }) },
    h("div", null, Facts([
      ["To", line.user && h("a", { href: to("users", [line.user]) }, line.user)], ["Device", h("code", null, line.device)],
      ["Answer", line.status], ["Because", line.reason], ["Attempt", line.attempt],
      ["Subscription", line.subscription], ["Change", line.change],
      ["Notification", h("a", { href: to("push", [], { notification: line.notification }) }, h("code", null, line.notification))],
      ["Request", h("a", { href: to("push", [], { request: line.request }) }, h("code", null, line.request))],
      ["Time", exactly(line.time)],
    ])));

// MARK: Composer

function Composer() {
  const state = draft("push", () => ({ user: "", text: "A test push from Brume", sent: undefined, error: undefined, isBusy: false }));
  const users = userNames();
  if (!users.includes(state.user)) state.user = users[0] ?? "";
  const devices = state.user ? remote(admin("devices", { user: state.user })).value?.devices : undefined;
  const preview = state.user && remote(admin("push/preview"), { user: state.user, text: state.text });
  return h(Pane, { key: "composer", class: "composer" },
    h(Form, { class: "body", onsend: () => send(state) },
      h("div.line", null,
        h(Picker, { label: "To", icon: "user", value: state.user, options: users, onchange: into(state, "user") }),
        h(Field, { label: "Text", wide: true, value: state.text, oninput: into(state, "text") }),
        h(Button, { kind: "primary", icon: "push", type: "submit", disabled: state.isBusy || !state.user || devices?.length === 0 }, "Send")),
      h("p.note", null, !devices ? "" : devices.length === 0 ? `${state.user} has no device here; open a stream first: brume push tail --user ${state.user}`
        : `To ${plural(devices.length, "device")}: ${devices.map((device) => `${device.device} (${device.channel})`).join(", ")}`),
      Wrong(state.error),
      state.sent && h("p.ok", { role: "status" }, sentence(state.sent))),
    preview && Payload(preview));
}

/** The server makes it, so it is what the device would get. */
const Payload = (entry) =>
  entry.value?.payload && h("details", { key: "payload" },
    h("summary", null, "Payload as sent", h("span.note", null, ` · ${entry.value.bytes} of ${entry.value.mostBytes} bytes${entry.value.cut ? ", cut to fit" : ""}`)),
    h("pre.lines", { tabindex: 0 }, JSON.stringify(entry.value.payload, null, 2)));

const sentence = (sent) =>
  `In the mailboxes of ${plural(sent.devices, "device")}${sent.full > 0 ? `; ${plural(sent.full, "mailbox", "mailboxes")} full` : ""}, notification ${sent.notification}`;

async function send(state) {
  Object.assign(state, { isBusy: true, error: undefined, sent: undefined });
  update();
  try {
    state.sent = await call(`/_brume/admin/push?${place()}`, { user: state.user, text: state.text });
    say(sentence(state.sent));
    refresh();
  } catch (error) {
    state.error = error;
  }
  state.isBusy = false;
  update();
}
