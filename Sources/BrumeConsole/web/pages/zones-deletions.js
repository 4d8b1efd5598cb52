// Forgetting old deletions: how many there are, and after a typed word they are forgotten.

import { call } from "../core/calls.js";
import { admin } from "../core/places.js";
import { h } from "../core/render.js";
import { route } from "../core/router.js";
import { draft, update } from "../core/state.js";
import { number, plural, shortContainer } from "../core/words.js";
import { Button, Field } from "../parts/controls.js";
import { confirm } from "../parts/dialogs.js";
import { Form, Pane } from "../parts/layout.js";
import { Badge, Loading, Wrong } from "../parts/states.js";

const path = "deletions/forget";
const state = () =>
  draft(`zones.deletions.${route.container}.${route.environment}`, () => ({
    days: "90",
    isWrong: false,
    // What was asked last; answers to anything else come too late.
    asked: undefined,
    found: undefined,
    error: undefined,
  }));
const body = (now) => (now.days.trim() === "" ? {} : { olderThanDays: Number(now.days) });

export function Deletions() {
  const now = state();
  return h(
    Pane,
    { key: "deletions", title: "Forget old deletions", note: "in all databases of this container and environment" },
    h(
      Form,
      { class: "body", onsend: () => void count(now) },
      h(
        "p",
        null,
        "A zone remembers the names of deleted records, so that devices hear of it however long they were away. ",
        "Devices whose change token is older than what is forgotten fetch the zone from the beginning.",
      ),
      h(Field, {
        label: "Older than, in days",
        type: "number",
        min: 0,
        max: 36500,
        value: now.days,
        note: "0 is everything up to now; empty is what --deletion-days of the server says",
        error: now.isWrong && "Type whole days, or nothing",
        oninput: (event) => typed(now, event.target),
      }),
      Wrong(now.error),
      h("div.line", null, h(Button, { kind: "primary", type: "submit", disabled: now.isWrong }, "Count them")),
      now.asked && !now.found && Loading(),
      now.found && Found(now),
    ),
  );
}

const Found = (now) =>
  h(
    "div.stack",
    { key: "found", role: "status" },
    h("p", null, h(Badge, { kind: now.found.deletions ? "info" : "off" }, `${words(now.found)} would be forgotten`)),
    now.found.unknown > 0 && h(
      "p.note",
      null,
      `Databases in which it is not known what is so old: ${now.found.unknown}. A server with --deletion-days notes it from its `
        + "start on.",
    ),
    now.found.deletions > 0 && h("div.line", null, h(Button, { kind: "danger", icon: "trash", onclick: () => forget(now) }, "Forget…")),
  );

const words = ({ deletions, zones }) => `${plural(deletions, "deletion")} of ${plural(zones, "zone")}`;

/** What a field of numbers cannot read it hands over as an empty text, which means something else. */
function typed(now, { value, validity }) {
  Object.assign(now, { days: value, isWrong: validity.badInput, asked: undefined, found: undefined, error: undefined });
  update();
}

async function count(now) {
  const asked = body(now);
  Object.assign(now, { asked, found: undefined, error: undefined });
  update();
  try {
    const found = await call(admin(path), { ...asked, dryRun: true });
    if (now.asked === asked) now.found = found;
  } catch (error) {
    if (now.asked === asked) Object.assign(now, { asked: undefined, error });
  }
  update();
}

/** Exactly what was counted. */
function forget(now) {
  const { asked, found } = now;
  confirm({
    title: "Forget old deletions",
    word: `${shortContainer(route.container)} ${route.environment}`,
    button: "Forget",
    loses: `${words(found)} are forgotten for good. Devices that were away since fetch ${
      found.zones === 1 ? "that zone" : `those ${number(found.zones)} zones`
    } from the beginning.`,
    act: async () => {
      await call(admin(path), asked);
      Object.assign(now, { asked: undefined, found: undefined });
    },
    done: "They are forgotten",
  });
}
