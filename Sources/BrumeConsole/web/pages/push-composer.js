// The composer of a push: to whom, which text, what exactly would be sent, and what became of it.

import { call, refresh, remote } from "../core/calls.js";
import { admin, chosenUser, place, placeFlags, userNames } from "../core/places.js";
import { h } from "../core/render.js";
import { draft, into, say, sendOnce } from "../core/state.js";
import { plural } from "../core/words.js";
import { Button, Field } from "../parts/controls.js";
import { Form, Pane } from "../parts/layout.js";
import { Wrong } from "../parts/states.js";
import { UserPicker } from "../parts/users.js";

export function Composer() {
  const state = draft("push", () => ({
    user: "",
    text: "A test push from Brume",
    sent: undefined,
    error: undefined,
    isBusy: false,
  }));
  const users = userNames();
  state.user = chosenUser(state.user, users);
  const devices = state.user ? remote(admin("devices", { user: state.user })).value?.devices : undefined;
  const preview = state.user && remote(admin("push/preview"), { user: state.user, text: state.text });
  return h(
    Pane,
    { key: "composer", class: "composer" },
    h(
      Form,
      { class: "body", onsend: () => send(state) },
      h(
        "div.line",
        null,
        h(UserPicker, { label: "To", icon: "user", value: state.user, options: users, onchange: into(state, "user") }),
        h(Field, { label: "Text", wide: true, value: state.text, oninput: into(state, "text") }),
        h(
          Button,
          {
            kind: "primary",
            icon: "push",
            type: "submit",
            disabled: state.isBusy || !state.user || devices?.length === 0,
          },
          "Send",
        ),
      ),
      h(
        "p.note",
        null,
        !devices
          ? ""
          : devices.length === 0
          ? `${state.user} has no device here; open a stream first: brume push tail --user ${state.user}${placeFlags()}`
          : `To ${plural(devices.length, "device")}: ${devices.map((device) => `${device.device} (${device.channel})`).join(", ")}`,
      ),
      Wrong(state.error),
      state.sent && h("p.ok", { role: "status" }, sentence(state.sent)),
    ),
    preview && Payload(preview, state.text),
  );
}

/** The server makes it, so it is what the device would get. */
const Payload = (entry, text) =>
  entry.value?.payload && h(
    "details",
    { key: "payload" },
    h(
      "summary",
      null,
      "Payload as sent",
      h(
        "span.note",
        null,
        ` · ${entry.value.bytes} of ${entry.value.mostBytes} bytes${entry.value.cut ? `, ${cut(entry.value.payload, text)}` : ""}`,
      ),
    ),
    h("pre.lines", { tabindex: 0 }, JSON.stringify(entry.value.payload, null, 2)),
  );

/** What of the text is not sent, because a payload has a bound. */
function cut(payload, text) {
  const sent = payload.aps?.alert?.body;
  return sent ? `the text is cut to ${[...sent].length} of its ${[...text].length} characters` : "the text is left out";
}

function sentence(sent) {
  const full = sent.full > 0 ? `; ${plural(sent.full, "mailbox", "mailboxes")} full` : "";
  return `In the mailboxes of ${plural(sent.devices, "device")}${full}, notification ${sent.notification}`;
}

const send = (state) =>
  sendOnce(state, async () => {
    state.sent = undefined;
    state.sent = await call(`/_brume/admin/push?${place()}`, { user: state.user, text: state.text });
    say(sentence(state.sent));
    refresh();
  });
