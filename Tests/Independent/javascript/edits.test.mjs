// What becomes of edits that wait in an offline store: none is lost in a conflict, and none undoes another.
import { test } from "node:test";
import assert from "node:assert/strict";
import { losing, onServer, opened, pair } from "./stores.mjs";

test("a record that was moved here and changed elsewhere is moved, unless the app takes theirs", async () => {
  for (const [resolve, parent] of /** @type {const} */ ([
    [undefined, "P"], [(/** @type {import("./brume.mjs").Conflict} */ { theirs }) => theirs, undefined],
  ])) {
    const { phone, laptop, zone } = await pair(resolve && { resolve });
    await phone.save({ recordType: "Note", recordName: "P" });
    await phone.sync();
    await laptop.save({ recordName: "N", fields: { title: "laptop" } });
    await laptop.sync();
    await phone.save({ recordName: "N", parent: "P" });
    await phone.sync();
    const record = await onServer(zone);
    assert.deepEqual([record?.parent?.recordName, record?.fields.title], [parent, "laptop"]);
    assert.deepEqual(await phone.pendingEdits(), []);
  }
});

test("a move whose answer was lost is not done once more over a later one", async () => {
  const { phone, laptop, zone } = await pair();
  for (const recordName of ["P", "Q"]) await laptop.save({ recordType: "Note", recordName });
  await laptop.sync();
  const dying = opened({ zone, storage: phone.storage, container: losing(), name: phone.name });
  await dying.save({ recordName: "N", parent: "P" });
  await assert.rejects(dying.sync(), /NETWORK_ERROR/);
  await laptop.sync();
  await laptop.save({ recordName: "N", parent: "Q" });
  await laptop.sync();
  await phone.save({ recordName: "N", fields: { text: "later" } });
  await phone.sync();
  const record = await onServer(zone);
  assert.deepEqual([record?.parent?.recordName, record?.fields.text], ["Q", "later"]);
});

test("a record that was not fetched yet is deleted, however often it is said", async () => {
  const { zone } = await pair();
  const fresh = opened({ zone, name: `${zone}-fresh` });
  await fresh.delete("N");
  await fresh.delete("N");
  await fresh.sync();
  assert.equal(await onServer(zone), null);
  assert.deepEqual([await fresh.records(), await fresh.pendingEdits()], [[], []]);
});
