// How often queries used the indexes of a field, and which they were refused for lack of: since the server began.

import { remote } from "../core/calls.js";
import { admin } from "../core/places.js";
import { h } from "../core/render.js";
import { route, to } from "../core/router.js";
import { moment, number, plural } from "../core/words.js";
import { Button, LinkButton } from "../parts/controls.js";
import { Icon } from "../parts/icons.js";
import { Failed } from "../parts/states.js";
import { setIndex } from "./schema-index.js";

export const useOfIndexes = () => remote(admin("schema/usage"));

/** In the table of fields: how often, never, or refused. */
export function Use({ type, field }) {
  const { value } = useOfIndexes();
  if (!value) return null;
  const own = value.indexes.filter((use) => use.recordType === type.name && use.field === field.name);
  const lacked = own.reduce((sum, use) => sum + (field.indexes.includes(use.index.toUpperCase()) ? 0 : use.lacked), 0);
  if (lacked > 0)
    return h("span.wait.marked", null, Icon("warn"), `${plural(lacked, "query", "queries")} refused`);
  const used = own.reduce((sum, use) => sum + use.used, 0);
  if (field.indexes.length === 0) return null;
  return used > 0 ? number(used) : h("span.note.marked", null, Icon("ring"), "never");
}

/** Above the types: which indexes queries lack, each with what adds it. */
export function Lacking(schema) {
  const { value, error } = useOfIndexes();
  if (error && !value) return h("section.pane", { key: "lacking", "aria-label": "Use of indexes" }, Failed(error));
  const lacking = (value?.indexes ?? []).filter((use) => use.lacked > 0 && !isThere(schema, use));
  if (lacking.length === 0) return null;
  return h(
    "section.pane.lacking",
    { key: "lacking", "aria-label": "Missing indexes" },
    lacking.map((use) =>
      h(
        "p.wait",
        { key: `${use.recordType}.${use.field}.${use.index}` },
        Icon("warn"),
        h(
          "span",
          null,
          `${plural(use.lacked, "query", "queries")} since ${moment(value.since)} wanted `,
          h("code", null, `${use.recordType}.${use.field}`),
          ` ${use.index} and ${use.lacked === 1 ? "was" : "were"} refused`,
        ),
        route.environment === "development"
          ? h(
              Button,
              {
                class: "small",
                icon: "plus",
                onclick: () => setIndex(use.recordType, use.field, use.index, true),
              },
              "Add index",
            )
          : h(LinkButton, { class: "small", href: to("schema", [use.recordType]) }, "Show the type"),
      )),
  );
}

const isThere = (schema, use) =>
  schema.types.find((type) => type.name === use.recordType)?.fields.find((field) => field.name === use.field)?.indexes
    .includes(use.index.toUpperCase()) ?? true;
