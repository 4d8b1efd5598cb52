// The indexes of a field as three switches: Q queryable, S sortable, T searchable. What the type does not
// allow is a dash. In production indexes come with a promotion.

import { call, refresh } from "../core/calls.js";
import { h } from "../core/render.js";
import { route } from "../core/router.js";
import { say } from "../core/state.js";
import { place } from "../core/places.js";
import { allowed } from "./schema-text.js";

const letters = { QUERYABLE: "Q", SORTABLE: "S", SEARCHABLE: "T" };

export const Indexes = ({ type, field }) =>
  h(
    "span.indexes",
    null,
    Object.entries(letters).map(([index, letter]) => {
      const isOn = field.indexes.includes(index);
      if (!isOn && !allowed(field).includes(index)) return h("span.none", { key: index }, "–");
      return h(
        "button",
        {
          key: index,
          type: "button",
          "aria-pressed": isOn ? "true" : "false",
          disabled: route.environment === "production",
          "aria-label": `${field.name} ${index.toLowerCase()}`,
          title: index.toLowerCase(),
          onclick: () => setIndex(type.name, field.name, index.toLowerCase(), !isOn),
        },
        letter,
      );
    }),
  );

/** Switches an index on or off; `index` is "queryable", "sortable" or "searchable". */
export async function setIndex(type, field, index, isOn) {
  try {
    await call(`/_brume/admin/schema/index?${place()}`, { type, field, index, on: isOn });
    say(`${type}.${field} is ${isOn ? "" : "no longer "}${index}`);
    refresh();
  } catch (error) {
    say(error.message, true);
  }
}
