// What the server did to answer a query: where it looked and at how many rows, or which index is missing;
// and the same query as the framework's predicate.

import { call, refresh } from "../core/calls.js";
import { admin } from "../core/places.js";
import { h } from "../core/render.js";
import { route, to } from "../core/router.js";
import { say } from "../core/state.js";
import { plural } from "../core/words.js";
import { Button, CopyButton, LinkButton } from "../parts/controls.js";
import { Icon } from "../parts/icons.js";
import { fieldTitle, predicate } from "./records-query.js";

export function Plan(where, fields, entry) {
  const plan = entry.value?.plan;
  const words = predicate(where, fields);
  return h(
    "div.plan",
    null,
    plan?.missing.length > 0
      ? Missing(plan.missing)
      : plan
      ? [
          h("span.ok", null, Icon("ok"), "Answered"),
          h("span", null, `from ${plan.sources.join(" and ") || "nothing"}`),
          h("span.note", null, `${plural(plan.rows, "row")} looked at for ${entry.value.records.length} shown`),
        ]
      : h("span.note", null, entry.isLoading ? "Asking…" : ""),
    h(
      "span.as",
      null,
      h("span.badge", null, "NSPredicate"),
      h("code", { title: words }, words),
      h(CopyButton, { text: words, what: "the predicate", kind: "quiet" }),
    ),
  );
}

const Missing = (missing) =>
  missing.map((index) =>
    h(
      "span.missing",
      { key: `${index.field}-${index.index}` },
      h("span.wait", null, Icon("warn"), `${index.recordType}.${fieldTitle(index.field)} is not ${index.index}`),
      route.environment === "development"
        ? h(Button, { class: "small", icon: "plus", onclick: () => add(index) }, "Add index")
        : h(LinkButton, { class: "small", href: to("schema", [index.recordType]) }, "To the schema"),
    ));

async function add(index) {
  try {
    await call(admin("schema/index"), { type: index.recordType, field: index.field, index: index.index, on: true });
    say(`${index.recordType}.${index.field} is ${index.index} now`);
    refresh();
  } catch (error) {
    say(error.message, true);
  }
}
