// The tab of users: the table, a new user. One user in the inspector is users-one.js.

import { call, refresh, remote } from "../core/calls.js";
import { h } from "../core/render.js";
import { go, route, to, unlessLeft } from "../core/router.js";
import { draft, drop, into, say, update } from "../core/state.js";
import { short } from "../core/words.js";
import { Button, Check, Field } from "../parts/controls.js";
import { Beside, Form, Inspector, Pane } from "../parts/layout.js";
import { Empty, Loaded, Wrong } from "../parts/states.js";
import { Table } from "../parts/table.js";
import { OneUser } from "./users-one.js";
import { lastUse } from "./users-tokens.js";

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
      h(
        Pane,
        { class: "fill", key: "users" },
        users.length === 0
          ? Empty("No users", h(Button, { icon: "plus", onclick: begin }, "Make the first one"), "users")
          : h(Table, {
              label: "Users",
              // Beside the inspector there is room for what distinguishes users.
              columns: chosen || route.query.new ? columns.slice(0, 4) : columns,
              rows: users,
              id: (user) => user.name,
              chosen: chosen?.name,
              onopen: (user) => go(to("users", [user.name])),
            }),
      ),
      route.query.new ? NewUser() : chosen && OneUser(chosen),
    );
  });

const columns = [
  { title: "Name", cell: (user) => h("b", null, user.name) },
  { title: "E-mail", cell: (user) => user.email ?? "–" },
  { title: "Signs in with", cell: (user) => (user.password ? "a password" : "a token") },
  { title: "Last seen", cell: (user) => lastUse(user) },
  { title: "Discoverable", cell: (user) => (user.discoverable ? "yes" : "no") },
  { title: "Record name", cell: (user) => h("code", { title: user.recordName }, short(user.recordName, 16)) },
];

function NewUser() {
  const state = draft("users.new", blank);
  const send = async () => {
    const stays = unlessLeft();
    try {
      await call(path, {
        name: state.name.trim(),
        password: state.password || undefined,
        email: state.email || undefined,
        discoverable: state.isDiscoverable,
      });
      const name = state.name.trim();
      drop("users.new");
      say(`${name} is a user now`);
      refresh();
      stays(() => go(to("users", [name])));
    } catch (error) {
      state.error = error;
      update();
    }
  };
  return h(
    Inspector,
    {
      key: "new",
      title: newTitle,
      note: h("code", null, `brume user create ${state.name || "NAME"}`),
      onclose: () => (drop("users.new"), shut()),
    },
    h(
      Form,
      { onsend: send },
      h(Field, {
        label: "Name",
        value: state.name,
        oninput: into(state, "name"),
        created: (element) => element.focus(),
      }),
      h(Field, {
        label: "Password",
        type: "password",
        autocomplete: "new-password",
        value: state.password,
        oninput: into(state, "password"),
        note: "Without one the user signs in with tokens that you make.",
      }),
      h(Field, {
        label: "E-mail",
        value: state.email,
        oninput: into(state, "email"),
        note: "By which others may invite the user.",
      }),
      h(Check, {
        label: "Others may find the user by it",
        checked: state.isDiscoverable,
        onchange: into(state, "isDiscoverable"),
      }),
      Wrong(state.error),
      h(
        "div.line",
        null,
        h(Button, { kind: "primary", type: "submit", disabled: state.name.trim() === "" }, "Create user"),
      ),
    ),
  );
}
