// The tab of users: the table, one user in the inspector, a new user.

import { call, refresh, remote } from "../core/calls.js";
import { h } from "../core/render.js";
import { go, route, to } from "../core/router.js";
import { draft, drop, into, say, update } from "../core/state.js";
import { admin, place } from "../core/places.js";
import { plural } from "../core/words.js";
import { Button, Check, CopyButton, Field } from "../parts/controls.js";
import { confirm, showOnce } from "../parts/dialogs.js";
import { Beside, Facts, Form, Inspector, Pane } from "../parts/layout.js";
import { Badge, Empty, Loaded, Wrong } from "../parts/states.js";
import { Table } from "../parts/table.js";

export const title = "Users";
export const newTitle = "New user";
const blank = () => ({ name: "", password: "", email: "", isDiscoverable: true, error: undefined });

export const begin = () => go(to("users", [], { new: "1" }));
export const Actions = () => h(Button, { kind: "primary", icon: "plus", onclick: begin }, newTitle);

const path = "/_brume/admin/users";
const shut = () => go(to("users"));

export const View = () =>
  Loaded(remote(path), ({ users }) => {
    const chosen = users.find((user) => user.name === route.path[0]);
    return Beside(
      h(Pane, { class: "fill", key: "users" },
        users.length === 0
          ? Empty("No users", h(Button, { icon: "plus", onclick: begin }, "Make the first one"), "users")
          : h(Table, { label: "Users", columns, rows: users, id: (user) => user.name, chosen: chosen?.name,
            onopen: (user) => go(to("users", [user.name])) })),
      route.query.new ? NewUser() : chosen && OneUser(chosen));
  });

const columns = [
  { title: "Name", cell: (user) => h("b", null, user.name) },
  { title: "E-mail", cell: (user) => user.email ?? "–" },
  { title: "Signs in with", cell: (user) => (user.password ? "a password" : "a token") },
  { title: "Discoverable", cell: (user) => (user.discoverable ? "yes" : "no") },
  { title: "Record name", cell: (user) => h("code", null, user.recordName) },
];

function NewUser() {
  const state = draft("users.new", blank);
  const send = async () => {
    try {
      await call(path, { name: state.name.trim(), password: state.password || undefined, email: state.email || undefined, discoverable: state.isDiscoverable });
      const name = state.name.trim();
      drop("users.new");
      say(`${name} is a user now`);
      refresh();
      go(to("users", [name]));
    } catch (error) {
      state.error = error;
      update();
    }
  };
  return h(Inspector, { key: "new", title: newTitle, note: h("code", null, `brume user create ${state.name || "NAME"}`), onclose: () => (drop("users.new"), shut()) },
    h(Form, { onsend: send },
      h(Field, { label: "Name", value: state.name, oninput: into(state, "name"), created: (element) => element.focus() }),
      h(Field, { label: "Password", type: "password", autocomplete: "new-password", value: state.password, oninput: into(state, "password"), note: "Without one the user signs in with tokens that you make." }),
      h(Field, { label: "E-mail", value: state.email, oninput: into(state, "email"), note: "By which others may invite the user." }),
      h(Check, { label: "Others may find the user by it", checked: state.isDiscoverable, onchange: into(state, "isDiscoverable") }),
      Wrong(state.error),
      h("div.line", null, h(Button, { kind: "primary", type: "submit", disabled: state.name.trim() === "" }, "Create user"))));
}

const OneUser = (user) =>
  h(Inspector, { key: "user-" + user.name, title: user.name, note: h("code", null, user.recordName), onclose: shut,
    actions: h(CopyButton, { text: user.recordName, what: "the record name", kind: "quiet" }) },
    h("div", null, Facts([["E-mail", user.email], ["Phone", user.phone], ["Signs in with", user.password ? "a password" : "a token"]]),
      h("div.line", null, h(Button, { icon: "key", onclick: () => makeToken(user) }, "Make a token"),
        h(Button, { kind: "danger", icon: "door", onclick: () => signOut(user) }, "Sign out"))),
    Devices(user), Password(user));

const Devices = (user) =>
  h("div", null, h("h3", null, "Devices here"),
    Loaded(remote(admin("devices", { user: user.name })), ({ devices }) =>
      devices.length === 0
        ? h("p.note", null, `${user.name} has no device in this container and environment.`)
        : h("ul.plain", null, devices.map((device) =>
          h("li", { key: device.device }, h("span", null, h("b", null, device.device), ` · ${device.channel}`),
            device.waiting > 0 ? h(Badge, { kind: "wait" }, `${device.waiting} waiting`) : h("span.note", null, "nothing waits"))))));

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
  return h(Form, { key: "password", onsend: send },
    h(Field, { label: "New password", type: "password", autocomplete: "new-password", value: state.password, oninput: into(state, "password"), note: "Ends the sessions of before." }),
    Wrong(state.error),
    h("div.line", null, h(Button, { type: "submit", disabled: state.password === "" }, "Set password")));
}

async function makeToken(user) {
  try {
    const made = await call(`/_brume/admin/users/token?${place()}`, { user: user.name });
    showOnce({ title: `Token of ${user.name}`, note: "It signs in as this user for two weeks, in this container and environment. It is not shown again.", secret: made.token, what: "the token" });
  } catch (error) {
    say(error.message, true);
  }
}

function signOut(user) {
  const devices = remote(admin("devices", { user: user.name })).value?.devices.length;
  confirm({
    title: `Sign ${user.name} out everywhere`, word: user.name, button: "Sign out",
    loses: `All tokens of ${user.name} end at once${devices === undefined ? "" : `, and ${plural(devices, "device")} here must sign in again`}. Nothing stored is lost.`,
    act: () => call("/_brume/admin/users/signout", { user: user.name }).then(refresh), done: `${user.name} is signed out`,
  });
}
