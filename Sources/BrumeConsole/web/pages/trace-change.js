// The change of a trace in figures: what it was, who made it, how many subscriptions fired, whom it reached.

import { h } from "../core/render.js";
import { exactly, moment, number, plural, short } from "../core/words.js";
import { recordsAt } from "./records-query.js";

/** The way of the change in figures. */
export function Change({ change, sentence, subscriptions, history }) {
  const fired = subscriptions.filter((item) => item.verdict === "fired");
  const devices = fired.flatMap((item) => item.devices);
  const arrived = devices.filter((device) => ["acknowledged", "sent"].includes(device.verdict)).length;
  const where = {
    database: change.scope,
    user: change.owner ?? "",
    zone: change.zone ?? "_defaultZone",
    type: change.recordType,
  };
  const facts = [
    [
      "Change",
      change.record
        ? h(
            "a",
            { href: recordsAt(where, { sel: change.record }) },
            `${change.recordType ?? ""} ${short(change.record, 12)}`,
          )
        : (change.zone ?? change.kind),
    ],
    [change.kind, h("span", { title: exactly(change.time) }, moment(change.time))],
    ["by", change.user ? `${change.user}${change.device ? `, ${short(change.device, 14)}` : ""}` : "no request"],
    ["Fired", `${fired.length} of ${number(subscriptions.length)} judged`],
    ["Reached", `${arrived} of ${plural(devices.length, "device")}`],
  ];
  return h(
    "section.pane",
    { key: "facts", "aria-label": "Change" },
    h("p.sentence", { role: "status" }, sentence),
    h(
      "dl.figures.small",
      null,
      facts.map(([name, value]) => h("div", { key: name }, h("dt", null, name), h("dd", null, value))),
    ),
    history.age === 0 && h("p.note", null, "Nothing is remembered of pushes that are done."),
  );
}
