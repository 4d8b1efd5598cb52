// Deleting a record, and saving it again until the page is left.

import { call, refresh } from "../core/calls.js";
import { admin } from "../core/places.js";
import { h } from "../core/render.js";
import { go, onArrival, route, unlessLeft, withQuery } from "../core/router.js";
import { draft, drop, hasDraft, once, say } from "../core/state.js";
import { plural, short } from "../core/words.js";
import { Button } from "../parts/controls.js";
import { confirm } from "../parts/dialogs.js";
import { database, exact, zoneID } from "./records-query.js";
import { begun, forgetDraft, views } from "./records-save.js";

const name = "records.deleted";
const isHere = ({ page, container, environment }) =>
  page === route.page && container === route.container && environment === route.environment;

onArrival((before) => !isHere(before) && drop(name));

/** What can be typed: of a name that a server made the first letters. */
const beginning = (name) => (name.length > 12 ? [...name].slice(0, 6).join("") : name);

/** Asks for the beginning of its name, then deletes it. */
export function remove(where, record, close) {
  const state = begun(where, record);
  const { recordName } = record;
  const place = { ...exact, zoneID: zoneID(where) };
  const [lookup, modify] = [admin("records/lookup"), admin("records/modify")];
  const act = async () => {
    const [stays, from] = [unlessLeft(), route];
    // Somebody may have changed it since the list was made: what is deleted is what can be saved again.
    const now = await one(lookup, { ...database(where), ...place, records: [{ recordName }] });
    const body = { ...views(where, state, record), ...place };
    await one(modify, { ...body, operations: [{ operationType: "forceDelete", record: { recordName } }] });
    drop(name);
    if (isHere(from)) draft(name, () => ({ modify, body, record: now }));
    forgetDraft(where, record);
    refresh();
    stays(close);
  };
  confirm({
    title: "Delete a record",
    word: beginning(record.recordName),
    button: "Delete",
    act,
    done: `${short(record.recordName)} is deleted`,
    loses: `${plural(Object.keys(record.fields).length, "field")} of this ${record.recordType}, and every record whose ` +
      "reference says so. Until this page is left you can save it again.",
  });
}

/** What the server answers about the one record of a call. */
async function one(address, body) {
  const [answer] = (await call(address, body)).records;
  if (answer.serverErrorCode) throw new Error(answer.reason);
  return answer;
}

/** The record that was deleted last, to be saved again: the same name, fields and parent, without files. */
export function Restorable() {
  if (!hasDraft(name)) return null;
  const deleted = draft(name, () => ({}));
  return h(
    "p.restore",
    { key: "restore" },
    h("span", null, `${short(deleted.record.recordName)} was deleted.`),
    h(Button, { class: "small", icon: "retry", onclick: () => once(deleted, () => restore(deleted)) }, "Restore"),
    h(Button, { kind: "quiet", icon: "close", label: "Forget it", onclick: () => drop(name) }),
  );
}

async function restore({ modify, body, record: { recordName, recordType, parent, fields } }) {
  const stays = unlessLeft();
  const kept = Object.fromEntries(Object.entries(fields).filter(([, field]) => !/ASSETID/.test(field.type ?? "")));
  try {
    const record = { recordName, recordType, parent, fields: kept };
    await one(modify, { ...body, operations: [{ operationType: "create", record }] });
    drop(name);
    say(`${short(recordName)} is back`);
    refresh();
    stays(() => go(withQuery({ sel: recordName })));
  } catch (error) {
    say(error.message, true);
  }
}
