// Making something new in the inspector: its fields, the button that makes it, and what follows when it is made.

import { refresh } from "../core/calls.js";
import { h } from "../core/render.js";
import { unlessLeft } from "../core/router.js";
import { drop, into, sendOnce } from "../core/state.js";
import { Button, Field } from "./controls.js";
import { Form, Inspector } from "./layout.js";
import { Wrong } from "./states.js";

/**
 * An inspector with the form of something new. `state` is the draft called `draft`. `make` makes the thing; then `onclose`
 * leaves the form, or `next` if that goes elsewhere, and `made` gets the answer.
 */
export const NewForm = ({ state, isReady, button, make, made, onclose, next = onclose, children, ...props }) =>
  h(
    Inspector,
    { key: "new", onclose, ...props },
    h(
      Form,
      { onsend: () => send(props.draft, state, make, made, next) },
      children,
      Wrong(state.error),
      h(
        "div.line",
        null,
        h(Button, { kind: "primary", type: "submit", disabled: state.isBusy || !isReady }, button),
      ),
    ),
  );

const send = (draft, state, make, made, leave) =>
  sendOnce(state, async () => {
    const stays = unlessLeft();
    const answer = await make();
    drop(draft);
    refresh();
    stays(leave);
    made?.(answer);
  });

/** The field for the name of something new, where typing begins. */
export const NameField = (state, note) =>
  h(Field, {
    label: "Name",
    value: state.name,
    oninput: into(state, "name"),
    note,
    created: (element) => element.focus(),
  });

/** Whether something new has a name. */
export const hasName = (state) => state.name.trim() !== "";
