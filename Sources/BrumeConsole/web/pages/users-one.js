// One user: devices in this container, a token, the end of all sessions, and deletion with what that touches. What is
// known of the user is changed in users-change.js.

import { call, refresh, remote } from "../core/calls.js";
import { admin, place } from "../core/places.js";
import { h } from "../core/render.js";
import { go, to } from "../core/router.js";
import { say, sendOnce } from "../core/state.js";
import { exactly, plural } from "../core/words.js";
import { Button, CopyButton } from "../parts/controls.js";
import { confirm, showOnce } from "../parts/dialogs.js";
import { Facts, Inspector } from "../parts/layout.js";
import { Badge, Loaded } from "../parts/states.js";
import { counted, Quota, stored } from "./usage-storage.js";
import { Change } from "./users-change.js";
import { ExportButton } from "./users-export.js";

/** `onclose` leads back to the list as it was. */
export const OneUser = (user, onclose) =>
  h(
    Inspector,
    {
      key: "user-" + user.name,
      title: user.name,
      note: h("code", null, user.recordName),
      onclose,
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
        h(Button, { icon: "key", onclick: () => sendOnce(making, () => makeToken(user)) }, "Make a token"),
        h(ExportButton, { user: user.name }),
        h(Button, { kind: "danger", icon: "door", onclick: () => signOut(user) }, "Sign out"),
        h(Button, { kind: "danger", icon: "trash", onclick: () => remove(user) }, "Delete…"),
      ),
    ),
    Devices(user),
    Change(user),
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

const making = {};

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

/** Says first what would go, as the server counts it. */
async function remove(user) {
  try {
    const report = await call("/_brume/admin/users/delete", { user: user.name, dryRun: true });
    confirm({
      title: `Delete ${user.name}`,
      word: user.name,
      button: "Delete",
      loses: `${user.name} and all that ${user.name} owns is gone for good: ${gone(report)}. Public records that ${user.name} made stay.`,
      act: () => call("/_brume/admin/users/delete", { user: user.name }).then(() => (go(to("users"), true), refresh())),
      done: `${user.name} is deleted`,
    });
  } catch (error) {
    say(error.message, true);
  }
}

const parts = [
  ["zones", "zone"],
  ["subscriptions", "subscription"],
  ["devices", "device"],
  ["waiting", "waiting push", "waiting pushes"],
  ["roles", "role"],
  ["participants", "other user loses a shared zone", "other users lose shared zones"],
  ["joinedShares", "share of others is left", "shares of others are left"],
];

/** What goes, place by place. */
const gone = ({ containers }) =>
  containers.map((place) => {
    const counts = parts.filter(([name]) => place[name] > 0).map(([name, ...nouns]) => plural(place[name], ...nouns));
    return `in ${place.container}, ${place.environment}, ${counts.join(", ") || "nothing"}`;
  }).join("; ") || "there is nothing but the account";
