// A new operator: invited by a link, or with a password or an identity at the provider from the start.

import { call, remote } from "../core/calls.js";
import { h } from "../core/render.js";
import { draft, into, say } from "../core/state.js";
import { Field, Picker } from "../parts/controls.js";
import { NameField, NewForm, hasName } from "../parts/new.js";
import { invite } from "./users-invitations.js";

/** Roles, and what they may do. */
export const roles = [["full", "everything"], ["read-only", "everything that only reads"]];

const empty = () => ({ name: "", way: "link", password: "", openid: "", role: "full", error: undefined });

/** What the operator proves himself with, as the call takes it. */
const proof = (state) =>
  state.way === "openid" ? { openid: state.openid.trim() } : { password: state.password };

async function add(state, name) {
  if (state.way === "link") return invite(name, state.role);
  await call("/_brume/admin/operators", { name, ...proof(state), role: state.role });
  say(`${name} is an operator now`);
}

const command = ({ way, name, role }) =>
  `brume operator ${way === "link" ? "invitation create" : "add"} ${name || "NAME"}` +
  (role === "full" ? "" : " --read-only");

export function NewOperator({ onclose }) {
  const state = draft("operators.new", empty);
  const provider = remote("/_brume/admin/session/provider").value?.provider;
  return h(
    NewForm,
    {
      title: "New operator",
      note: h("code", null, command(state)),
      draft: "operators.new",
      state,
      isReady: isReady(state),
      button: state.way === "link" ? "Make the link" : "Add operator",
      make: () => add(state, state.name.trim()),
      onclose,
    },
    NameField(state),
    h(Picker, {
      label: "Begins with",
      value: state.way,
      options: [["link", "a link to send"], ["password", "a password"], ...(provider ? [["openid", provider]] : [])],
      onchange: into(state, "way"),
    }),
    Secret(state, provider),
    h(Picker, { label: "May do", value: state.role, options: roles, onchange: into(state, "role") }),
  );
}

const isReady = (state) =>
  hasName(state) && (state.way === "link" || Object.values(proof(state))[0] !== "");

function Secret(state, provider) {
  if (state.way === "link") {
    return h("p.note", { key: "link" }, "Good once, for a day. Whoever opens it chooses the password.");
  }
  return state.way === "openid"
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
      });
}
