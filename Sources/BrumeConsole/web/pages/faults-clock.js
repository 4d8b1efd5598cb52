// The clock of a server whose time is moved by hand: what it shows, what waits for it, and how it is moved.

import { call, refresh, remote } from "../core/calls.js";
import { h } from "../core/render.js";
import { say } from "../core/state.js";
import { exactly } from "../core/words.js";
import { Button, Code } from "../parts/controls.js";
import { Pane } from "../parts/layout.js";
import { Loaded } from "../parts/states.js";
import { Table } from "../parts/table.js";

const path = "/_brume/admin/clock";

export const Clock = () =>
  h(Pane, { key: "clock", title: "Time" }, Loaded(remote(path), (clock) => (clock.manual ? Moved(clock) : Passing())));

const Passing = () =>
  h(
    "div.body.stack",
    null,
    h("p", null, "Time passes by itself. To move it by hand, start the server with"),
    h(Code, { text: "brume serve --dev --clock manual", what: "the command" }),
  );

function Moved(clock) {
  const next = clock.timers[0];
  return h(
    "div.body.stack",
    null,
    h("p", { role: "status" }, "It is ", h("b", null, exactly(clock.now)), ", until somebody moves it."),
    h(
      "div.line",
      null,
      h(Button, { icon: "wait", onclick: () => move({ milliseconds: 1000 }) }, "+1 s"),
      h(Button, { icon: "wait", onclick: () => move({ milliseconds: 60_000 }) }, "+1 min"),
      next && h(
        Button,
        { icon: "play", onclick: toNext },
        `To the next timer, in ${duration(next.time - clock.now)}: ${next.name}`,
      ),
    ),
    clock.timers.length === 0
      ? h("p.note", null, "Nothing waits.")
      : h(Table, { label: "What waits", columns: columns(clock), rows: clock.timers.map(numbered), id: ({ id }) => id }),
  );
}

/** Two may wait for the same at the same time, as for pushes of two devices. */
const numbered = (timer, at) => ({ ...timer, id: String(at) });

const columns = (clock) => [
  { title: "In", class: "narrow", cell: (timer) => duration(timer.time - clock.now) },
  { title: "What waits", class: "wrap", cell: (timer) => timer.name },
];

/** Moves to what waits next. */
export const toNext = () => move({ toNext: true });

async function move(how) {
  try {
    const clock = await call(path, how);
    say(clock.reached ? `Moved to: ${clock.reached.name}` : `It is ${exactly(clock.now)}`);
    refresh();
  } catch (error) {
    say(error.message, true);
  }
}

/** 1 h 30 min, 2 s. */
function duration(milliseconds) {
  const parts = [];
  let rest = Math.max(0, milliseconds);
  for (const [name, size] of [["d", 86_400_000], ["h", 3_600_000], ["min", 60_000], ["s", 1000], ["ms", 1]]) {
    if (rest >= size) parts.push(`${Math.floor(rest / size)} ${name}`);
    rest %= size;
  }
  return parts.slice(0, 2).join(" ") || "now";
}
