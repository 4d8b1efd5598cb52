// One user: devices in this container, a token, a new password, the end of all sessions.

import { call, refresh, remote } from "../core/calls.js";
import { admin, place } from "../core/places.js";
import { h } from "../core/render.js";
import { go, to } from "../core/router.js";
import { draft, drop, into, say, update } from "../core/state.js";
import { exactly, plural } from "../core/words.js";
import { Button, CopyButton, Field } from "../parts/controls.js";
import { confirm, showOnce } from "../parts/dialogs.js";
import { Facts, Form, Inspector } from "../parts/layout.js";
import { Badge, Loaded, Wrong } from "../parts/states.js";
import { counted, Quota, stored } from "./usage-storage.js";

export const OneUser = (user) =>
  h(
    Inspector,
    {
      key: "user-" + user.name,
      title: user.name,
      note: h("code", null, user.recordName),
      onclose: () => go(to("users")),
      actions: h(CopyButton, { text: user.recordName, what: "the record name", kind: "quiet" }),
    },
    h(
      "div",
      null,
      Facts([
        ["E-mail", user.email],
        ["Phone", user.phone],
        ["Signs in with", user.password ? "a password" : "a token"],
        ["Last seen", user.lastUsed ? exactly(user.lastUsed) : "not since this server counts"],
        ...Stored(user),
      ]),
      h(
        "div.line",
        null,
        h(Button, { icon: "key", onclick: () => makeToken(user) }, "Make a token"),
        h(Button, { kind: "danger", icon: "door", onclick: () => signOut(user) }, "Sign out"),
      ),
    ),
    Devices(user),
    Password(user),
  );

/** What the user stores, and of which quota. */
function Stored(user) {
  const query = new URLSearchParams({ user: user.name });
  const answer = remote(`/_brume/admin/usage/storage?${query}`).value;
  const found = answer?.users.find((row) => row.user === user.name);
  if (!found) return [];
  return [
    ["Stores", `${counted(found)} records, ${stored(found)}`],
    ["Quota", answer.quota === undefined ? "none: as much as the disk holds" : Quota(found.bytes, answer.quota)],
  ];
}

const Devices = (user) =>
  h(
    "div",
    null,
    h("h3", null, "Devices here"),
    Loaded(remote(admin("devices", { user: user.name })), ({ devices }) =>
      devices.length === 0
        ? h("p.note", null, `${user.name} has no device in this container and environment.`)
        : h(
            "ul.plain",
            null,
            devices.map((device) =>
              h(
                "li",
                { key: device.device },
                h("span", null, h("b", null, device.device), ` · ${device.channel}`),
                device.waiting > 0
                  ? h(Badge, { kind: "wait" }, `${device.waiting} waiting`)
                  : h("span.note", null, "nothing waits"),
              )),
          )),
  );

function Password(user) {
  const state = draft("users.password." + user.name, () => ({ password: "", error: undefined }));
  const send = async () => {
    try {
      await call("/_brume/admin/users/change", { user: user.name, password: state.password });
      drop("users.password." + user.name);
      say(`${user.name} has a new password; open sessions have ended`);
      refresh();
    } catch (error) {
      state.error = error;
      update();
    }
  };
  return h(
    Form,
    { key: "password", onsend: send },
    h(Field, {
      label: "New password",
      type: "password",
      autocomplete: "new-password",
      value: state.password,
      oninput: into(state, "password"),
      note: "Ends the sessions of before.",
    }),
    Wrong(state.error),
    h("div.line", null, h(Button, { type: "submit", disabled: state.password === "" }, "Set password")),
  );
}

async function makeToken(user) {
  try {
    const made = await call(`/_brume/admin/users/token?${place()}`, { user: user.name });
    showOnce({
      title: `Token of ${user.name}`,
      note: "It signs in as this user for two weeks, in this container and environment. It is not shown again.",
      secret: made.token,
      what: "the token",
    });
  } catch (error) {
    say(error.message, true);
  }
}

function signOut(user) {
  const devices = remote(admin("devices", { user: user.name })).value?.devices.length;
  const again = devices === undefined ? "" : `, and ${plural(devices, "device")} here must sign in again`;
  confirm({
    title: `Sign ${user.name} out everywhere`,
    word: user.name,
    button: "Sign out",
    loses: `All tokens of ${user.name} end at once${again}. Nothing stored is lost.`,
    act: () => call("/_brume/admin/users/signout", { user: user.name }).then(refresh),
    done: `${user.name} is signed out`,
  });
}
