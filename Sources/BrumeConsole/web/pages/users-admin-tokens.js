// Admin tokens: what programs administer this server with. A token is shown once.

import { call, remote } from "../core/calls.js";
import { h } from "../core/render.js";
import { go, to } from "../core/router.js";
import { draft, into } from "../core/state.js";
import { moment } from "../core/words.js";
import { Button, Picker } from "../parts/controls.js";
import { RevokeButton, showOnce } from "../parts/dialogs.js";
import { Pane } from "../parts/layout.js";
import { NameField, NewForm, hasName } from "../parts/new.js";
import { Empty, Loaded } from "../parts/states.js";
import { Table, actionColumn } from "../parts/table.js";
import { Role } from "./users-operators.js";
import { roles } from "./users-operator-new.js";

const path = "/_brume/admin/operators/tokens";
const begin = () => go(to("users", [], { tab: "operators", new: "token" }));

export const AdminTokens = () =>
  h(
    Pane,
    {
      key: "tokens",
      class: "fill",
      title: "Admin tokens",
      note: "for programs",
      actions: h(Button, { class: "small", icon: "plus", onclick: begin }, "New admin token"),
    },
    Loaded(remote(path), ({ tokens }) =>
      tokens.length === 0
        ? Empty("No program has an admin token of its own", undefined, "key")
        : h(Table, { label: "Admin tokens", columns: columns(), rows: tokens, id: (token) => token.name })),
  );

const columns = () => [
  { title: "Name", cell: (token) => h("b", null, token.name) },
  { title: "Role", cell: (token) => Role(token.role) },
  { title: "Of", cell: (token) => token.operator ?? "the owner" },
  { title: "Last used", cell: (token) => (token.lastUsed ? moment(token.lastUsed) : "never") },
  { title: "Ends", cell: (token) => (token.ends ? moment(token.ends) : "when it is revoked") },
  actionColumn((token) =>
    h(RevokeButton, {
      name: token.name,
      loses: "The program that has this token cannot administer the server any more.",
      act: () => call(`${path}/revoke`, { name: token.name }),
    })),
];

export function NewAdminToken({ onclose }) {
  const state = draft("admin-tokens.new", () => ({ name: "", role: "read-only", error: undefined }));
  return h(
    NewForm,
    {
      key: "new-token",
      title: "New admin token",
      draft: "admin-tokens.new",
      state,
      isReady: hasName(state),
      button: "Make the token",
      make: () => call(path, { name: state.name.trim(), role: state.role }),
      made: ({ name, token }) =>
        showOnce({
          title: `Admin token ${name}`,
          note: "The server keeps its digest only, so it is not shown again.",
          secret: token,
          what: "the admin token",
        }),
      onclose,
    },
    NameField(state),
    h(Picker, { label: "May do", value: state.role, options: roles, onchange: into(state, "role") }),
  );
}
