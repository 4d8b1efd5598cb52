// Invitations that nobody has used yet: whom they are for, and taking one back.

import { call, refresh, remote } from "../core/calls.js";
import { h } from "../core/render.js";
import { moment } from "../core/words.js";
import { Button } from "../parts/controls.js";
import { confirm, showOnce } from "../parts/dialogs.js";
import { Pane } from "../parts/layout.js";
import { Loaded } from "../parts/states.js";
import { Table, actionColumn } from "../parts/table.js";
import { Role } from "./users-operators.js";

const path = "/_brume/admin/operators/invitations";

/** Nothing while nobody is invited, unless that is not known. */
export function Invitations() {
  const entry = remote(path);
  const invitations = entry.value?.invitations ?? [];
  if (invitations.length === 0 && !entry.error) return null;
  return h(
    Pane,
    { key: "invitations", title: "Invitations", note: "not used yet" },
    Loaded(entry, () =>
      invitations.length > 0 &&
        h(Table, { label: "Invitations", columns, rows: invitations, id: (invitation) => invitation.name })),
  );
}

const columns = [
  { title: "Name", cell: (invitation) => h("b", null, invitation.name) },
  { title: "Role", cell: (invitation) => Role(invitation.role) },
  { title: "By", cell: (invitation) => invitation.operator ?? "the owner" },
  { title: "Good until", cell: (invitation) => moment(invitation.ends) },
  actionColumn((invitation) =>
    h(Button, {
      kind: "quiet",
      icon: "trash",
      label: `Take back the invitation of ${invitation.name}`,
      onclick: () => takeBack(invitation),
    })),
];

function takeBack({ name }) {
  confirm({
    title: `Take back the invitation of ${name}`,
    word: name,
    button: "Take back",
    loses: `Whoever has the link cannot become the operator ${name} with it any more.`,
    act: () => call(`${path}/revoke`, { name }).then(refresh),
    done: `The invitation of ${name} is taken back`,
  });
}

/** Makes an invitation and shows its link, this once. */
export async function invite(name, role) {
  const made = await call(path, { name, role });
  showOnce({
    title: `Invitation of ${made.name}`,
    note: `Send this link to ${made.name} and to nobody else. Opened in a browser, it asks for a password and makes the operator. It is good once, until ${moment(made.ends)}, and not shown again.`,
    secret: made.url,
    what: "the invitation",
    lines: true,
  });
}
