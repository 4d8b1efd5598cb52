// Fields that a record brings into the schema: each is named, with its type and its value. A development schema takes
// them up with the first save.

import { h } from "../core/render.js";
import { into, update } from "../core/state.js";
import { parsed } from "../core/parsing.js";
import { example, plainType } from "../core/values.js";
import { Button, Field, Picker } from "../parts/controls.js";

const scalars = ["STRING", "INT64", "DOUBLE", "TIMESTAMP", "LOCATION", "REFERENCE"];
const types = [...scalars, ...scalars.map((type) => `LIST<${type}>`)];

const blank = () => ({ name: "", type: "STRING", text: "", wrong: "" });

/** What the named fields would save; those that cannot be have their sentence. `known` are the names that there are. */
export function namedValues(named, known) {
  const values = {};
  for (const field of named) {
    const name = field.name.trim();
    field.wrong = "";
    if (name === "" && field.text === "") continue;
    field.wrong = obstacle(name, known, values);
    if (field.wrong) continue;
    try {
      const value = parsed(field.text, field.type);
      if (value === null) field.wrong = "Type a value: it gives the field its type";
      else values[name] = value;
    } catch (error) {
      field.wrong = error.message;
    }
  }
  return values;
}

/** What became of the named fields since some were sent: other texts, by name, of those that are there now, and the fields that are not. */
export function namedSince(sent, named) {
  const isSame = (one, other) => one.name.trim() === other.name.trim() && one.type === other.type;
  const since = named.filter((field) => !sent.some((other) => isSame(field, other) && field.text === other.text));
  const isThere = (field) => field.name.trim() !== "" && sent.some((other) => isSame(field, other));
  const texts = since.filter(isThere).map(({ name, text }) => [name.trim(), text]);
  return [texts, since.filter((field) => !isThere(field))];
}

const obstacle = (name, known, values) =>
  name === ""
    ? "Name the field"
    : known.includes(name) || name in values
    ? `There is a field '${name}' already`
    : "";

/** The fields that were named so far, and a button for another one. */
export const NamedFields = (named) =>
  h(
    "div.record-fields",
    { key: "named" },
    named.map((field, at) => One(named, field, at)),
    h(
      "div.value",
      { key: "add" },
      h("div.line", null, h(Button, { icon: "plus", onclick: () => (named.push(blank()), update()) }, "Add a field")),
    ),
  );

const One = (named, field, at) =>
  h(
    "div.value",
    { key: String(at) },
    h(
      "div.line",
      null,
      h(Field, {
        label: `Field ${at + 1}`,
        value: field.name,
        oninput: into(field, "name"),
        placeholder: "its name",
        created: (element) => element.focus(),
      }),
      h(Picker, {
        label: `Type of field ${at + 1}`,
        shown: false,
        value: field.type,
        options: types.map((type) => [type, plainType(type)]),
        onchange: into(field, "type"),
      }),
      h(Button, {
        kind: "quiet",
        icon: "close",
        label: `Remove field ${at + 1}`,
        onclick: () => (named.splice(at, 1), update()),
      }),
    ),
    h(Field, {
      label: `Value of field ${at + 1}`,
      type: field.type.startsWith("LIST") ? "area" : "text",
      value: field.text,
      oninput: into(field, "text"),
      placeholder: example(field.type.replace(/^LIST<(.+)>$/, "$1")),
      note: field.type.startsWith("LIST") ? "one element a line" : undefined,
      error: field.wrong || undefined,
    }),
  );
