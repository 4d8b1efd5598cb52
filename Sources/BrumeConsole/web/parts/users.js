// Picking a user: from a list; where there are more users than a list may have, by typing a name, with those that begin so
// offered below.

import { remote } from "../core/calls.js";
import { areMoreUsers, usersNamed } from "../core/places.js";
import { h } from "../core/render.js";
import { draft, drop, update } from "../core/state.js";
import { Picker } from "./controls.js";
import { Icon } from "./icons.js";

/** Takes what a `Picker` takes. An option without a value, such as "everybody", is what an empty field means. */
export const UserPicker = (props) => (areMoreUsers() ? Typed(props) : h(Picker, { icon: "user", ...props }));

function Typed({ label, value, options, onchange, shown = true, class: names, key, children, icon, ...props }) {
  const name = "users.typed." + label;
  const state = draft(name, () => ({ text: undefined }));
  const text = state.text ?? value ?? "";
  const nobody = options.find((option) => Array.isArray(option) && option[0] === "");
  return h(
    "label.picker",
    { class: names, key },
    h("span", { class: shown ? "" : "unseen" }, label),
    h(
      "span.select",
      null,
      Icon("user"),
      h("input", {
        type: "text",
        list: `near-${label}`,
        value: text,
        placeholder: nobody?.[1] ?? "a user's name",
        autocomplete: "off",
        spellcheck: "false",
        oninput: (event) => ((state.text = event.target.value), update()),
        onchange: (event) => (drop(name), onchange(event)),
        ...props,
      }),
      h(
        "datalist",
        { id: `near-${label}` },
        (remote(usersNamed(text)).value?.users ?? []).map((user) => h("option", { key: user.name, value: user.name })),
      ),
    ),
  );
}
