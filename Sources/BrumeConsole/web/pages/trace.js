// Trace: what became of this change? Why was bob's phone not notified? A sentence with pickers, the change,
// a tree of subscriptions and their devices with verdicts; for the chosen row the gates in the server's order.

import { remote } from "../core/calls.js";
import { admin, placeFlags } from "../core/places.js";
import { h } from "../core/render.js";
import { go, route, to } from "../core/router.js";
import { plural } from "../core/words.js";
import { Button, CopyButton } from "../parts/controls.js";
import { Beside, Head, Pane } from "../parts/layout.js";
import { Empty, Loaded } from "../parts/states.js";
import { option } from "./backup.js";
import { Change } from "./trace-change.js";
import { Gates } from "./trace-gates.js";
import { Question } from "./trace-question.js";
import { find, Tree } from "./trace-tree.js";

export const page = {
  name: "trace",
  title: "Trace",
  icon: "trace",
  isLive: true,
  view,
  keys: () => ({
    ...(shown && {
      "[": ["The change before", () => neighbour(1)],
      "]": ["The change after", () => neighbour(-1)],
    }),
    n: ["Another question", () => document.getElementById("field-record-or-request-id")?.focus()],
  }),
};

const asked = () => ({
  change: route.path[0],
  record: route.query.record,
  zone: route.query.zone,
  request: route.query.request,
  user: route.query.user,
  device: route.query.device,
});
/** The change that is on the page; none while nothing is asked, or before the answer has come. */
let shown;
/** Those that its question finds, newest first. */
let found = [];

function near(step) {
  const at = found.findIndex(({ id }) => id === shown?.id);
  return at < 0 ? undefined : found[at + step];
}

function neighbour(step) {
  const next = near(step);
  if (next) go(to("trace", [next.id], { ...asked(), change: undefined, sel: "" }));
}

const isOfAny = ({ record, request, user, device }) => record || request || user || device;

/** What a question finds. A change that is asked for by its ID comes alone, so the rest of the question is asked too. */
function changes(question, entry) {
  const rest = { ...question, change: undefined };
  const { value } = (question.change && isOfAny(rest) ? remote(admin("trace", rest)) : entry) ?? {};
  return value?.change ? [value.change, ...value.others] : [];
}

function view() {
  const question = asked();
  const isAsked = question.change || isOfAny(question);
  const entry = isAsked ? remote(admin("trace", question)) : undefined;
  shown = entry?.value?.change;
  found = changes(question, entry);
  return [
    h(Head, {
      title: "Trace",
      note: "what became of a change",
      actions:
        isAsked && [
          h(CopyButton, { text: location.href, what: "the link", kind: "primary" }, "Copy link"),
          h(CopyButton, { text: command(question), what: "the command" }, "Copy as command"),
        ],
    }),
    Question(question, entry?.value),
    entry
      ? Loaded(entry, Answer)
      : h(
          Pane,
          { class: "fill", key: "none" },
          Empty(
            "Save something, then ask for it by its record name or by the ID of the request that saved it",
            undefined,
            "trace",
          ),
        ),
  ];
}

/** Names are whatever users called things. */
const command = ({ record, zone, request, user, device, change }) =>
  [
    "brume push explain",
    change && option("change", change),
    record && option("record", record),
    zone && option("zone", zone),
    request && option("request", request),
    user && option("user", user),
    device && option("device", device),
  ].filter(Boolean).join(" ") + placeFlags();

function Answer(trace) {
  const chosen = find(trace, route.query.sel);
  return [
    trace.change ? Change(trace) : h("p.sentence", { key: "sentence", role: "status" }, trace.sentence),
    trace.change && Beside(
      h(
        Pane,
        { class: "fill", key: "tree", foot: Rest(trace) },
        trace.subscriptions.length === 0
          ? Empty("No subscription could have fired for this change", undefined, "push")
          : Tree(trace),
      ),
      chosen && Gates(chosen),
    ),
  ];
}

const Rest = (trace) =>
  h(
    "div.pages",
    null,
    h(
      "span.note",
      null,
      trace.notCandidates > 0
        ? `${plural(trace.notCandidates, "subscription")} more watch another database, zone or type`
        : trace.complete !== false && "All subscriptions are named",
      trace.complete === false && `${trace.notCandidates > 0 ? "; " : ""}there are more than are named here`,
    ),
    h(
      "div.actions",
      null,
      h(Button, { icon: "left", disabled: !near(1), onclick: () => neighbour(1), label: "The change before" }),
      h(Button, { icon: "right", disabled: !near(-1), onclick: () => neighbour(-1), label: "The change after" }),
    ),
  );
