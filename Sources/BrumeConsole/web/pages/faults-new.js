// The form of a new chain of faults: which call, of whom, how often, and what happens to it; then what happens when
// that is used up. The sentence that it makes is shown while it is made.

import { call, refresh } from "../core/calls.js";
import { h } from "../core/render.js";
import { unlessLeft } from "../core/router.js";
import { draft, drop, into, say, sendOnce, update } from "../core/state.js";
import { userNames } from "../core/places.js";
import { Button, Field, Picker } from "../parts/controls.js";
import { Form, Inspector } from "../parts/layout.js";
import { Wrong } from "../parts/states.js";
import { UserPicker } from "../parts/users.js";
import { codes, effects, operations, sentences } from "./faults-words.js";

const blank = () => ({
  on: "saveRecords",
  effect: "error",
  code: "23",
  user: "",
  to: "",
  zone: "",
  record: "",
  skip: "0",
  count: "1",
  retryAfter: "",
  chain: [],
  error: undefined,
});

/** The fault as the server wants it; what is empty is left out. */
function fault(state) {
  const result = { effect: state.effect, skip: Number(state.skip) || 0 };
  if (state.on) result.on = [state.on];
  if (state.effect === "error") result.code = Number(state.code);
  if (state.effect === "switchAccount") result.to = state.to;
  for (const name of ["user", "zone", "record"]) if (state[name]) result[name] = state[name];
  if (state.count === "") result.always = true;
  else result.count = Number(state.count) || 1;
  if (state.retryAfter) result.retryAfter = Number(state.retryAfter);
  return result;
}

export function NewFault({ onclose }) {
  const state = draft("faults.new", blank);
  const users = [["", "anybody"], ...userNames().map((name) => [name, name])];
  const chain = [...state.chain, fault(state)];
  const then = (event) => {
    // A field of numbers hands over as nothing what it cannot read, and nothing means something else.
    if (!event.currentTarget.form.reportValidity()) return;
    Object.assign(state, blank(), { chain, on: state.on, user: state.user });
    document.querySelector(".inspector select")?.focus();
    update();
  };
  const send = () =>
    sendOnce(state, async () => {
      const stays = unlessLeft();
      await call("/_brume/admin/faults", { faults: chain });
      say("Armed: " + sentences(chain));
      drop("faults.new");
      refresh();
      stays(onclose);
    });
  return h(
    Inspector,
    { key: "new", title: "New fault", draft: "faults.new", onclose },
    h("div", { key: "sentence" }, h("p", { role: "status" }, sentences(chain) + ".")),
    h(
      Form,
      { key: "form", onsend: send },
      h(Picker, {
        label: "On",
        value: state.on,
        options: Object.entries(operations),
        onchange: into(state, "on"),
        created: (element) => element.focus(),
      }),
      h(UserPicker, { label: "Of", value: state.user, options: users, onchange: into(state, "user") }),
      h(Picker, {
        label: "What happens",
        value: state.effect,
        options: Object.entries(effects),
        onchange: into(state, "effect"),
      }),
      state.effect === "error" && h(Picker, {
        key: "code",
        label: "Error",
        value: state.code,
        options: Object.entries(codes),
        onchange: into(state, "code"),
      }),
      state.effect === "switchAccount" && h(UserPicker, {
        key: "to",
        label: "To",
        value: state.to,
        options: users,
        onchange: into(state, "to"),
      }),
      h(
        "div.line.halves",
        { key: "where" },
        h(Field, { label: "Zone", value: state.zone, oninput: into(state, "zone"), placeholder: "any" }),
        h(Field, { label: "Record", value: state.record, oninput: into(state, "record"), placeholder: "any" }),
      ),
      h(
        "div.line.halves",
        { key: "when" },
        h(Field, { label: "Let pass first", type: "number", min: 0, value: state.skip, oninput: into(state, "skip") }),
        h(Field, {
          label: "Times",
          type: "number",
          min: 1,
          value: state.count,
          oninput: into(state, "count"),
          placeholder: "always",
        }),
      ),
      state.effect === "error" && h(Field, {
        key: "retry",
        label: "Retry after, in seconds",
        type: "number",
        min: 0,
        value: state.retryAfter,
        oninput: into(state, "retryAfter"),
        placeholder: "not said",
      }),
      Wrong(state.error),
      h(
        "div.line",
        { key: "send" },
        h(Button, { kind: "primary", type: "submit", disabled: state.isBusy }, "Add"),
        h(Button, { icon: "plus", onclick: then }, "Then…"),
        state.chain.length > 0 && h(Button, {
          kind: "quiet",
          icon: "close",
          onclick: () => (Object.assign(state, { chain: state.chain.slice(0, -1) }), update()),
        }, "Take the last one back"),
      ),
    ),
  );
}
