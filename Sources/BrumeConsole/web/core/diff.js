// What has changed between two texts: by lines for schemas, by words for values. The longest common
// subsequence; beyond a bound the two are shown one after the other.

const mostCells = 4_000_000;

/** Steps `{ kind: "same" | "old" | "new", item, before, after }`; before and after are line numbers from 1. */
export function difference(before, after) {
  const steps = [];
  let [left, right] = [0, 0];
  for (const kind of path(before, after)) {
    if (kind === "same") steps.push({ kind, item: before[left], before: ++left, after: ++right });
    else if (kind === "old") steps.push({ kind, item: before[left], before: ++left });
    else steps.push({ kind, item: after[right], after: ++right });
  }
  return steps;
}

function path(before, after) {
  const [rows, columns] = [before.length, after.length];
  if ((rows + 1) * (columns + 1) > mostCells) return [...before.map(() => "old"), ...after.map(() => "new")];
  const lengths = Array.from({ length: rows + 1 }, () => new Uint32Array(columns + 1));
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      lengths[row][column] =
        before[row] === after[column]
          ? lengths[row + 1][column + 1] + 1
          : Math.max(lengths[row + 1][column], lengths[row][column + 1]);
    }
  }
  const kinds = [];
  let [row, column] = [0, 0];
  while (row < rows || column < columns) {
    if (row < rows && column < columns && before[row] === after[column])
      [row, column] = (kinds.push("same"), [row + 1, column + 1]);
    else if (column >= columns || (row < rows && lengths[row + 1][column] >= lengths[row][column + 1]))
      row = (kinds.push("old"), row + 1);
    else column = (kinds.push("new"), column + 1);
  }
  return kinds;
}

/** The same for words, spaces and signs. */
export const wordDifference = (before, after) => difference(words(before), words(after));

const words = (text) => String(text).match(/\w+|\s+|[^\w\s]/g) ?? [];

/** Long equal stretches folded: `{ kind: "fold", count, steps }` in place of what is far from every change. */
export function folded(steps, near = 2) {
  const isShown = steps.map((_, index) =>
    steps.slice(Math.max(0, index - near), index + near + 1).some((step) => step.kind !== "same"));
  const result = [];
  steps.forEach((step, index) => {
    if (isShown[index]) result.push(step);
    else if (result.at(-1)?.kind === "fold") result.at(-1).steps.push(step);
    else result.push({ kind: "fold", steps: [step] });
  });
  return result;
}
