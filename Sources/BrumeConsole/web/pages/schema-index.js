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
          onclick: () => set(type, field, index, !isOn),
        },
        letter,
      );
    }),
  );

async function set(type, field, index, isOn) {
  try {
    await call(`/_brume/admin/schema/index?${place()}`, {
      type: type.name,
      field: field.name,
      index: index.toLowerCase(),
      on: isOn,
    });
    say(`${type.name}.${field.name} is ${isOn ? "" : "no longer "}${index.toLowerCase()}`);
    refresh();
  } catch (error) {
    say(error.message, true);
  }
}
