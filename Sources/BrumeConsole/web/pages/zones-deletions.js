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
    found: undefined,
    error: undefined,
    isBusy: false,
  }));
const body = (now) => (now.days.trim() === "" ? {} : { olderThanDays: Number(now.days) });

export function Deletions() {
  const now = state();
  return h(
    Pane,
    { key: "deletions", title: "Forget old deletions", note: "in all databases of this container and environment" },
    h(
      Form,
      { class: "body", onsend: () => count(now) },
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
        oninput: (event) => (Object.assign(now, { days: event.target.value, found: undefined }), update()),
      }),
      Wrong(now.error),
      h("div.line", null, h(Button, { kind: "primary", type: "submit" }, "Count them")),
      now.isBusy && Loading(),
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
      `Of ${plural(now.found.unknown, "database")} it is not known what is so old: the server notes it from now on, if it runs `
        + "with --deletion-days.",
    ),
    now.found.deletions > 0 && h("div.line", null, h(Button, { kind: "danger", icon: "trash", onclick: () => forget(now) }, "Forget…")),
  );

const words = ({ deletions, zones }) => `${plural(deletions, "deletion")} of ${plural(zones, "zone")}`;

async function count(now) {
  Object.assign(now, { found: undefined, error: undefined, isBusy: true });
  update();
  try {
    now.found = await call(admin(path), { ...body(now), dryRun: true });
  } catch (error) {
    now.error = error;
  }
  now.isBusy = false;
  update();
}

const forget = (now) =>
  confirm({
    title: "Forget old deletions",
    word: `${shortContainer(route.container)} ${route.environment}`,
    button: "Forget",
    loses: `${words(now.found)} are forgotten for good. Devices that were away since fetch ${
      now.found.zones === 1 ? "that zone" : `those ${number(now.found.zones)} zones`
    } from the beginning.`,
    act: async () => {
      await call(admin(path), body(now));
      now.found = undefined;
    },
    done: "They are forgotten",
  });
