// Differences, seen: lines with both numbers and a sign, changed words underlined, equal stretches folded.

import { difference, folded, wordDifference } from "../core/diff.js";
import { h } from "../core/render.js";
import { plural } from "../core/words.js";

const signs = { same: " ", old: "−", new: "+" };
const spoken = { same: "", old: "removed: ", new: "added: " };

/** Two texts line by line. */
export function TextDifference({ before, after, label }) {
  const steps = difference(before.split("\n"), after.split("\n"));
  const partners = pairs(steps);
  return h(
    "div.diff",
    { tabindex: 0, role: "region", "aria-label": label },
    folded(steps).map((step, index) =>
      step.kind === "fold"
        ? h("p.fold", { key: `fold-${index}` }, `${plural(step.steps.length, "line")} the same`)
        : h(
            "p",
            { key: `${step.before ?? "-"}:${step.after ?? "-"}`, class: step.kind },
            h("span.number", null, String(step.before ?? "")),
            h("span.number", null, String(step.after ?? "")),
            h("span.sign", { "aria-hidden": "true" }, signs[step.kind]),
            h("span.unseen", null, spoken[step.kind]),
            h("span", null, partners.has(step) ? Words(step, partners.get(step)) : step.item),
          )),
  );
}

/** A removed line and the added one that stands right after it. */
function pairs(steps) {
  const found = new Map();
  steps.forEach((step, index) => {
    const next = steps[index + 1];
    if (step.kind !== "old" || next?.kind !== "new" || steps[index + 2]?.kind === "new") return;
    found.set(step, next);
    found.set(next, step);
  });
  return found;
}

const Words = (line, other) => {
  const [before, after] = line.kind === "old" ? [line.item, other.item] : [other.item, line.item];
  return wordDifference(before, after).filter((step) => step.kind === "same" || step.kind === line.kind).map((step) =>
    (step.kind === "same" ? step.item : h("u", null, step.item)));
};

/** What a value was and is, in one line. */
export const ValueDifference = ({ before, after }) =>
  h(
    "p.was",
    null,
    h("span.note", null, "was "),
    wordDifference(before, after).map((step) =>
      step.kind === "same" ? step.item : step.kind === "old" ? h("del", null, step.item) : h("ins", null, step.item)),
  );

/** How many lines come and go: "+5 −2". */
export function count(before, after) {
  const steps = difference(before.split("\n"), after.split("\n"));
  const of = (kind) => steps.filter((step) => step.kind === kind).length;
  return { added: of("new"), removed: of("old") };
}
