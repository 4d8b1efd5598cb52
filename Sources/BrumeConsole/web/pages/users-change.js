// What is known of a user, changed: the address and the phone by which others find one, and the password.

import { call, refresh } from "../core/calls.js";
import { h } from "../core/render.js";
import { draft, drop, into, say, update } from "../core/state.js";
import { Button, Check, Field } from "../parts/controls.js";
import { Form } from "../parts/layout.js";
import { Wrong } from "../parts/states.js";

const known = (user) => ({ email: user.email ?? "", phone: user.phone ?? "", discoverable: user.discoverable });

export function Change(user) {
  const name = "users.change." + user.name;
  const state = draft(name, () => ({ ...known(user), password: "", error: undefined }));
  const changes = changed(state, user);
  const send = async () => {
    try {
      await call("/_brume/admin/users/change", { user: user.name, ...changes });
      drop(name);
      say(changes.password ? `${user.name} has a new password; open sessions have ended` : `${user.name} is changed`);
      refresh();
    } catch (error) {
      state.error = error;
      update();
    }
  };
  return h(
    Form,
    { key: "change", onsend: send },
    h("h3", null, "Change"),
    h(Field, { label: "E-mail", value: state.email, oninput: into(state, "email") }),
    h(Field, { label: "Phone", value: state.phone, oninput: into(state, "phone") }),
    h(Check, {
      label: "Others may find the user by them",
      checked: state.discoverable,
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
    h("div.line", null, h(Button, { type: "submit", disabled: Object.keys(changes).length === 0 }, "Save changes")),
  );
}

/** What differs from what is known; an empty text removes what there was. */
function changed(state, user) {
  const before = known(user);
  const changes = Object.fromEntries(Object.keys(before).filter((name) => state[name] !== before[name]).map((name) => [name, state[name]]));
  return state.password === "" ? changes : { ...changes, password: state.password };
}
