// The schema's text, to read and to change. While it is edited the server checks it, 150 ms after the last
// key; what is wrong stands under the text with its line and column.

import { call, refresh } from "../core/calls.js";
import { h } from "../core/render.js";
import { draft, drop, hasDraft, once, say, update } from "../core/state.js";
import { admin } from "../core/places.js";
import { route } from "../core/router.js";
import { plural } from "../core/words.js";
import { Button } from "../parts/controls.js";
import { TextDifference } from "../parts/diff.js";
import { Icon } from "../parts/icons.js";
import { Wrong } from "../parts/states.js";

const name = () => `schema.text.${route.container}.${route.environment}`;
/** Mistakes below the text: more would cover it. */
const mostShown = 3;
const keywords = /\b(DEFINE SCHEMA|CREATE ROLE|RECORD TYPE|GRANT|TO|READ|WRITE|CREATE|QUERYABLE|SORTABLE|SEARCHABLE|ENCRYPTED)\b/;

export function Editor({ text }) {
  if (!hasDraft(name())) return Reading(text);
  const state = draft(name(), () => ({}));
  return h(
    "div.editor",
    { key: "editing" },
    h("textarea.mono", {
      "aria-label": "Schema",
      spellcheck: "false",
      rows: 18,
      value: state.text,
      created: (element) => element.focus(),
      "aria-invalid": state.faults.length > 0 && "true",
      oninput: (event) => typed(state, event.target.value),
      onkeydown: (event) => event.key === "F8" && (event.preventDefault(), toFault(event.target, state)),
    }),
    h(
      "footer",
      null,
      state.faults.slice(0, mostShown).map((fault) =>
        h(
          "p.wrong",
          { key: `${fault.line}:${fault.column}`, role: "alert" },
          Icon("bad"),
          h("span", null, h("code", null, `${fault.line}:${fault.column}`), ` ${fault.message}`),
        )),
      state.faults.length > mostShown &&
        h("p.note", { key: "more" }, `and ${plural(state.faults.length - mostShown, "mistake")} more, shown when these are mended`),
      Wrong(state.error),
      state.others && h(TextDifference, { ...state.others, label: "What others have changed" }),
      h(
        "div.actions",
        null,
        h(Button, { onclick: () => leave(state) }, "Discard"),
        h(
          Button,
          { kind: "primary", disabled: state.text === text || state.faults.length > 0, onclick: () => once(state, () => save(state)) },
          "Save the schema",
        ),
      ),
    ),
  );
}

const Reading = (text) =>
  h(
    "div.editor",
    { key: "reading" },
    h(
      "pre.source",
      { tabindex: 0, role: "region", "aria-label": "Schema" },
      text.trimEnd().split("\n").map((line, index) =>
        h(
          "p",
          { key: String(index) },
          h("span.number", null, String(index + 1)),
          h("span", null, line.split(keywords).map((part, at) => (at % 2 ? h("i", null, part) : part))),
        )),
    ),
    route.environment === "development" && h(
      "footer",
      null,
      h(Button, { id: "schema-edit", icon: "pencil", onclick: () => begin(text) }, "Edit the text"),
    ),
  );

function begin(text) {
  draft(name(), () => ({
    text,
    // What it was begun with, and what others have made of that.
    base: text,
    others: undefined,
    faults: [],
    error: undefined,
    timer: 0,
    address: admin("schema"),
    validation: admin("schema/validate"),
    name: name(),
  }));
  update();
}

/** The text and its buttons go: what begins again gets the focus, if they had it. */
function leave(state) {
  drop(state.name);
  queueMicrotask(() => document.activeElement === document.body && document.getElementById("schema-edit")?.focus());
}

function typed(state, text) {
  Object.assign(state, { text, error: undefined });
  clearTimeout(state.timer);
  state.timer = setTimeout(() => check(state), 150);
  update();
}

async function check(state) {
  const text = state.text;
  try {
    const answer = await call(state.validation, { schema: text });
    if (state.text === text) state.faults = answer.errors;
  } catch (error) {
    state.error = error;
  }
  update();
}

/** F8: to the place that is wrong. */
function toFault(area, state) {
  const fault = state.faults[0];
  if (!fault) return;
  const lines = state.text.split("\n");
  const before = lines.slice(0, fault.line - 1).join("\n").length;
  const at = before + (fault.line > 1 ? 1 : 0) + fault.column - 1;
  area.setSelectionRange(at, at + 1);
  // Browsers do not scroll to a selection that is set.
  area.scrollTop = (area.scrollHeight * (fault.line - 1)) / lines.length - area.clientHeight / 2;
}

async function save(state) {
  const { text } = state;
  state.error = undefined;
  try {
    await compare(state);
    await call(state.address, { schema: text });
    leave(state);
    say("The schema is saved");
    refresh();
  } catch (error) {
    state.error = error;
    update();
  }
}

/** What others have changed since the text was begun is shown before it is saved over. */
async function compare(state) {
  const { schema } = await call(state.address);
  if (schema === state.base) return;
  Object.assign(state, { others: { before: state.base, after: schema }, base: schema });
  throw new Error("The schema has changed since this text was begun, as follows. Take it up here, or save again to undo it.");
}
