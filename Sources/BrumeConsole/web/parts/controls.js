// Buttons, links, fields, pickers: what people press and type into. How they look is style/controls.css.

import { h } from "../core/render.js";
import { say } from "../core/state.js";
import { Icon } from "./icons.js";

/** A button: `kind` is "primary", "danger", "quiet" or nothing; with only an icon it needs a `label`. */
export const Button = ({ icon, kind, class: names, label, keys, children, ...props }) =>
  h(
    "button.button",
    { type: "button", class: both(kind, names), "aria-label": label, title: label, ...props },
    icon && Icon(icon),
    children.length > 0 && h("span", null, children),
    keys && h("kbd", null, keys),
  );

const both = (...names) => names.filter(Boolean).join(" ");

/** A link that looks like a button; with only an icon it needs an `aria-label`. */
export const LinkButton = ({ icon, kind, class: names, children, ...props }) =>
  h("a.button", { class: both(kind, names), ...props }, icon && Icon(icon), children.length > 0 && h("span", null, children));

/** A text field with its label above, and what is wrong with it below. */
export const Field = ({ label, note, error, wide, children, type = "text", id, ...props }) => {
  const name = id ?? "field-" + label.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const described = error || note ? `${name}-note` : undefined;
  return h(
    "div.field",
    { class: wide && "wide" },
    h("label", { for: name }, label),
    type === "area"
      ? h("textarea", { id: name, rows: 4, "aria-describedby": described, "aria-invalid": error && "true", ...props })
      : h("input", {
          id: name,
          type,
          autocomplete: "off",
          spellcheck: "false",
          "aria-describedby": described,
          "aria-invalid": error && "true",
          ...props
        }),
    described && h("p", { id: described, class: error ? "wrong" : "note" }, error || note),
  );
};

/** A checkbox with its label behind it. */
export const Check = ({ label, ...props }) => h("label.check", null, h("input", { type: "checkbox", ...props }), label);

/** One of several values. `options` are `[value, text]` or texts; `shown` hides the label from sight. */
export const Picker = ({ label, value, options, icon, shown = true, class: names, ...props }) => {
  const pairs = options.map((option) => (Array.isArray(option) ? option : [option, option]));
  return h(
    "label.picker",
    { class: names },
    h("span", { class: shown ? "" : "unseen" }, label),
    h(
      "span.select",
      null,
      icon && Icon(icon),
      h(
        "select",
        { value, ...props },
        pairs.map(([key, text]) => h("option", { value: key, selected: key === value }, text)),
      ),
      Icon("down"),
    ),
  );
};

/** A few exclusive choices beside each other, as links or as buttons. */
export const Tabs = ({ label, tabs }) =>
  h(
    "div.tabs",
    { role: "group", "aria-label": label },
    tabs.map(({ text, isOn, href, onclick, count }) =>
      h(
        href ? "a" : "button",
        { href, onclick, type: href ? undefined : "button", "aria-current": isOn && (href ? "page" : "true") },
        text,
        count !== undefined && h("span.count", null, String(count)),
      )),
  );

/** Has a text made if it is a function, copies it and says so, or why not. */
export async function copy(made, what) {
  let text = made;
  try {
    if (typeof made === "function") text = await made();
  } catch (error) {
    return say(`Nothing is copied: ${error.message}`, true);
  }
  try {
    await navigator.clipboard.writeText(text);
    say(`Copied ${what}`);
  } catch {
    say(`The browser did not allow copying ${what}`, true);
  }
}

/** A button that copies; `text` is a value, or a function that has it made now. */
export const CopyButton = ({ text, what, kind, children }) =>
  h(
    Button,
    {
      icon: "copy",
      kind,
      label: children.length === 0 ? `Copy ${what}` : undefined,
      onclick: () => copy(text, what),
    },
    children,
  );

/** Code with a button that copies it; `shown` is what is seen of it, if that is less. */
export const Code = ({ text, shown = text, what, label }) =>
  h(
    "div.code",
    null,
    h("pre", { tabindex: 0, role: "region", "aria-label": label ?? what }, h("code", null, shown)),
    h(CopyButton, { text, what, kind: "quiet" }),
  );
