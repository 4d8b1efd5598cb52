// Dialogs: the typed confirmation before something is lost, the list of keys, a secret that is shown once.
// The browser keeps the focus inside and gives it back; Esc closes.

import { refresh } from "../core/calls.js";
import { h } from "../core/render.js";
import { onArrival } from "../core/router.js";
import { say, update } from "../core/state.js";
import { allKeys, singleKeys } from "../core/keyboard.js";
import { Button, Check, CopyButton, Field } from "./controls.js";
import { Wrong } from "./states.js";

let open = null;

/** Shows a dialog: `view` describes what is inside. One that is firm stays until a button of it closes it. */
export function show(view, label, isFirm = false) {
  open = { view, label, isFirm };
  update();
}

/** Closes the dialog that is open. */
export function close() {
  open = null;
  update();
}

// What a dialog asks is about the place where it was asked. A secret stays: what makes it may lead elsewhere.
onArrival(() => open?.isAbout && close());

let isPressed = false;

/** Browsers close a dialog whose cancelling was prevented once before. */
const closed = (element) => (open.isFirm ? element.showModal() : close());

/** The dialog that is open, if one is; drawn by frame.js. */
export const Dialogs = () =>
  open && h(
    "dialog",
    {
      key: open.label,
      "aria-label": open.label,
      created: (element) => element.showModal(),
      oncancel: (event) => open?.isFirm && event.preventDefault(),
      onclose: (event) => event.target === event.currentTarget && open && closed(event.target),
      // A text that is selected with the mouse from inside to the edge ends with a click there.
      onpointerdown: (event) => (isPressed = event.target === event.currentTarget),
      onclick: (event) => event.target === event.currentTarget && isPressed && !open.isFirm && close(),
    },
    h("div.dialog", null, open.view()),
  );

/**
 * Asks before something is lost. `loses` says what, in numbers; `word` must be typed; `act` does it, and its
 * error is shown in the dialog.
 */
export function confirm({ title, loses, word, button, act, done }) {
  const state = { typed: "", error: undefined, isBusy: false };
  // A word may have a space at an end, and what is pasted one more.
  const isTyped = () => state.typed === word || state.typed.trim() === word;
  const run = async () => {
    if (!isTyped() || state.isBusy) return;
    Object.assign(state, { isBusy: true, error: undefined });
    update();
    try {
      await act();
      if (open === own) close();
      if (done) say(done);
    } catch (error) {
      state.error = error;
      if (open !== own) say(error.message, true);
    }
    state.isBusy = false;
    update();
  };
  show(
    () =>
      h(
        "form",
        { onsubmit: (event) => (event.preventDefault(), run()) },
        h("h2", null, title),
        h("p", null, loses),
        h(Field, {
          id: "confirmation",
          label: ["Type ", h("b", null, word)],
          value: state.typed,
          created: (element) => element.focus(),
          oninput: (event) => ((state.typed = event.target.value), update()),
        }),
        Wrong(state.error),
        h(
          "div.actions",
          null,
          h(Button, { onclick: close }, "Cancel"),
          h(Button, { kind: "danger", type: "submit", disabled: !isTyped() || state.isBusy }, button),
        ),
      ),
    title,
  );
  open.isAbout = true;
  const own = open;
}

/** A button that revokes what has this name by `act`, once the name was typed. */
export const RevokeButton = ({ name, loses, act }) => {
  const title = `Revoke ${name}`;
  const ask = () =>
    confirm({ title, word: name, button: "Revoke", loses, act: () => act().then(refresh), done: `${name} is revoked` });
  return h(Button, { kind: "quiet", icon: "trash", label: title, onclick: ask });
};

/** Shows a secret, this once: until Done, because it cannot be shown again. */
export function showOnce({ title, note, secret, what, lines = false }) {
  show(
    () => [
      h("h2", null, title),
      h("p", null, note),
      h("pre.secret", { tabindex: 0, class: lines && "lines" }, secret),
      h(
        "div.actions",
        null,
        h(CopyButton, { text: secret, what }, "Copy"),
        h(Button, { kind: "primary", onclick: close }, "Done"),
      ),
    ],
    title,
    true,
  );
}

/** The list that `?` opens. */
export function showKeys() {
  const shown = (name) =>
    name.split("+").map((part) => part.length === 1 ? part.toUpperCase() : part[0].toUpperCase() + part.slice(1));
  show(
    () => [
      h("h2", null, "Keys"),
      h(
        "dl.keys",
        null,
        Object.entries(allKeys()).map(([name, [meaning]]) =>
          h(
            "div",
            { key: name },
            h("dt", null, shown(name).map((part) => h("kbd", null, part))),
            h("dd", null, meaning),
          )),
      ),
      h("p.note", null, "In tables: arrows or J and K move, Enter opens. Esc closes what is open."),
      h(Check, {
        label: "Single keys act",
        checked: singleKeys.areOn,
        onchange: (event) => (singleKeys.areOn = event.target.checked),
      }),
      h("div.actions", null, h(Button, { kind: "primary", onclick: close }, "Close")),
    ],
    "Keys",
  );
}
