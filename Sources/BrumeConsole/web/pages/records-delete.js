// Deleting a record, and saving it again until the page is left.

import { call, refresh } from "../core/calls.js";
import { admin } from "../core/places.js";
import { h } from "../core/render.js";
import { go, unlessLeft, withQuery } from "../core/router.js";
import { draft, drop, hasDraft, say } from "../core/state.js";
import { plural, short } from "../core/words.js";
import { Button } from "../parts/controls.js";
import { confirm } from "../parts/dialogs.js";
import { database, zoneID } from "./records-query.js";
import { begun, forgetDraft, views, writer } from "./records-save.js";

/** Asks for the beginning of its name, then deletes it. */
export function remove(where, record, close) {
  const state = begun(record);
  const act = async () => {
    const stays = unlessLeft();
    const [answer] = (
      await call(admin("records/modify"), {
        ...views(where, state, record),
        zoneID: zoneID(where),
        operations: [{ operationType: "forceDelete", record: { recordName: record.recordName } }],
      })
    ).records;
    if (answer.serverErrorCode) throw new Error(answer.reason);
    draft("records.deleted", () => ({ where, record, writer: writer(state, record) }));
    forgetDraft(record);
    refresh();
    stays(close);
  };
  confirm({
    title: "Delete a record",
    word: short(record.recordName, 12),
    button: "Delete",
    act,
    done: `${short(record.recordName)} is deleted`,
    loses: `${plural(Object.keys(record.fields).length, "field")} of this ${record.recordType}, and every record whose ` +
      "reference says so. Until this page is left you can save it again.",
  });
}

/** The record that was deleted last, to be saved again: the same name and fields, without files. */
export function Restorable() {
  if (!hasDraft("records.deleted")) return null;
  const { where, record, writer } = draft("records.deleted", () => ({}));
  return h(
    "p.restore",
    { key: "restore" },
    h("span", null, `${short(record.recordName)} was deleted.`),
    h(Button, { class: "small", icon: "retry", onclick: () => restore(where, record, writer) }, "Restore"),
    h(Button, { kind: "quiet", icon: "close", label: "Forget it", onclick: () => drop("records.deleted") }),
  );
}

async function restore(where, record, name) {
  const stays = unlessLeft();
  const fields = Object.fromEntries(
    Object.entries(record.fields).filter(([, field]) => !/ASSETID/.test(field.type ?? "")),
  );
  try {
    const [answer] = (
      await call(admin("records/modify"), {
        ...database(where),
        user: where.user || name || undefined,
        zoneID: zoneID(where),
        operations: [
          { operationType: "create", record: { recordName: record.recordName, recordType: record.recordType, fields } },
        ],
      })
    ).records;
    if (answer.serverErrorCode) throw new Error(answer.reason);
    drop("records.deleted");
    say(`${short(record.recordName)} is back`);
    refresh();
    stays(() => go(withQuery({ sel: record.recordName })));
  } catch (error) {
    say(error.message, true);
  }
}
