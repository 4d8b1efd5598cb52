// The answer for one row: a sentence, then every question that the server asks before a push leaves, in its
// order. The first that failed is marked, later ones were not asked; each fact says where it is from.

import { h } from "../core/render.js";
import { go, to, withQuery } from "../core/router.js";
import { exactly, moment } from "../core/words.js";
import { LinkButton } from "../parts/controls.js";
import { Icon } from "../parts/icons.js";
import { Inspector } from "../parts/layout.js";
import { Verdict } from "./trace-tree.js";

const titles = {
  start: "Subscription is older than the change",
  database: "Same database",
  zone: "Same zone",
  recordType: "Same record type",
  event: "The event is watched",
  condition: "The condition is true",
  subscription: "The subscription is still the same",
  right: "The user may read it",
  writer: "The device is not the writer",
  device: "The user has the device",
  mailbox: "In the mailbox",
  merging: "Not merged into another push",
  permission: "May still be read when it is sent",
  age: "Not too old",
  fetch: "The device fetched what has changed",
  answer: "The other side's answer",
};
const icons = { passed: "ok", failed: "bad", notAsked: "unasked", unknown: "help" };
const outcomes = { passed: "passed", failed: "failed", notAsked: "not asked", unknown: "not known" };

export function Gates({ item, subscription, level }) {
  const gates = level === 1 ? item.gates : [...subscription.gates, ...item.gates];
  return h(
    Inspector,
    {
      key: "gates",
      title: level === 1 ? item.subscription : item.device,
      note: `${subscription.user}, ${level === 1 ? item.scope : (item.channel ?? "device")}`,
      onclose: () => go(withQuery({ sel: "" })),
      foot:
        level === 2 && h(
          "div.line",
          null,
          h(LinkButton, { class: "small", icon: "push", href: to("push", [], { device: item.device }) }, "Its pushes"),
          h(LinkButton, { class: "small", icon: "user", href: to("users", [subscription.user]) }, subscription.user),
        ),
    },
    h("div", { key: "why" }, h("div", null, Verdict(item.verdict)), h("p.why", null, item.reason)),
    h(
      "ol.gates",
      { key: "gates" },
      gates.map((gate) =>
        h(
          "li",
          { key: gate.gate, class: gate.outcome },
          Icon(icons[gate.outcome]),
          h(
            "div",
            null,
            h("p", null, titles[gate.gate] ?? gate.gate, h("span.unseen", null, `, ${outcomes[gate.outcome]}`)),
            h(
              "p.note",
              null,
              gate.outcome === "notAsked"
                ? "not asked"
                : `${gate.fact}${gate.source === "judged" ? " (judged again now)" : ""}`,
            ),
          ),
        )),
    ),
    item.attempts?.length > 0 && h(
      "div",
      { key: "attempts" },
      h("h3", null, "Attempts"),
      h(
        "ul.plain",
        null,
        item.attempts.map((attempt) =>
          h(
            "li",
            null,
            h("span", null, `${attempt.attempt}. ${attempt.verdict} ${attempt.status ?? ""} ${attempt.reason}`),
            h("time.note", { title: exactly(attempt.time) }, moment(attempt.time)),
          )),
      ),
    ),
  );
}
