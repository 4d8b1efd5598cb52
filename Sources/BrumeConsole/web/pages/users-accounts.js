// The tab of users: the table, a new user. One user in the inspector is users-one.js.

import { call, paged, remote } from "../core/calls.js";
import { h } from "../core/render.js";
import { go, route, to, turn, withQuery } from "../core/router.js";
import { usersNamed } from "../core/places.js";
import { draft, into, say } from "../core/state.js";
import { plural, short } from "../core/words.js";
import { Button, Check, Field } from "../parts/controls.js";
import { Beside, Inspector, Pane } from "../parts/layout.js";
import { NameField, NewForm, hasName } from "../parts/new.js";
import { Empty, EmptyPage, Loaded } from "../parts/states.js";
import { Pages, Table } from "../parts/table.js";
import { OneUser } from "./users-one.js";
import { lastUse } from "./users-tokens.js";

export const title = "Users";
export const newTitle = "New user";
const blank = () => ({ name: "", password: "", email: "", isDiscoverable: true, error: undefined });

export const begin = () => go(to("users", [], { new: "1" }));

const path = "/_brume/admin/users";
const shut = () => go(to("users"));
const perPage = 50;

/** What stands in the address: a page, or the users whose names begin so. */
const listed = () => {
  const { after = "", named = "" } = route.query;
  return usersNamed(named, perPage, after);
};

/** The list as it was. */
const back = () => go(to("users", [], { after: route.query.after, named: route.query.named }));

/** The user of the address, who may be on another page, or be none any more. */
function One(name, users) {
  const isIt = (user) => user.name === name;
  const known = users.find(isIt);
  if (known) return OneUser(known, back);
  const entry = remote(usersNamed(name, 1));
  const found = entry.value?.users.find(isIt);
  if (found) return OneUser(found, back);
  return h(
    Inspector,
    { key: "user-" + name, title: name, onclose: back },
    // What was answered before may be older than the user.
    Loaded(entry.isLoading ? {} : entry, () => h("p.note", null, `There is no user ${name}, or none any more.`)),
  );
}

/** Whether there are so many that they are found by name; as before until the server has said it. */
let areMany = false;

export function View() {
  const entry = paged(listed());
  const { after, named } = route.query;
  if (entry.value) areMany = Boolean(entry.value.after || after || named);
  const chosen = entry.value && route.path[0];
  return Beside(
    h(
      Pane,
      { class: "fill", key: "users", foot: areMany && entry.value && Foot(entry.value) },
      // Outside of what is loaded: who types goes on while the answer is on its way.
      areMany && Named(),
      Loaded(entry, ({ users }) =>
        users.length === 0
          ? EmptyPage(
              named
                ? Empty(`No user's name begins with ${named}`, undefined, "users")
                : Empty("No users", h(Button, { icon: "plus", onclick: begin }, "Make the first one"), "users"),
            )
          : h(Table, {
              label: "Users",
              // Beside the inspector there is room for what distinguishes users.
              columns: chosen || route.query.new ? columns.slice(0, 4) : columns,
              rows: users,
              id: (user) => user.name,
              chosen,
              onopen: (user) => go(to("users", [user.name], { after, named })),
            })),
    ),
    route.query.new ? NewUser() : chosen && One(chosen, entry.value.users),
  );
}

const Foot = ({ users, after }) =>
  h(Pages, {
    text: shownOf(users.length, after),
    ...turn("after", after, { sel: "" }),
  });

/** A page's count is no count of all, on the last page neither. */
function shownOf(count, after) {
  if (after) return `${plural(count, "user")} shown, more follow`;
  return plural(count, "user") + (route.query.after ? " shown, no more follow" : "");
}

/** Finds users by the beginning of the name. */
const Named = () =>
  h(
    "div.body",
    { key: "named" },
    h(Field, {
      label: "Name begins with",
      value: route.query.named ?? "",
      // A name may have a space inside, after which somebody types on.
      oninput: (event) => go(withQuery({ named: event.target.value.trimStart(), after: "" }), true),
    }),
  );

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
  const name = () => state.name.trim();
  return h(
    NewForm,
    {
      title: newTitle,
      note: h("code", null, `brume user create ${state.name || "NAME"}`),
      draft: "users.new",
      state,
      isReady: hasName(state),
      button: "Create user",
      make: () =>
        call(path, {
          name: name(),
          password: state.password || undefined,
          email: state.email || undefined,
          discoverable: state.isDiscoverable,
        }),
      made: () => say(`${name()} is a user now`),
      next: () => go(to("users", [name()])),
      onclose: shut,
    },
    NameField(state),
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
  );
}
