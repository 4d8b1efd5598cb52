// What is asked of a trace: about which record or request, for which user, for which of the user's devices.

import { remote } from "../core/calls.js";
import { admin, userNames } from "../core/places.js";
import { h } from "../core/render.js";
import { go, to, withQuery } from "../core/router.js";
import { draft, into } from "../core/state.js";
import { Button, Field, Picker } from "../parts/controls.js";
import { Form, Pane } from "../parts/layout.js";
import { UserPicker } from "../parts/users.js";

/** The question in fields; `trace` is the last answer, whose devices can be picked too. */
export function Question(question, trace) {
  const asked = question.record ?? question.request ?? "";
  const zone = question.zone ?? "";
  // Who comes with another question finds that one in the field.
  const state = draft(`trace ${asked} ${zone}`, () => ({ text: asked, zone }));
  return h(
    Pane,
    { key: "question", class: "question" },
    h(
      Form,
      { class: "body", onsend: () => ask(state, question) },
      h(
        "div.line",
        null,
        h(Field, {
          label: "Record or request ID",
          wide: true,
          value: state.text,
          oninput: into(state, "text"),
          placeholder: "a record name, or the ID of a request",
        }),
        h(Field, { label: "Zone", value: state.zone, oninput: into(state, "zone"), placeholder: "_defaultZone" }),
        h(UserPicker, {
          label: "For",
          icon: "user",
          value: question.user ?? "",
          options: [["", "everybody"], ...userNames().map((name) => [name, name])],
          onchange: (event) => go(withQuery({ user: event.target.value, device: "", sel: "" })),
        }),
        (question.user || question.device) && h(Picker, {
          label: "Device",
          icon: "devices",
          value: question.device ?? "",
          options: devices(question, trace),
          onchange: (event) => go(withQuery({ device: event.target.value, sel: "" })),
        }),
        h(Button, { type: "submit", disabled: state.text.trim() === "" }, "Ask"),
      ),
    ),
  );
}

function ask(state, { user, device }) {
  const text = state.text.trim();
  const isRequest = /^[0-9A-F]{8}-[0-9A-F-]{27}$/i.test(text) && !state.zone;
  const zone = isRequest ? "" : state.zone.trim();
  go(to("trace", [], { [isRequest ? "request" : "record"]: text, zone, user, device }));
}

/** The user's devices, and those that are none any more: of what was sent, of the answer, and the one that is asked about. */
function devices({ user, device }, trace) {
  const known = user && remote(admin("devices", { user })).value?.devices;
  const registered = names(known);
  const sent = names(user && remote(admin("push/log", { user, limit: 200 })).value?.log);
  const traced = names(
    trace?.subscriptions.filter((item) => !user || item.user === user).flatMap((item) => item.devices),
  );
  const gone = new Set([...traced, ...sent, device].filter((name) => name && !registered.includes(name)));
  return [
    ["", "any device"],
    ...registered.map((name) => [name, name]),
    ...[...gone].map((name) => [name, known ? `${name}, not signed in` : name]),
  ];
}

const names = (list) => (list || []).filter(({ channel }) => channel !== "webhook").map(({ device }) => device);
