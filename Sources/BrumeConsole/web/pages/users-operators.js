// The tab of operators: who administers this server, with which role, and the admin tokens of their programs.

import { call, refresh, remote } from "../core/calls.js";
import { h } from "../core/render.js";
import { go, route, to, unlessLeft } from "../core/router.js";
import { draft, drop, into, say, update } from "../core/state.js";
import { moment } from "../core/words.js";
import { Button, Field, Picker } from "../parts/controls.js";
import { confirm } from "../parts/dialogs.js";
import { Beside, Form, Inspector, Pane } from "../parts/layout.js";
import { Badge, Empty, Loaded, Wrong } from "../parts/states.js";
import { Table } from "../parts/table.js";
import { AdminTokens, NewAdminToken } from "./users-admin-tokens.js";

export const title = "Operators";
export const newTitle = "New operator";
const path = "/_brume/admin/operators";
const home = () => to("users", [], { tab: "operators" });

/** Roles, and what they may do. */
export const roles = [["full", "everything"], ["read-only", "everything that only reads"]];

export const begin = () => go(to("users", [], { tab: "operators", new: "operator" }));
export const Actions = () => h(Button, { kind: "primary", icon: "plus", onclick: begin }, newTitle);

export const View = () =>
  Beside(
    [
      h(
        Pane,
        { key: "operators" },
        Loaded(remote(path), ({ operators }) =>
          operators.length === 0
            ? Empty(
                "No operators: whoever has the data folder administers the server",
                h(Button, { icon: "plus", onclick: begin }, newTitle),
                "users",
              )
            : h(Table, { label: "Operators", columns, rows: operators, id: (person) => person.name })),
      ),
      AdminTokens(),
    ],
    route.query.new === "operator"
      ? NewOperator()
      : route.query.new === "token" && NewAdminToken({ onclose: () => go(home()) }),
  );

/** A role in its colour. */
export const Role = (role) =>
  h(Badge, { kind: role === "full" ? "info" : "off", icon: role === "full" ? "pencil" : "lock" }, role);

const columns = [
  { title: "Name", cell: (person) => h("b", null, person.name) },
  { title: "Role", cell: (person) => Role(person.role) },
  {
    title: "Signs in with",
    cell: (person) => (person.openid ? h("code", { title: person.issuer }, person.openid) : "a password"),
  },
  { title: "Since", cell: (person) => moment(person.created) },
  {
    title: "Actions",
    hidden: true,
    class: "end",
    cell: (person) =>
      h(Button, { kind: "quiet", icon: "trash", label: `Remove ${person.name}`, onclick: () => remove(person) }),
  },
];

function remove(person) {
  confirm({
    title: `Remove ${person.name}`,
    word: person.name,
    button: "Remove",
    loses: `${person.name} is signed out of the console at once and cannot come back, and admin tokens of ${person.name} end. What ${person.name} did stays in the audit log.`,
    act: () => call(`${path}/remove`, { name: person.name }).then(refresh),
    done: `${person.name} is no operator any more`,
  });
}

function NewOperator() {
  const state = draft("operators.new", () => ({ name: "", way: "password", password: "", openid: "", role: "full", error: undefined }));
  const provider = remote("/_brume/admin/session/provider").value?.provider;
  const secret = state.way === "openid" ? { openid: state.openid.trim() } : { password: state.password };
  const shut = () => (drop("operators.new"), go(home()));
  const send = async () => {
    const stays = unlessLeft();
    try {
      await call(path, { name: state.name.trim(), ...secret, role: state.role });
      say(`${state.name.trim()} is an operator now`);
      drop("operators.new");
      refresh();
      stays(shut);
    } catch (error) {
      state.error = error;
      update();
    }
  };
  return h(
    Inspector,
    { key: "new", title: newTitle, note: h("code", null, `brume operator add ${state.name || "NAME"}`), onclose: shut },
    h(
      Form,
      { onsend: send },
      h(Field, {
        label: "Name",
        value: state.name,
        oninput: into(state, "name"),
        created: (element) => element.focus(),
      }),
      provider && h(Picker, {
        label: "Signs in with",
        value: state.way,
        options: [["password", "a password"], ["openid", provider]],
        onchange: into(state, "way"),
      }),
      state.way === "openid"
        ? h(Field, {
            key: "openid",
            label: "Subject",
            value: state.openid,
            oninput: into(state, "openid"),
            note: `What ${provider} calls the operator. Whoever tries to sign in is shown it.`,
          })
        : h(Field, {
            key: "password",
            label: "Password",
            type: "password",
            autocomplete: "new-password",
            value: state.password,
            oninput: into(state, "password"),
          }),
      h(Picker, { label: "May do", value: state.role, options: roles, onchange: into(state, "role") }),
      Wrong(state.error),
      h(
        "div.line",
        null,
        h(
          Button,
          { kind: "primary", type: "submit", disabled: state.name.trim() === "" || Object.values(secret)[0] === "" },
          "Add operator",
        ),
      ),
    ),
  );
}
