// The roles of a schema: who may create, read and write records of each type, as a matrix; who has a role; and "can
// bob do this?", which the server's own rules answer.

import { call, refresh, remote } from "../core/calls.js";
import { admin, chosenUser, place, placeFlags, userNames } from "../core/places.js";
import { h } from "../core/render.js";
import { to } from "../core/router.js";
import { draft, into, say, update } from "../core/state.js";
import { Button, Picker } from "../parts/controls.js";
import { Pane } from "../parts/layout.js";
import { Badge, Empty, Loaded, Wrong } from "../parts/states.js";
import { Table, actionColumn } from "../parts/table.js";
import { UserPicker } from "../parts/users.js";

const builtIn = { _world: "everybody", _icloud: "whoever is signed in", _creator: "who made the record" };
const rights = ["CREATE", "READ", "WRITE"];

/** Types that hold an app's records. */
const shown = (schema) => schema.types.filter((type) => type.name !== "Users");

export function Roles(schema) {
  const types = shown(schema);
  const roles = [...Object.keys(builtIn), ...schema.roles];
  return [
    h(
      Pane,
      { key: "matrix", title: "Who may do what", note: "in the public database; private zones are their owner's" },
      types.length === 0
        ? Empty("No types; the first save makes one", undefined, "schema")
        : h(Table, {
            label: "Rights of each role",
            columns: [
              { title: "Type", cell: (type) => h("a", { href: to("schema", [type.name]) }, h("b", null, type.name)) },
              ...roles.map((role) => ({ title: role, cell: (type) => Cell(type, role) })),
            ],
            rows: types,
            id: (type) => type.name,
          }),
      h(
        "p.absent.note",
        { key: "legend" },
        "C create, R read, W write and delete. ",
        Object.entries(builtIn).map(([role, words]) => `${role}: ${words}`).join(" · "),
      ),
    ),
    types.length > 0 && Tester(types),
    Members(schema.roles),
  ];
}

const Cell = (type, role) =>
  h(
    "span.rights",
    null,
    rights.map((right) => {
      const isOn = type.grants.some((grant) => grant.role === role && grant.right === right);
      const words = `${role} ${isOn ? "may" : "may not"} ${right.toLowerCase()}`;
      return h("i", { key: right, class: isOn && "on", title: words }, h("span.unseen", null, `${words}; `),
        h("span", { "aria-hidden": "true" }, isOn ? right[0] : "–"));
    }),
  );

/** "Can bob write Whistles?" */
function Tester(types) {
  const users = userNames();
  const state = draft("schema.tester", () => ({ user: "", action: "read", type: "" }));
  const user = chosenUser(state.user, users);
  const type = types.some((one) => one.name === state.type) ? state.type : types[0].name;
  return h(
    Pane,
    { key: "tester", title: "Can they?", note: "the server's rules answer, as for a request" },
    h(
      "div.body",
      null,
      h(
        "div.line",
        null,
        h(UserPicker, { label: "Can", icon: "user", value: user, options: users, onchange: into(state, "user") }),
        h(Picker, {
          label: "do",
          value: state.action,
          options: [["create", "create"], ["read", "read"], ["write", "write and delete"]],
          onchange: into(state, "action"),
        }),
        h(Picker, { label: "with", value: type, options: types.map((one) => one.name), onchange: into(state, "type") }),
        user && Answer(user, state.action, type),
      ),
    ),
  );
}

const Answer = (user, action, type) =>
  h(
    "div.verdict",
    { key: "answer", role: "status" },
    Loaded(remote(admin("allowed"), { database: "public", as: user, action, recordType: type }), ({ allowed, reason }) =>
      h(
        "div.answer",
        null,
        h(Badge, { kind: allowed ? "ok" : "bad", icon: allowed ? "ok" : "lock" }, allowed ? "yes" : "no"),
        h("span", null, reason, action === "create" ? "" : "; asked about a record that somebody else made"),
      )),
  );

// MARK: Members of the container's own roles

function Members(roles) {
  if (roles.length === 0) return null;
  return h(
    Pane,
    { key: "members", title: "Members", note: h("code", null, `brume schema role assign ROLE USER${placeFlags()}`) },
    Loaded(remote(admin("roles")), ({ members }) => [
      members.length === 0
        ? h("p.absent.note", { key: "none" }, "Nobody has one of the container's own roles.")
        : h(Table, {
            label: "Members of roles",
            columns: [
              { title: "Role", cell: (member) => h("b", null, member.role) },
              { title: "User", cell: (member) => h("a", { href: to("users", [member.user]) }, member.user) },
              actionColumn((member) =>
                h(Button, {
                  kind: "quiet",
                  icon: "close",
                  label: `Take ${member.role} from ${member.user}`,
                  onclick: () => set(member.role, member.user, false),
                })),
            ],
            rows: members,
            id: (member) => `${member.role}/${member.user}`,
          }),
      Giving(roles),
    ]),
  );
}

function Giving(roles) {
  const users = userNames();
  const state = draft("schema.giving", () => ({ role: "", user: "", error: undefined }));
  const [role, user] = [roles.includes(state.role) ? state.role : roles[0], state.user || users[0] || ""];
  const give = async () => {
    state.error = await set(role, user, true);
    update();
  };
  return h(
    "div.body",
    { key: "giving" },
    h(
      "div.line",
      null,
      h(Picker, { label: "Give", value: role, options: roles, onchange: into(state, "role") }),
      h(UserPicker, { label: "to", icon: "user", value: user, options: users, onchange: into(state, "user") }),
      h(Button, { icon: "plus", disabled: !user, onclick: give }, "Give the role"),
    ),
    Wrong(state.error),
  );
}

async function set(role, user, isOn) {
  try {
    await call(`/_brume/admin/roles?${place()}`, { role, user, on: isOn });
    say(isOn ? `${user} is a member of ${role} now` : `${user} is no member of ${role} any more`);
    refresh();
    return undefined;
  } catch (error) {
    say(error.message, true);
    return error;
  }
}
