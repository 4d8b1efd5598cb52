// The tab of operators: who administers this server, with which role, who is invited to, and the admin tokens of
// their programs.

import { call, refresh, remote } from "../core/calls.js";
import { h } from "../core/render.js";
import { go, route, to } from "../core/router.js";
import { whoIsSignedIn } from "../core/session.js";
import { say } from "../core/state.js";
import { moment } from "../core/words.js";
import { Button } from "../parts/controls.js";
import { confirm } from "../parts/dialogs.js";
import { Beside, Pane } from "../parts/layout.js";
import { Badge, Empty, Loaded } from "../parts/states.js";
import { Table, actionColumn } from "../parts/table.js";
import { AdminTokens, NewAdminToken } from "./users-admin-tokens.js";
import { Invitations } from "./users-invitations.js";
import { NewOperator } from "./users-operator-new.js";

export const title = "Operators";
export const newTitle = "New operator";
const path = "/_brume/admin/operators";
const shut = () => go(to("users", [], { tab: "operators" }));

export const begin = () => go(to("users", [], { tab: "operators", new: "operator" }));

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
      Invitations(),
      AdminTokens(),
    ],
    route.query.new === "operator"
      ? NewOperator({ onclose: shut })
      : route.query.new === "token" && NewAdminToken({ onclose: shut }),
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
  actionColumn((person) => [
    h(
      Button,
      { class: "small", onclick: () => (isSelf(person) && person.role === "full" ? resign(person) : change(person)) },
      person.role === "full" ? "Only read" : "Allow everything",
    ),
    h(Button, { kind: "quiet", icon: "trash", label: `Remove ${person.name}`, onclick: () => remove(person) }),
  ]),
];

const isSelf = ({ name }) => name === whoIsSignedIn()?.operator.name;

/** Who takes the right to change from oneself cannot take that back. */
function resign(person) {
  confirm({
    title: "Only read from now on",
    word: person.name,
    button: "Only read",
    loses: "This is you. You can change nothing on this server from then on, this neither: another operator with the role "
      + "full can give it back, or whoever has the data folder.",
    act: () => call(`${path}/change`, { name: person.name, role: "read-only" }).then(refresh),
    done: `${person.name} may only read now`,
  });
}

/** The other role; it holds for the next request of each session and token. */
async function change({ name, role }) {
  const other = role === "full" ? "read-only" : "full";
  try {
    await call(`${path}/change`, { name, role: other });
    say(other === "full" ? `${name} may do everything now` : `${name} may only read now`);
    refresh();
  } catch (error) {
    say(error.message, true);
  }
}

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
