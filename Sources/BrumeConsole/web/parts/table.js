// Tables: real ones, with one tab stop. Arrows, J and K move from row to row, Enter opens, Home and End go
// to the ends. Pages come by key; no total is invented.

import { remote } from "../core/calls.js";
import { h } from "../core/render.js";
import { route } from "../core/router.js";
import { Icon } from "./icons.js";

/**
 * A table. `columns` are `{ title, cell(row), class, sort, hidden }`; `id(row)` names a row; `onopen(row)` opens it;
 * `chosen` is the name of the row that is open.
 */
export const Table = ({ label, columns, rows, id, chosen, onopen, rowClass }) =>
  h(
    "div.table",
    { key: "table" },
    h(
      "table",
      null,
      h("caption.unseen", null, label),
      h("thead", null, h("tr", null, columns.map((column) => HeadCell(column)))),
      h(
        "tbody",
        { onkeydown: (event) => moved(event, rows, id, onopen) },
        rows.map((row, index) => {
          const isChosen = id(row) === chosen;
          return h(
            "tr",
            {
              key: "row-" + id(row),
              class: rowClass?.(row),
              tabindex:
                onopen
                  ? (isChosen || (index === 0 && !rows.some((other) => id(other) === chosen)) ? 0 : -1)
                  : undefined,
              "aria-current": isChosen && "true",
              onclick: onopen && ((event) => clicked(event, () => onopen(row))),
            },
            columns.map((column) => h("td", { class: column.class }, column.cell(row))),
          );
        }),
      ),
    ),
  );

/** The column of what can be done with a row, at its end. */
export const actionColumn = (cell) => ({ title: "Actions", hidden: true, class: "end", cell });

const HeadCell = ({ title, class: names, sort, hidden }) =>
  h(
    "th",
    {
      scope: "col",
      class: names,
      "aria-sort": sort?.isOn ? (sort.isDescending ? "descending" : "ascending") : undefined,
    },
    sort
      ? h(
          "button.sort",
          { type: "button", onclick: sort.onclick },
          title,
          sort.isOn && h("span", { "aria-hidden": "true" }, sort.isDescending ? " ↓" : " ↑"),
        )
      : hidden
      ? h("span.unseen", null, title)
      : title,
  );

/** Links and buttons in a row do what they say; everything else opens the row. */
function clicked(event, open) {
  if (event.target.closest("a, button, input, select, label") || String(getSelection()) !== "") return;
  open();
}

const steps = {
  ArrowDown: 1,
  j: 1,
  J: 1,
  ArrowUp: -1,
  k: -1,
  K: -1,
  PageDown: 10,
  PageUp: -10,
  Home: -Infinity,
  End: Infinity,
};

/** The row to which a key leads from another one; undefined if it is no key that does. */
export function rowAfter(key, row) {
  const step = steps[key];
  if (step === undefined) return undefined;
  const all = [...row.parentNode.children];
  return all[Math.max(0, Math.min(all.length - 1, all.indexOf(row) + step))];
}

function moved(event, rows, id, onopen) {
  const row = event.target.closest("tr");
  if (event.target !== row || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Enter" && onopen) {
    event.preventDefault();
    onopen(rows[[...row.parentNode.children].indexOf(row)]);
    return;
  }
  const next = rowAfter(event.key, row);
  if (!next) return;
  event.preventDefault();
  event.stopPropagation();
  row.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

/**
 * The line that the address chooses, among those that are shown. Newer ones may have pushed it off: then it is asked for
 * alone. `path` makes the call from its position; `name` is the list in the answer.
 */
export function chosenLine(lines, name, path) {
  const { sel } = route.query;
  if (!sel || !lines) return undefined;
  const isIt = (line) => String(line.position) === sel;
  const shown = lines.find(isIt);
  return shown || !/^[0-9]+$/.test(sel) ? shown : remote(path(Number(sel))).value?.[name].find(isIt);
}

/** Puts the focus on the row that is open, or on the first one. */
export function focusTable() {
  const row = document.querySelector(".table tr[aria-current]") ?? document.querySelector(".table tbody tr[tabindex]");
  row?.focus();
}

/** The foot of a table that comes in pages. */
export const Pages = ({ text, newer, older }) =>
  h(
    "div.pages",
    null,
    h("span.note", null, text),
    h(
      "div.actions",
      null,
      h("button.button", { type: "button", disabled: !newer, onclick: newer }, Icon("left"), h("span", null, "Newer")),
      h("button.button", { type: "button", disabled: !older, onclick: older }, h("span", null, "Older"), Icon("right")),
    ),
  );
