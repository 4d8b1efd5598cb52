// How a page is laid out: its head, panes, the inspector at the right, lists of facts.

import { h } from "../core/render.js";
import { drop } from "../core/state.js";
import { Button } from "./controls.js";

/** The title with what stands beside it, and the page's actions. */
export const Head = ({ title, note, actions, children }) =>
  h(
    "div.head",
    { key: "head" },
    h("h1", { id: "title", tabindex: -1 }, title),
    children,
    note && h("p.note", null, note),
    actions && h("div.actions", null, actions),
  );

/** A panel with a heading. */
export const Pane = ({ title, note, actions, foot, class: names, key, children }) =>
  h(
    "section.pane",
    { key, class: names, "aria-label": title },
    title && h(
      "header",
      null,
      h("h2", null, title),
      note && h("p.note", null, note),
      actions && h("div.actions", null, actions),
    ),
    children,
    foot && h("footer", null, foot),
  );

/** The content and, if something is chosen, the inspector, which Esc in a row closes too. */
export const Beside = (content, inspector) =>
  h(
    "div.beside",
    { key: "beside", class: inspector && "open", onkeydown: inspector && closed },
    h("div.content", { key: "content" }, content),
    inspector || null,
  );

/** Who opens with Enter is still in the row. The inspector takes the key as if it were pressed there. */
function closed(event) {
  if (event.key !== "Escape" || event.defaultPrevented || !event.target.matches("tr")) return;
  event.preventDefault();
  const inspector = event.currentTarget.querySelector(".inspector");
  inspector?.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", cancelable: true }));
}

/** What closes loses the focus: the row that it was opened from gets it. */
const toRow = () => document.querySelector(".content tr[aria-current]")?.focus();

/**
 * What is known of the thing that is chosen; `onclose` is also what Esc does. `draft` is what Close drops: Esc does not,
 * because one key loses nothing.
 */
export const Inspector = ({ title, note, onclose, draft, actions, foot, key, children }) =>
  h(
    "aside.pane.inspector",
    {
      key: key ?? "inspector",
      "aria-label": title,
      onkeydown: (event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.preventDefault();
        toRow();
        onclose();
      },
    },
    h(
      "header",
      null,
      h("div.named", null, h("h2", { title }, title), note && h("p.note", null, note)),
      h("div.actions", null, actions, h(Button, {
        icon: "close",
        kind: "quiet",
        label: "Close",
        onclick: () => (draft && drop(draft), toRow(), onclose()),
      })),
    ),
    h("div.scroll", { key: "scroll" }, children),
    foot && h("footer", null, foot),
  );

/** Names and values; values may be anything. Pairs whose value is missing are left out. */
export const Facts = (pairs) =>
  h(
    "dl.facts",
    null,
    pairs.filter(([, value]) => value !== undefined && value !== null && value !== "").map(([name, value]) =>
      h("div", { key: name }, h("dt", null, name), h("dd", null, value))),
  );

/** A form: Enter sends it, Ctrl Enter too from texts of several lines, as far as its button would. */
export const Form = ({ onsend, children, ...props }) =>
  h(
    "form",
    {
      ...props,
      onsubmit: (event) => {
        event.preventDefault();
        onsend();
      },
      onkeydown: (event) => {
        if (event.key !== "Enter" || !event.ctrlKey) return;
        event.preventDefault();
        const form = event.currentTarget;
        if (!event.repeat && !form.querySelector("[type=submit]:disabled")) form.requestSubmit();
      },
    },
    children,
  );
