// The query, built of words: the type, conditions that the field's type allows, the order. What the server
// did to answer it is records-plan.js.

import { refresh } from "../core/calls.js";
import { h } from "../core/render.js";
import { go, withQuery } from "../core/router.js";
import { draft, drop, into, update } from "../core/state.js";
import { example } from "../core/values.js";
import { Button, Picker } from "../parts/controls.js";
import { Icon } from "../parts/icons.js";
import { Plan } from "./records-plan.js";
import { comparators, fieldTitle, recordsAt, withConditions } from "./records-query.js";

export const Query = (where, types, fields, entry) =>
  h(
    "section.pane.query",
    { key: "query", "aria-label": "Query" },
    h(
      "div.conditions",
      null,
      h(Picker, {
        label: "Type",
        class: "joined",
        value: where.type,
        options: types.map((type) => type.name),
        onchange: (event) => go(recordsAt({ ...where, type: event.target.value })),
      }),
      where.conditions.map((condition, index) => Condition(where, condition, index)),
      Adding(where, fields),
      h(
        "span.actions",
        null,
        h(Picker, {
          label: "Sort",
          class: "joined",
          value: where.sort,
          options: sorts(fields),
          onchange: (event) => go(withQuery({ sort: event.target.value, after: "", sel: "" })),
        }),
        h(Button, { icon: "retry", onclick: refresh }, "Run"),
      ),
    ),
    Plan(where, fields, entry),
  );

const sorts = (fields) => [
  ["", "by name"],
  ...fields.filter((field) => field.indexes.includes("SORTABLE") && field.type !== "LOCATION").flatMap((field) => [
    [field.name, `${fieldTitle(field.name)} ↑`],
    ["-" + field.name, `${fieldTitle(field.name)} ↓`],
  ])
];

function Condition(where, [name, comparator, text], index) {
  const rest = where.conditions.filter((_, at) => at !== index);
  const words = {
    ...comparators("STRING"),
    ...comparators("INT64"),
    ...comparators("LIST"),
    ...comparators("LOCATION"),
    ...comparators("TIMESTAMP")
  };
  return h(
    "span.condition",
    { key: `condition-${index}` },
    h("span", null, fieldTitle(name)),
    h("i", null, words[comparator] ?? comparator),
    h("b", null, text),
    h(
      "button",
      {
        type: "button",
        "aria-label": `Remove the condition on ${fieldTitle(name)}`,
        onclick: () => go(withConditions(rest)),
      },
      Icon("close"),
    ),
  );
}

const name = "records.condition";

/** The condition that is being written. */
function Adding(where, fields) {
  const state = draft(name, () => ({ isOpen: false, field: "", comparator: "", text: "" }));
  if (!state.isOpen) return h(Button, { key: "add", icon: "plus", kind: "quiet", onclick: openCondition }, "Condition");
  const known = fields.filter((field) => field.indexes.length > 0);
  const field = known.find((field) => field.name === state.field) ?? known[0];
  if (!field) return h("span.note", null, "This type has no field with an index");
  const words = comparators(field.type);
  const comparator = words[state.comparator] ? state.comparator : Object.keys(words)[0];
  const add = () => {
    if (state.text === "") return;
    const conditions = [...where.conditions, [field.name, comparator, state.text]];
    drop(name);
    go(withConditions(conditions));
  };
  return h(
    "form.adding",
    {
      key: "adding",
      onsubmit: (event) => (event.preventDefault(), add()),
      onkeydown: (event) => event.key === "Escape" && drop(name),
    },
    h(Picker, {
      label: "Field",
      shown: false,
      value: field.name,
      options: known.map(({ name }) => [name, fieldTitle(name)]),
      created: focusIn,
      onchange: into(state, "field"),
    }),
    h(Picker, {
      label: "Comparator",
      shown: false,
      value: comparator,
      options: Object.entries(words),
      onchange: into(state, "comparator"),
    }),
    h("input", {
      "aria-label": "Value",
      placeholder: /IN$/.test(comparator) ? "one, two" : example(field.type.replace(/^LIST<(.+)>$/, "$1")),
      value: state.text,
      oninput: into(state, "text"),
    }),
    h(Button, { class: "small", type: "submit", disabled: state.text === "" }, "Add"),
    h(Button, { kind: "quiet", icon: "close", label: "Without this condition", onclick: () => drop(name) }),
  );
}

const focusIn = (element) => element.focus();

/** Opens the field for another condition, or focuses it. */
export function openCondition() {
  draft(name, () => ({ isOpen: false, field: "", comparator: "", text: "" })).isOpen = true;
  update();
}
