// What is known of a user, changed: the address and the phone by which others find one, and the password.

import { call, refresh } from "../core/calls.js";
import { h } from "../core/render.js";
import { draft, drop, into, say, sendOnce } from "../core/state.js";
import { Button, Check, Field } from "../parts/controls.js";
import { Form } from "../parts/layout.js";
import { Wrong } from "../parts/states.js";

const known = (user) => ({ email: user.email ?? "", phone: user.phone ?? "", discoverable: user.discoverable });

export function Change(user) {
  const name = "users.change." + user.name;
  const state = draft(name, () => ({ password: "", error: undefined }));
  const changes = changed(state, user);
  const shown = { ...known(user), ...state };
  const send = () =>
    sendOnce(state, async () => {
      await call("/_brume/admin/users/change", { user: user.name, ...changes });
      drop(name);
      say(changes.password ? `${user.name} has a new password; open sessions have ended` : `${user.name} is changed`);
      refresh();
    });
  return h(
    Form,
    { key: "change", onsend: send },
    h("h3", null, "Change"),
    h(Field, { label: "E-mail", value: shown.email, oninput: into(state, "email") }),
    h(Field, { label: "Phone", value: shown.phone, oninput: into(state, "phone") }),
    h(Check, {
      label: "Others may find the user by them",
      checked: shown.discoverable,
      onchange: into(state, "discoverable"),
    }),
    h(Field, {
      label: "New password",
      type: "password",
      autocomplete: "new-password",
      value: state.password,
      oninput: into(state, "password"),
      note: "Ends the sessions of before.",
    }),
    Wrong(state.error),
    h(
      "div.line",
      null,
      h(Button, { type: "submit", disabled: state.isBusy || Object.keys(changes).length === 0 }, "Save changes"),
    ),
  );
}

/** What was typed and differs from what is known by now; an empty text removes what there was. */
function changed(state, user) {
  const before = known(user);
  const differs = (name) => name in state && state[name] !== before[name];
  const changes = Object.fromEntries(Object.keys(before).filter(differs).map((name) => [name, state[name]]));
  return state.password === "" ? changes : { ...changes, password: state.password };
}
