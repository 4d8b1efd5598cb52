// The fields of a record as a list of editors: name, type, indexes, value; under an edited one what it was,
// and after a conflict what somebody else has saved.

import { h } from "../core/render.js";
import { update } from "../core/state.js";
import { example, isEditable, plainType, shown, typed } from "../core/values.js";
import { Badge } from "../parts/states.js";
import { ValueDifference } from "../parts/diff.js";

/** `isRead`: only to be read, because somebody else's rights hold. */
export const Fields = (fields, record, state, isRead) =>
  h(
    "div.record-fields",
    { key: "fields" },
    fields.map((field) => One(field, record, state, isRead)),
    fields.length === 0 && h("p.note", null, "This type has no fields yet."),
  );

function One(field, record, state, isRead) {
  const value = record.fields[field.name];
  const before = typed(value?.value, field.type);
  const now = state.texts[field.name] ?? before;
  const isChanged = now !== before;
  const wrong = state.wrong?.[field.name];
  const name = "value-" + field.name;
  return h(
    "div.value",
    { key: field.name },
    h(
      "div.named",
      null,
      h("label", { for: name }, h("b", null, field.name), h("span.note", null, " " + plainType(field.type))),
      isChanged
        ? h(Badge, { kind: "info", icon: "pencil" }, "edited")
        : h("span.note", null, field.indexes.map((index) => index.toLowerCase()).join(", ")),
    ),
    isEditable(field) && !isRead
      ? h(field.type.startsWith("LIST") || before.length > 60 ? "textarea" : "input", {
          id: name,
          value: now,
          rows: 3,
          placeholder: value === undefined ? example(field.type) || "no value" : "",
          "aria-invalid": wrong && "true",
          oninput: (event) => ((state.texts[field.name] = event.target.value), update()),
        })
      : h("p", { id: name }, value === undefined ? h("span.note", null, "no value") : shown(value)),
    wrong && h("p.wrong", { role: "alert" }, wrong),
    isChanged && record.recordName && h(ValueDifference, { before, after: now }),
    Theirs(field, before, state.conflict),
  );
}

function Theirs(field, before, conflict) {
  if (!conflict) return null;
  const other = typed(conflict.fields[field.name]?.value, field.type);
  return other !== before && h("p.was", null, h("span.note", null, "theirs "), other);
}
