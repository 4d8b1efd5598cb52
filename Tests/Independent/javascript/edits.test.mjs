// What becomes of edits that wait in an offline store: none is lost in a conflict, and none undoes another.
import { test } from "node:test";
import assert from "node:assert/strict";
import { MemoryStorage, Timestamp } from "./brume.mjs";
import { device, network, refusal } from "./servers.mjs";
import { fieldsOf, losing, onServer, opened, pair } from "./stores.mjs";

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

test("a record that is saved whole stays where another device has moved it", async () => {
  const { phone, laptop, zone } = await pair();
  for (const recordName of ["P", "Q"]) await phone.save({ recordType: "Note", recordName });
  await phone.save({ recordName: "N", parent: "P" });
  await phone.sync();
  await laptop.sync();
  await laptop.save({ recordName: "N", parent: "Q" });
  await laptop.sync();
  const known = await phone.record("N");
  assert.equal(known?.parent?.recordName, "P");
  await phone.save({ ...known, fields: { title: "phone" } });
  await phone.sync();
  const record = await onServer(zone);
  assert.deepEqual([record?.parent?.recordName, record?.fields.title], ["Q", "phone"]);
});

test("a record that is kept after its deletion elsewhere is made again where it was", async () => {
  const { phone, laptop, zone } = await pair({ resolve: ({ yours }) => yours });
  await phone.save({ recordType: "Note", recordName: "P" });
  await phone.save({ recordName: "N", parent: "P" });
  await phone.sync();
  await laptop.sync();
  await laptop.delete("N");
  await laptop.sync();
  await phone.save({ recordName: "N", fields: { title: "kept" } });
  await phone.sync();
  await phone.sync();
  const record = await onServer(zone);
  assert.deepEqual([record?.parent?.recordName, record?.fields.title], ["P", "kept"]);
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

test("a deletion whose answer was lost is asked for again within a day, and later deletes nothing that others have made since", async () => {
  for (const [hours, left] of /** @type {const} */ ([[1, null], [24, { title: "theirs" }]])) {
    const { zone } = await pair();
    const storage = new MemoryStorage();
    const dying = opened({ zone, name: `${zone}-fresh`, storage, container: losing() });
    await dying.delete("N");
    await assert.rejects(dying.sync(), /NETWORK_ERROR/);
    assert.equal(await onServer(zone), null);
    const theirs = { recordType: "Note", recordName: "N", fields: { title: "theirs" } };
    if (left) await device("ALICE").privateDatabase.saveRecord(theirs, { zoneID: zone });
    const later = { now: () => Date.now() + hours * 3_600_000 };
    const store = opened({ zone, name: dying.name, storage, container: device("ALICE", { host: later }) });
    await store.sync();
    assert.deepEqual([(await onServer(zone))?.fields ?? null, await fieldsOf(store) ?? null, await store.pendingEdits()], [left, left, []]);
  }
});

test("a record that is deleted and made again keeps nothing of what it was", async () => {
  const { phone, zone } = await pair();
  await phone.save({ recordType: "Note", recordName: "P" });
  await phone.save({ recordName: "N", parent: "P" });
  await phone.sync();
  await phone.delete("N");
  await phone.save({ recordType: "Idea", recordName: "N", fields: { title: "anew" } });
  await phone.save({ recordName: "N", fields: { title: "again", text: null } });
  assert.deepEqual([(await phone.record("N"))?.recordType, (await phone.record("N"))?.parent], ["Idea", undefined]);
  await phone.sync();
  const record = await onServer(zone);
  assert.deepEqual([record?.recordType, record?.fields, record?.parent], ["Idea", { title: "again" }, undefined]);
  assert.deepEqual([await fieldsOf(phone), await phone.pendingEdits()], [{ title: "again" }, []]);
});

test("a record whose save had no answer is deleted and made again without what it was", async () => {
  const storage = new MemoryStorage();
  const dying = opened({ storage, container: losing() });
  await dying.save({ recordType: "Note", recordName: "N", fields: { title: "first", text: "first" } });
  await assert.rejects(dying.sync(), /NETWORK_ERROR/);
  const store = opened({ zone: dying.name, storage, resolve: () => assert.fail("a conflict with oneself") });
  await store.delete("N");
  await store.save({ recordType: "Note", recordName: "N", fields: { title: "first" } });
  await store.sync();
  assert.deepEqual((await onServer(store.name))?.fields, { title: "first" });
  assert.deepEqual(await fieldsOf(store), { title: "first" });
});

test("what is deleted, made again and deleted is deleted on the server", async () => {
  const { phone, zone } = await pair();
  const fresh = opened({ zone, name: `${zone}-fresh` });
  for (const store of [phone, fresh]) {
    await store.delete("N");
    await store.save({ recordType: "Note", recordName: "N", fields: { title: "again" } });
    await store.delete("N");
    await store.sync();
    assert.deepEqual([await onServer(zone), await store.pendingEdits()], [null, []]);
    await phone.save({ recordType: "Note", recordName: "N", fields: { title: "for the next" } });
    await phone.sync();
  }
});

test("a record may refer to one that is made again before it", async () => {
  const { phone, zone } = await pair();
  await phone.delete("N");
  await phone.save({ recordType: "Note", recordName: "N", fields: { title: "again" } });
  await phone.save({ recordType: "Note", recordName: "child", parent: "N" });
  await phone.sync();
  assert.deepEqual(await phone.pendingEdits(), []);
  assert.equal((await onServer(zone, "child"))?.parent?.recordName, "N");
});

test("what others changed before a record is made again is merged into it", async () => {
  const { phone, laptop, zone } = await pair();
  await laptop.save({ recordName: "N", fields: { more: "laptop" } });
  await laptop.sync();
  await phone.delete("N");
  await phone.save({ recordType: "Note", recordName: "N", fields: { title: "again" } });
  await phone.sync();
  assert.deepEqual([(await onServer(zone))?.fields, await phone.pendingEdits()], [{ title: "again", more: "laptop" }, []]);
});

test("a record that is made again with another type, or as the app wants it, takes the place of what others changed", async () => {
  for (const [recordType, resolve] of /** @type {const} */ ([
    ["Idea", undefined], ["Note", (/** @type {import("./brume.mjs").Conflict} */ { yours }) => yours],
  ])) {
    const { phone, laptop, zone } = await pair(resolve && { resolve });
    await laptop.save({ recordName: "N", fields: { more: "laptop" } });
    await laptop.sync();
    await phone.delete("N");
    await phone.save({ recordType, recordName: "N", fields: { title: "again" } });
    await phone.sync();
    const record = await onServer(zone);
    assert.deepEqual([record?.recordType, record?.fields, await phone.pendingEdits()], [recordType, { title: "again" }, []]);
    assert.deepEqual(await fieldsOf(phone), { title: "again" });
  }
});

test("times that no Date can be, alone or in a list, stand in no conflict's way", async () => {
  const { phone, laptop, zone } = await pair();
  const fields = { moment: new Timestamp(2n ** 60n), moments: [new Date(1), new Timestamp(2n ** 60n)] };
  await laptop.save({ recordName: "N", fields });
  await laptop.sync();
  await phone.save({ recordName: "N", fields: { title: "phone" } });
  await phone.sync();
  assert.deepEqual((await onServer(zone))?.fields, { ...fields, title: "phone", text: "first" });
});

test("an edit that is discarded on its way into a conflict leaves what others saved", async () => {
  const { phone, laptop, zone } = await pair();
  await laptop.save({ recordName: "N", fields: { title: "laptop" } });
  await laptop.sync();
  await phone.save({ recordName: "N", fields: { title: "phone" } });
  const { host } = network(async (address, _, real) => {
    if (!address.includes("records/modify")) return undefined;
    await phone.discard("N");
    return real();
  });
  const sending = opened({ zone, storage: phone.storage, container: device("ALICE", { host }), name: phone.name });
  await sending.sync();
  assert.deepEqual([await fieldsOf(sending), await sending.pendingEdits()], [{ title: "laptop", text: "first" }, []]);
});

test("edits for which an answer has no room go with another request, and one that never fits is refused", async () => {
  const sent = /** @type {string[]} */ ([]);
  const { host } = network(() => undefined);
  // Of each request the first operation is carried out; "L" is more than an answer has room for.
  host.fetch = async (address, request) => {
    if (!String(address).includes("records/modify")) return fetch(address, request);
    const body = JSON.parse(String(request?.body));
    const [first, ...others] = body.operations.map((/** @type {any} */ operation) => operation.record.recordName);
    sent.push([first, ...others].join(""));
    const full = (/** @type {string} */ recordName) =>
      ({ recordName, serverErrorCode: "BAD_REQUEST", reason: "the answer is full", brume: { code: "limitExceeded" } });
    if (first === "L") return new Response(JSON.stringify({ records: [full(first), ...others.map(full)] }));
    const answer = await fetch(address, { ...request, body: JSON.stringify({ ...body, operations: body.operations.slice(0, 1) }) });
    const { records } = await answer.json();
    return new Response(JSON.stringify({ records: [...records, ...others.map(full)] }));
  };
  const store = opened({ container: device("ALICE", { host }) });
  for (const recordName of ["A", "L", "B"]) await store.save({ recordType: "Note", recordName, fields: { title: recordName } });
  await store.sync();
  assert.deepEqual(sent, ["ALB", "LB", "B"]);
  assert.deepEqual((await store.pendingEdits()).map(({ recordName, error }) => [recordName, error?.code]), [["L", "limitExceeded"]]);
  assert.equal((await onServer(store.name, "B"))?.fields.title, "B");
});

test("an edit for which requests are refused as a whole is found in a few of them, and the others go many at once again", async () => {
  const sent = /** @type {number[]} */ ([]);
  const { host } = network(() => undefined);
  host.fetch = async (address, request) => {
    if (!String(address).includes("records/modify")) return fetch(address, request);
    const { operations } = JSON.parse(String(request?.body));
    sent.push(operations.length);
    const isBad = operations.some((/** @type {any} */ { record }) => record.recordName === "bad");
    return isBad ? refusal(400, { serverErrorCode: "BAD_REQUEST", reason: "no good" }) : fetch(address, request);
  };
  const store = opened({ container: device("ALICE", { host }) });
  const names = Array.from({ length: 120 }, (_, index) => (index === 60 ? "bad" : `N-${index}`));
  for (const recordName of names) await store.save({ recordType: "Note", recordName });
  await store.sync();
  assert.deepEqual((await store.pendingEdits()).map(({ recordName, error }) => [recordName, error?.reason]), [["bad", "no good"]]);
  assert.equal((await store.records()).length, 120);
  assert.ok(sent.length < 30, `${sent}`);
  assert.ok((sent.at(-1) ?? 0) > 10, `${sent}`);
});

test("what waits is listed once for all that is sent of it, and again when something is edited meanwhile", async () => {
  const memory = new MemoryStorage();
  let lists = 0;
  const storage = {
    get: memory.get.bind(memory), count: memory.count.bind(memory), apply: memory.apply.bind(memory), close: async () => {},
    list: async (/** @type {string} */ table, /** @type {string | undefined} */ prefix) => {
      if (table === "outbox") lists += 1;
      return memory.list(table, prefix);
    },
  };
  let edit = async () => {};
  const { host } = network(async (address) => {
    if (address.includes("records/modify")) await edit();
    return undefined;
  });
  const store = opened({ storage, container: device("ALICE", { host }) });
  const save = (/** @type {string} */ recordName, title = "x") => store.save({ recordType: "Note", recordName, fields: { title } });
  for (let index = 0; index < 250; index += 1) await save(`N-${index}`);
  await store.sync();
  assert.deepEqual([lists, (await store.pendingEdits()).length], [1, 0]);
  for (let index = 0; index < 250; index += 1) await save(`N-${index}`, "y");
  edit = async () => {
    edit = async () => {};
    await save("N-0", "z");
    await store.discard("N-249");
  };
  await store.sync();
  assert.deepEqual(await store.pendingEdits(), []);
  assert.deepEqual([(await onServer(store.name, "N-0"))?.fields.title, (await onServer(store.name, "N-249"))?.fields.title], ["z", "x"]);
});

test("edits that a proxy finds too large together go in smaller requests, and one that is too large alone is refused", async () => {
  const { host, pauses } = network(() => undefined);
  host.fetch = async (address, request) => {
    const isLarge = String(address).includes("records/modify") && String(request?.body).length > 2000;
    return isLarge ? new Response("<html>too large</html>", { status: 413 }) : fetch(address, request);
  };
  const store = opened({ container: device("ALICE", { host }) });
  const save = (/** @type {string} */ recordName, /** @type {number} */ length) =>
    store.save({ recordType: "Note", recordName, fields: { title: "x".repeat(length) } });
  for (let index = 0; index < 20; index += 1) await save(`N-${index}`, 100);
  await save("large", 3000);
  await save("last", 100);
  await store.sync();
  const left = (await store.pendingEdits()).map(({ recordName, error }) => [recordName, error?.serverErrorCode]);
  assert.deepEqual([left, pauses], [[["large", "BAD_REQUEST"]], []]);
  assert.equal((await onServer(store.name, "last"))?.fields.title, "x".repeat(100));
});
