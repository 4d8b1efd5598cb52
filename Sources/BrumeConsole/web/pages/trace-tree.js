// The tree of a trace: subscriptions, below each its devices, every row with its verdict and the reason. One
// tab stop; keys go from row to row as in a table, left and right close and open.

import { h } from "../core/render.js";
import { go, route, withQuery } from "../core/router.js";
import { draft, update } from "../core/state.js";
import { moment } from "../core/words.js";
import { Icon } from "../parts/icons.js";
import { Badge } from "../parts/states.js";
import { rowAfter } from "../parts/table.js";

/** Verdicts as icon, colour and words. */
const verdicts = {
  fired: ["ok", "ok", "Fired"],
  createdLater: ["ring", "off", "Saved later"],
  recordType: ["ring", "off", "Other type"],
  event: ["ring", "off", "Not fired"],
  zone: ["ring", "off", "Other zone"],
  condition: ["ring", "off", "Not fired"],
  replaced: ["ring", "off", "Replaced"],
  noRight: ["lock", "bad", "No right"],
  shareLeft: ["door", "off", "Share left"],
  ownWriter: ["pencil", "off", "Own writer"],
  damaged: ["bad", "bad", "Damaged"],
  noDevice: ["devices", "off", "No device"],
  pending: ["wait", "wait", "Not served yet"],
  signedOut: ["door", "off", "Signed out"],
  waiting: ["wait", "wait", "Waiting"],
  merged: ["merged", "info", "Merged"],
  sent: ["ok", "ok", "Sent"],
  acknowledged: ["ok", "ok", "Acknowledged"],
  retry: ["retry", "wait", "Retry"],
  gone: ["bad", "bad", "Gone"],
  refused: ["bad", "bad", "Refused"],
  withdrawn: ["lock", "off", "Withdrawn"],
  expired: ["wait", "off", "Expired"],
  stoppedByFault: ["faults", "wait", "Stopped by a fault"],
  unknown: ["unasked", "off", "Not known"],
};

export const Verdict = (verdict) => {
  const [icon, kind, words] = verdicts[verdict] ?? ["unasked", "off", verdict];
  return h(Badge, { icon, kind }, words);
};

/** The rows of the tree: `{ id, level, item, subscription, isOpen }`. */
function rows(trace, closed) {
  return trace.subscriptions.flatMap((subscription) => {
    const id = `${subscription.user}/${subscription.scope}/${subscription.subscription}`;
    const isOpen = !closed.has(id);
    const devices =
      isOpen
        ? subscription.devices.map((device) => ({ id: `${id}/${device.device}`, level: 2, item: device, subscription }))
        : [];
    return [
      { id, level: 1, item: subscription, subscription, isOpen: subscription.devices.length > 0 ? isOpen : undefined },
      ...devices
    ];
  });
}

/** The row that the address names. */
export const find = (trace, id) => rows(trace, new Set()).find((row) => row.id === id);

const choose = (id) => go(withQuery({ sel: id }));

export function Tree(trace) {
  const { closed } = draft("trace.closed", () => ({ closed: new Set() }));
  const all = rows(trace, closed);
  const stop = all.find((row) => row.id === route.query.sel) ?? all[0];
  return h(
    "div.table",
    { key: "tree" },
    h(
      "table",
      { role: "treegrid", "aria-label": "Subscriptions and their devices" },
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          ["Subscription and devices", "Verdict", "Because", "When"].map((title) => h("th", { scope: "col" }, title)),
        ),
      ),
      h("tbody", { onkeydown: (event) => moved(event, all, closed) }, all.map((row) => Row(row, row === stop, closed))),
    ),
  );
}

function Row(row, isStop, closed) {
  const { item } = row;
  return h(
    "tr",
    {
      key: row.id,
      class: row.level === 1 ? "group" : "",
      tabindex: isStop ? 0 : -1,
      "aria-level": row.level,
      "aria-expanded": row.isOpen === undefined ? undefined : String(row.isOpen),
      "aria-current": row.id === route.query.sel && "true",
      onclick: () => choose(row.id),
    },
    h(
      "td",
      null,
      h(
        "span",
        { class: `branch level-${row.level}` },
        row.isOpen !== undefined && h(
          "span.twist",
          { onclick: (event) => (event.stopPropagation(), toggle(closed, row.id)) },
          Icon(row.isOpen ? "down" : "right"),
        ),
        Icon(row.level === 1 ? "push" : item.channel === "webhook" ? "webhook" : "devices"),
        row.level === 1
          ? [h("b", null, item.subscription), h("span.note", null, item.user)]
          : [h("span", null, item.device), h("span.note", null, item.channel ?? "")],
      ),
    ),
    h("td", null, Verdict(item.verdict)),
    h("td.because", { title: item.reason }, item.reason),
    h(
      "td.note",
      null,
      item.attempts?.length > 0 ? moment(item.attempts.at(-1).time) : item.due ? `due ${moment(item.due)}` : "",
    ),
  );
}

function toggle(closed, id) {
  if (!closed.delete(id)) closed.add(id);
  update();
}

function moved(event, all, closed) {
  const line = event.target.closest("tr");
  const row = all[[...line.parentNode.children].indexOf(line)];
  if (event.target !== line || event.ctrlKey || event.metaKey || event.altKey) return;
  const next = rowAfter(event.key, line);
  if (next) next.focus();
  else if (event.key === "Enter") choose(row.id);
  else if (event.key === "ArrowRight" && row.isOpen === false) toggle(closed, row.id);
  else if (event.key === "ArrowLeft" && row.isOpen) toggle(closed, row.id);
  else return;
  event.preventDefault();
  event.stopPropagation();
}
