// Faults and time, in development: make it fail now. A list of sentences, each counting down; what was held back; a
// form that makes the next chain; the clock, if it is moved by hand; the log, and a zone as of one of its changes.

import { call, refresh, remote } from "../core/calls.js";
import { h } from "../core/render.js";
import { knownUsers } from "../core/places.js";
import { go, route, withQuery } from "../core/router.js";
import { say } from "../core/state.js";
import { plural } from "../core/words.js";
import { Button } from "../parts/controls.js";
import { Beside, Head, Pane } from "../parts/layout.js";
import { Badge, Empty, Loaded } from "../parts/states.js";
import { Table } from "../parts/table.js";
import { Clock, toNext } from "./faults-clock.js";
import { AsOf, Log } from "./faults-log.js";
import { NewFault } from "./faults-new.js";
import { sentence } from "./faults-words.js";

export const page = {
  name: "faults",
  title: "Faults and time",
  icon: "faults",
  isForDevelopment: true,
  isLive: true,
  view,
  keys: () => ({ n: ["New fault", begin], ".": ["One timer on", toNext] }),
};

const begin = () => go(withQuery({ new: "1", then: "" }));

function view() {
  const faults = remote("/_brume/admin/faults");
  return [
    h(Head, {
      title: "Faults and time",
      note: "What a client of this development server meets on request, and when.",
      actions: [
        // Also without faults: what one has held back, expired or signed out stays so when it is used up.
        faults.value && h(Button, { icon: "play", onclick: release }, "Release held pushes"),
        faults.value && h(Button, { icon: "trash", onclick: clear }, "Clear all"),
        h(Button, { kind: "primary", icon: "plus", onclick: begin }, "New fault"),
      ],
    }),
    Beside(
      [
        h(
          Pane,
          { key: "faults", title: "Faults" },
          Loaded(faults, ({ faults }) =>
            faults.length === 0
              ? Empty("Nothing will go wrong", h(Button, { icon: "faults", onclick: begin }, "Make something fail"), "ok")
              : h(Table, { label: "Faults", columns, rows: faults, id: (fault) => String(fault.id) })),
        ),
        Clock(),
        Log(),
      ],
      route.query.new
        ? NewFault({ onclose: () => go(withQuery({ new: "" })) })
        : route.query.then && AsOf(route.query.then),
    ),
  ];
}

const columns = [
  { title: "No.", class: "narrow", cell: (fault) => String(fault.id) },
  { title: "What happens", class: "wrap", cell: (fault) => sentence(named(fault)) },
  {
    title: "State",
    cell: (fault) =>
      fault.after
        ? h(Badge, { kind: "wait" }, `after no. ${fault.after}`)
        : h(Badge, { kind: "info", icon: "faults" }, "armed"),
  },
  { title: "Left", class: "right", cell: (fault) => (fault.always ? "until cleared" : plural(fault.count, "time")) },
];

/** The server names users by their records, and people by how they sign in. */
function named(fault) {
  const nameOf = (record) => knownUsers().find(({ recordName }) => recordName === record)?.name ?? record;
  return { ...fault, user: fault.user && nameOf(fault.user), to: fault.to && nameOf(fault.to) };
}

async function clear() {
  await attempt("faults/clear", () => "Nothing will go wrong now");
}

async function release() {
  await attempt("faults/release", ({ pushes }) =>
    pushes === 0 ? "No push is held back" : `Delivered what was held back: ${plural(pushes, "push", "pushes")}`);
}

async function attempt(path, says) {
  try {
    say(says(await call(`/_brume/admin/${path}`, {})));
    refresh();
  } catch (error) {
    say(error.message, true);
  }
}
