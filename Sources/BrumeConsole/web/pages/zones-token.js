// What a change token says: whose it is, where it stands, and whether the server would still take it.

import { call } from "../core/calls.js";
import { admin } from "../core/places.js";
import { h } from "../core/render.js";
import { draft, into, sendOnce } from "../core/state.js";
import { exactly, number } from "../core/words.js";
import { Button, Field } from "../parts/controls.js";
import { Facts, Form, Pane } from "../parts/layout.js";
import { Badge, Loading, Wrong } from "../parts/states.js";

export function Decoder() {
  const state = draft("zones.token", () => ({ token: "", found: undefined, error: undefined, isBusy: false }));
  const send = () =>
    sendOnce(state, async () => {
      state.found = undefined;
      state.found = await call(admin("tokens/decode"), { token: state.token.trim() });
    });
  return h(
    Pane,
    { key: "token", title: "What does a change token say?", note: "the syncToken of a zone or a database" },
    h(
      Form,
      { class: "body", onsend: send },
      h(Field, {
        label: "Token",
        type: "area",
        class: "mono",
        rows: 3,
        value: state.token,
        oninput: into(state, "token"),
      }),
      Wrong(state.error),
      h(
        "div.line",
        null,
        h(Button, { kind: "primary", type: "submit", disabled: state.token.trim() === "" }, "Read it"),
      ),
      state.isBusy && Loading(),
      state.found && Contents(state.found),
    ),
  );
}

const Contents = (found) =>
  h(
    "div.stack",
    { key: "found", role: "status" },
    found.refusal
      ? h(Badge, { kind: "bad" }, found.refusal)
      : h(
          Badge,
          { kind: "ok" },
          found.newest > found.position
            ? `valid, ${number(found.newest - found.position)} behind the newest change`
            : "valid, nothing newer",
        ),
    Facts([
      ["About", found.about + (found.zoneID ? ` ${found.zoneID.zoneName}` : "")],
      ["Of", found.user ?? found.userRecordName],
      ["Container", `${found.container}, ${found.environment}`],
      ["Database", found.database],
      ["Position", number(found.position)],
      ["Newest", found.newest !== undefined && number(found.newest)],
      ["Generation", `${found.generation}, now ${found.currentGeneration}`],
      ["Seen until", found.seenUntil && exactly(found.seenUntil)],
      ["More follows", found.moreComing ? "yes" : "no"],
    ]),
  );
