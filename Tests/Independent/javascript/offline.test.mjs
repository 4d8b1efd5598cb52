// The offline store in Node: edits without a network, conflicts, expired tokens, bounds, and a program
// that dies between any two steps.
import { test } from "node:test";
import assert from "node:assert/strict";
import { BrumeError, Encrypted, MemoryStorage, OfflineStore } from "./brume.mjs";
import { all, device, network, refusal, value, zoneName } from "./servers.mjs";
import { fieldsOf, losing, onServer, opened, pair } from "./stores.mjs";

test("what is edited offline is read at once, and on the server after a sync", async () => {
  const store = opened();
  const changes = /** @type {string[]} */ ([]);
  store.onChange(({ origin, recordNames }) => changes.push(`${origin} ${recordNames}`));
  const when = new Date(1_700_000_000_000);
  const saved = await store.save({ recordType: "Note", recordName: "N", fields: { title: "offline", count: 3, when, large: 2n ** 60n + 1n } });
  assert.deepEqual(saved?.fields, { title: "offline", count: 3, when, large: 2n ** 60n + 1n });
  assert.deepEqual((await store.records()).map((record) => record.recordName), ["N"]);
  assert.deepEqual((await store.pendingEdits()).map((edit) => edit.kind), ["save"]);
  await store.sync();
  assert.deepEqual(await store.pendingEdits(), []);
  assert.deepEqual(await fieldsOf(store), saved?.fields);
  assert.deepEqual(changes.slice(0, 2), ["edited N", "sent N"]);
  const other = opened({ zone: store.name, name: `${store.name}-other` });
  await other.sync();
  assert.deepEqual(await fieldsOf(other), saved?.fields);
});

test("edits of a record become one, and a deletion takes what was never sent with it", async () => {
  const store = opened();
  await store.save({ recordType: "Note", recordName: "N", fields: { title: "a", text: "b" } });
  await store.save({ recordName: "N", fields: { title: "c", text: null } });
  assert.deepEqual(await fieldsOf(store), { title: "c" });
  await store.save({ recordType: "Note", recordName: "M", fields: { title: "gone" } });
  await store.delete("M");
  assert.deepEqual((await store.pendingEdits()).map((edit) => edit.recordName), ["N"]);
  await store.sync();
  await store.delete("N");
  assert.equal(await store.record("N"), null);
  await store.save({ recordType: "Note", recordName: "N", fields: { title: "again" } });
  await store.sync();
  assert.deepEqual(await fieldsOf(store), { title: "again" });
  await store.delete("N");
  await store.sync();
  assert.deepEqual([await store.records(), await store.pendingEdits()], [[], []]);
});

test("different fields of a record are merged without asking", async () => {
  const { phone, laptop } = await pair();
  await phone.save({ recordName: "N", fields: { title: "phone" } });
  await laptop.save({ recordName: "N", fields: { text: "laptop" } });
  await phone.sync();
  await laptop.sync();
  await phone.sync();
  assert.deepEqual(await fieldsOf(phone), { title: "phone", text: "laptop" });
  assert.deepEqual(await fieldsOf(laptop), await fieldsOf(phone));
});

test("what is encrypted stays so in edits and in merges", async () => {
  const [zone, { host }] = [zoneName(), network(() => undefined)];
  const sent = /** @type {string[]} */ ([]);
  host.fetch = (address, request) => {
    if (String(address).includes("records/modify")) sent.push(String(request?.body));
    return fetch(address, request);
  };
  const phone = opened({ zone, name: `${zone}-phone`, container: device("ALICE", { host }) });
  await phone.save({ recordType: "Secret", recordName: "N", fields: { code: new Encrypted("1234"), title: "x" } });
  await phone.sync();
  await device("ALICE").privateDatabase.saveRecord(
    { recordName: "N", recordType: "Secret", fields: { title: "theirs" } }, { zoneID: zone, policy: "changedFields" });
  await phone.save({ recordName: "N", fields: { code: "5678" } });
  assert.deepEqual((await phone.record("N"))?.encryptedFields, ["code"]);
  await phone.sync();
  const marks = sent.flatMap((body) => JSON.parse(body).operations.map((/** @type {any} */ each) => each.record.fields.code));
  assert.deepEqual(marks.map((field) => [field.value, field.isEncrypted]), [["1234", true], ["5678", true], ["5678", true]]);
  assert.deepEqual(await fieldsOf(phone), { code: "5678", title: "theirs" });
});

test("a conflict is decided by the app, who sees all three versions", async () => {
  const seen = /** @type {import("./brume.mjs").Conflict[]} */ ([]);
  const { phone, laptop } = await pair({
    resolve: (conflict) => {
      seen.push(conflict);
      const { theirs, yours } = conflict;
      return { fields: { title: `${theirs?.fields.title} and ${yours?.fields.title}` } };
    },
  });
  await laptop.save({ recordName: "N", fields: { title: "laptop" } });
  await laptop.sync();
  await phone.save({ recordName: "N", fields: { title: "phone" } });
  await phone.sync();
  const [{ base, theirs, yours, error }] = seen;
  assert.deepEqual([base, theirs, yours].map((record) => record?.fields.title), ["first", "laptop", "phone"]);
  assert.equal(error.serverErrorCode, "CONFLICT");
  assert.deepEqual(await fieldsOf(phone), { title: "laptop and phone" });
  await laptop.sync();
  assert.deepEqual(await fieldsOf(laptop), { title: "laptop and phone" });
});

test("an edit of what was deleted, and a deletion of what was edited, keep the record", async () => {
  const { phone, laptop } = await pair();
  await laptop.delete("N");
  await laptop.sync();
  await phone.save({ recordName: "N", fields: { title: "kept" } });
  await phone.sync();
  assert.deepEqual(await fieldsOf(phone), { title: "kept", text: "first" });
  await laptop.sync();
  await laptop.delete("N");
  await phone.save({ recordName: "N", fields: { title: "kept again" } });
  await phone.sync();
  await laptop.sync();
  assert.deepEqual(await fieldsOf(laptop), { title: "kept again", text: "first" });
});

test("an app may take theirs, or delete", async () => {
  for (const [resolve, title] of /** @type {const} */ ([
    [(/** @type {import("./brume.mjs").Conflict} */ { theirs }) => theirs, "laptop"], [() => null, undefined],
  ])) {
    const { phone, laptop } = await pair({ resolve });
    await laptop.save({ recordName: "N", fields: { title: "laptop" } });
    await laptop.sync();
    await phone.save({ recordName: "N", fields: { title: "phone" } });
    await phone.sync();
    await laptop.sync();
    assert.deepEqual([(await fieldsOf(phone))?.title, (await fieldsOf(laptop))?.title], [title, title]);
    assert.deepEqual(await phone.pendingEdits(), []);
  }
});

test("what the server refuses waits with its error, and nothing else waits for it", async () => {
  const store = opened();
  await store.save({ recordType: "Note", recordName: "bad", fields: { title: "x" }, parent: "nowhere" });
  await store.save({ recordType: "Note", recordName: "good", fields: { title: "x" } });
  await store.sync();
  const [edit, ...others] = await store.pendingEdits();
  assert.deepEqual([edit.recordName, edit.error?.serverErrorCode, others.length], ["bad", "VALIDATING_REFERENCE_ERROR", 0]);
  await store.save({ recordName: "bad", parent: null });
  await store.sync();
  assert.deepEqual(await store.pendingEdits(), []);
  await store.save({ recordName: "bad", parent: "nowhere" });
  await store.sync();
  await store.discard("bad");
  assert.deepEqual(await store.pendingEdits(), []);
});

test("a child of a record that is refused is sent again by itself", async () => {
  const store = opened();
  await store.save({ recordType: "Note", recordName: "bad", fields: { title: "x" }, parent: "nowhere" });
  await store.save({ recordType: "Note", recordName: "child", fields: { title: "x" }, parent: "bad" });
  const errors = async () => (await store.pendingEdits()).map(({ error }) => error?.serverErrorCode);
  await assert.rejects(store.sync(), /INTERNAL_ERROR/);
  assert.deepEqual(await errors(), ["VALIDATING_REFERENCE_ERROR", undefined]);
  await store.sync();
  assert.deepEqual(await errors(), ["VALIDATING_REFERENCE_ERROR", "VALIDATING_REFERENCE_ERROR"]);
});

/** A network on which the server cannot read two records of a zone any more, and forgets a token if it is asked to. */
const damagedNetwork = (/** @type {string} */ zone) => {
  const { host } = network(() => undefined);
  const state = { host, isDamaged: false, isZoneDamaged: false, forgetsToken: false };
  const answer = (/** @type {object} */ body) => new Response(JSON.stringify(body));
  const damaged = (/** @type {string} */ recordName) =>
    ({ recordName, serverErrorCode: "INTERNAL_ERROR", reason: `record '${recordName}' is damaged` });
  host.fetch = async (address, request) => {
    const body = JSON.parse(String(request?.body ?? "{}"));
    const asked = body.zoneID ?? body.zones?.[0].zoneID;
    if (!state.isDamaged || asked?.zoneName !== zone) return fetch(address, request);
    if (state.isZoneDamaged && String(address).includes("changes/zone")) {
      return answer({ zones: [{ zoneID: asked, serverErrorCode: "INTERNAL_ERROR", reason: "the zone is damaged" }] });
    }
    if (String(address).includes("records/modify")) {
      return answer({ records: body.operations.map((/** @type {any} */ { record }) => damaged(record.recordName)) });
    }
    if (!String(address).includes("changes/zone")) return fetch(address, request);
    if (state.forgetsToken && body.zones[0].syncToken) {
      const error = { zoneID: asked, serverErrorCode: "BAD_REQUEST", reason: "the token is too old" };
      return answer({ zones: [{ ...error, brume: { code: "changeTokenExpired" } }] });
    }
    const page = await (await fetch(address, request)).json();
    page.zones[0].records = ["N", "never here"].map(damaged);
    return answer(page);
  };
  return state;
};

test("a record that the server cannot read stays as it was, and what it refuses of it holds nothing up", async () => {
  const [zone, later] = [zoneName(), zoneName()];
  const server = damagedNetwork(zone);
  const container = device("ALICE", { host: server.host });
  const store = opened({ zone, container, zones: [zone, later] });
  await store.save({ recordType: "Note", recordName: "N", zoneID: zone, fields: { title: "mine" } });
  await store.sync();
  await device("ALICE").privateDatabase.saveRecord(
    { recordName: "N", recordType: "Note", fields: { title: "theirs" } }, { zoneID: zone, policy: "changedFields" });
  server.isDamaged = true;
  const [page] = await all(container.privateDatabase.zoneChanges(zone));
  assert.deepEqual([page.records, page.deletedRecordNames], [[], []]);
  assert.deepEqual(page.unreadable.map(({ recordName }) => recordName), ["N", "never here"]);
  for (const forgetsToken of [false, true]) {
    server.forgetsToken = forgetsToken;
    await store.sync();
    assert.deepEqual((await store.records(zone)).map(({ fields }) => fields.title), ["mine"]);
  }
  await store.save({ recordName: "N", zoneID: zone, fields: { title: "again" } });
  await store.save({ recordType: "Note", recordName: "M", zoneID: later, fields: { title: "x" } });
  server.forgetsToken = false;
  await store.sync();
  const edits = await store.pendingEdits();
  assert.deepEqual(edits.map(({ recordName, error }) => [recordName, error?.serverErrorCode]), [["N", "INTERNAL_ERROR"]]);
  assert.equal((await device("ALICE").privateDatabase.lookupRecord("M", { zoneID: later }))?.fields.title, "x");
});

test("a zone that the server cannot read holds up none behind it", async () => {
  const [zone, later] = [zoneName(), zoneName()];
  const server = damagedNetwork(zone);
  const store = opened({ zone, container: device("ALICE", { host: server.host }), zones: [zone, later] });
  await store.sync();
  Object.assign(server, { isDamaged: true, isZoneDamaged: true });
  await store.save({ recordType: "Note", recordName: "M", zoneID: later, fields: { title: "x" } });
  await assert.rejects(store.sync(), /the zone is damaged/);
  assert.equal((await device("ALICE").privateDatabase.lookupRecord("M", { zoneID: later }))?.fields.title, "x");
});

test("a request that is refused as a whole is sent record by record", async () => {
  const store = opened();
  await store.save({ recordType: "Note", recordName: "good", fields: { title: "x" } });
  await store.save({ recordType: "No type", recordName: "bad\u0000", fields: { title: "x" } }).catch(() => {});
  await store.save({ recordType: "Note\u0001", recordName: "bad", fields: { title: "x" } });
  await store.sync();
  const waiting = await store.pendingEdits();
  assert.ok(waiting.length >= 1 && waiting.every((edit) => edit.error && edit.recordName.startsWith("bad")), JSON.stringify(waiting));
  assert.equal((await device("ALICE").privateDatabase.lookupRecord("good", { zoneID: store.name }))?.fields.title, "x");
});

test("an expired token walks the zone again, and what is gone goes", async () => {
  const { phone, laptop, zone } = await pair();
  await laptop.save({ recordType: "Note", recordName: "gone", fields: { title: "x" } });
  await laptop.sync();
  await phone.sync();
  assert.equal((await phone.records()).length, 2);
  const database = device("ALICE").privateDatabase;
  await database.deleteZone(zone);
  await database.createZone(zone);
  await database.saveRecord({ recordType: "Note", recordName: "new", fields: { title: "new" } }, { zoneID: zone });
  await phone.sync();
  assert.deepEqual((await phone.records()).map((record) => record.recordName), ["new"]);
});

test("a zone that is gone takes its records, not the edits", async () => {
  const { phone, zone } = await pair();
  await phone.save({ recordType: "Note", recordName: "mine", fields: { title: "mine" } });
  await device("ALICE").privateDatabase.deleteZone(zone);
  await assert.rejects(phone.sync(), /ZONE_NOT_FOUND/);
  assert.deepEqual((await phone.records()).map((record) => record.recordName), ["mine"]);
  assert.equal((await phone.pendingEdits())[0].error?.serverErrorCode, "ZONE_NOT_FOUND");
});

test("a zone that fails does not keep the others waiting", async () => {
  const [gone, kept] = [zoneName(), zoneName()];
  const store = opened({ name: gone, zones: [gone, kept] });
  await store.sync();
  await device("ALICE").privateDatabase.deleteZone(gone);
  await store.save({ recordType: "Note", recordName: "N", zoneID: kept, fields: { title: "x" } });
  await assert.rejects(store.sync(), /ZONE_NOT_FOUND/);
  assert.deepEqual(await store.pendingEdits(), []);
  assert.equal((await onServer(kept))?.fields.title, "x");
});

test("an answer to a conflict that cannot be saved names its record, and keeps no other zone waiting", async () => {
  const [zone, later] = [zoneName(), zoneName()];
  const store = opened({ name: zone, zones: [zone, later], resolve: () => ({ fields: { count: NaN } }) });
  await store.save({ recordType: "Note", recordName: "N", zoneID: zone, fields: { title: "one" } });
  await store.sync();
  const theirs = { recordType: "Note", recordName: "N", fields: { title: "theirs" } };
  await device("ALICE").privateDatabase.saveRecord(theirs, { zoneID: zone, policy: "changedFields" });
  await store.save({ recordName: "N", zoneID: zone, fields: { title: "mine" } });
  await store.save({ recordType: "Note", recordName: "M", zoneID: later, fields: { title: "x" } });
  await assert.rejects(store.sync(), /conflict about record 'N': field 'count': NaN/);
  assert.deepEqual((await store.pendingEdits()).map(({ recordName }) => recordName), ["N"]);
  assert.equal((await onServer(later, "M"))?.fields.title, "x");
});

test("without the server no other zone is tried", async () => {
  const zones = [zoneName(), zoneName()];
  const { host, seen } = network((address) => (address.includes("zones/modify") ? refusal(502, {}) : undefined));
  const store = opened({ name: zones[0], zones, container: device("ALICE", { host, attempts: 1 }) });
  await assert.rejects(store.sync(), /NETWORK_ERROR/);
  assert.equal(seen.filter((address) => address.includes("zones/modify")).length, 1);
});

test("edits and records have a bound, and another user's store is refused", async () => {
  const store = opened({ editLimit: 2, recordLimit: 1 });
  await store.save({ recordType: "Note", recordName: "1" });
  await store.save({ recordType: "Note", recordName: "2" });
  await assert.rejects(store.save({ recordType: "Note", recordName: "3" }), /2 edits wait already/);
  await assert.rejects(store.sync(), /more than the 1 records/);
  const bobs = opened({ container: device("BOB"), zone: store.name, storage: store.storage });
  await assert.rejects(bobs.sync(), /another user's/);
  assert.throws(() => new OfflineStore(device("ALICE").publicDatabase, { name: "x", zones: ["y"] }), /public/);
});

test("edits of a zone that a store has no more keep no others out, and can be discarded", async () => {
  const [former, zone] = [zoneName(), zoneName()];
  const before = opened({ zone: former, editLimit: 1 });
  await before.save({ recordType: "Note", recordName: "old" });
  const store = opened({ name: former, zones: [zone], storage: before.storage, editLimit: 1 });
  await store.save({ recordType: "Note", recordName: "new" });
  await assert.rejects(store.save({ recordType: "Note", recordName: "more" }), /1 edits wait already/);
  await store.sync();
  const [edit, ...others] = await store.pendingEdits();
  assert.deepEqual([edit.recordName, edit.zoneID.zoneName, others.length], ["old", former, 0]);
  await store.discard(edit.recordName, edit.zoneID);
  assert.deepEqual(await store.pendingEdits(), []);
  await assert.rejects(store.discard(edit.recordName, edit.zoneID), /has no zone/);
});

test("what a store sends nothing of is refused, and a share that is saved whole may bring what it had", async () => {
  const { phone, zone } = await pair();
  const share = await device("ALICE").privateDatabase.share(await onServer(zone), { title: "One", publicPermission: "READ_ONLY" });
  await phone.sync();
  const known = await phone.record(share.recordName);
  assert.ok(known);
  await phone.save({ ...known, fields: { "cloudkit.title": "All" } });
  await assert.rejects(phone.save({ ...known, publicPermission: "NONE" }), /no 'publicPermission'/);
  await assert.rejects(phone.save({ ...known, participants: [] }), /no 'participants'/);
  await assert.rejects(phone.save({ recordType: "Note", createShortGUID: true }), /no 'createShortGUID'/);
  await phone.sync();
  assert.deepEqual(await phone.pendingEdits(), []);
  assert.equal((await onServer(zone, share.recordName))?.fields["cloudkit.title"], "All");
});

test("a store whose zone is named with the caller as its owner takes records as the server names them", async () => {
  const zone = zoneName();
  const store = opened({ zone, zones: [{ zoneName: zone, ownerRecordName: "__defaultOwner__" }] });
  await store.save({ recordType: "Note", recordName: "N", fields: { title: "one" } });
  await store.sync();
  const record = await store.record("N");
  assert.notEqual(record?.zoneID.ownerRecordName, "__defaultOwner__");
  await store.save({ ...record, fields: { title: "two" } });
  await store.sync();
  assert.equal((await onServer(zone))?.fields.title, "two");
});

// MARK: Another user

/** Bob's zone of the same name, which has a record of his own. */
const bobsZone = async (/** @type {string} */ zone) => {
  const database = device("BOB").privateDatabase;
  await database.createZone(zone);
  await database.saveRecord({ recordType: "Note", recordName: "B", fields: { title: "Bob's" } }, { zoneID: zone });
  return async () => {
    const names = [];
    for await (const { records } of database.zoneChanges(zone)) names.push(...records.map((record) => record.recordName));
    return names;
  };
};

test("a store syncs no more when another user signs in at its container", async () => {
  const container = device("ALICE");
  const store = opened({ container });
  await store.save({ recordType: "Note", recordName: "N", fields: { title: "one" } });
  await store.sync();
  const bobs = await bobsZone(store.name);
  await store.save({ recordType: "Note", recordName: "M", fields: { title: "Alice's" } });
  await container.takeWebAuthToken(value("BRUME_USER_TOKEN_BOB"));
  await assert.rejects(store.sync(), /another user's/);
  assert.deepEqual(await bobs(), ["B"]);
  assert.deepEqual((await store.records()).map((record) => record.recordName), ["M", "N"]);
  await container.takeWebAuthToken(value("BRUME_USER_TOKEN_ALICE"));
  await store.sync();
  assert.deepEqual([await store.pendingEdits(), (await store.records()).length], [[], 2]);
});

test("another user who signs in amid a sync gets no edit, and the store loses none and gets no record", async () => {
  for (const endpoint of ["zones/modify", "records/modify", "changes/zone"]) {
    const { host } = network((address, number) =>
      address.includes(endpoint) && number === 1
        ? refusal(421, { serverErrorCode: "AUTHENTICATION_REQUIRED", reason: "the session is over", redirectURL: "/" })
        : undefined);
    const container = device("ALICE", { host, onSignInRequired: async () => value("BRUME_USER_TOKEN_BOB") });
    const zone = zoneName();
    const store = opened({ zone, container });
    const bobs = await bobsZone(zone);
    const edits = ["N", "M"];
    for (const recordName of edits) await store.save({ recordType: "Note", recordName, fields: { title: "Alice's" } });
    await assert.rejects(store.sync(), /another user's/);
    assert.deepEqual(await bobs(), ["B"], endpoint);
    assert.ok((await store.pendingEdits()).every(({ error }) => error === undefined), endpoint);
    assert.deepEqual((await store.records()).map((record) => record.recordName), ["M", "N"], endpoint);
    await container.takeWebAuthToken(value("BRUME_USER_TOKEN_ALICE"));
    await store.sync();
    assert.deepEqual([await store.pendingEdits(), (await store.records()).length], [[], 2], endpoint);
  }
});

test("a request that is refused as a whole because another user sent it leaves its edit as it was", async () => {
  const refusals = [
    refusal(421, { serverErrorCode: "AUTHENTICATION_REQUIRED", reason: "the session is over", redirectURL: "/" }),
    refusal(400, { serverErrorCode: "QUOTA_EXCEEDED", reason: "Bob has no room" }),
  ];
  const { host } = network((address) => (address.includes("records/modify") ? refusals.shift() : undefined));
  const container = device("ALICE", { host, onSignInRequired: async () => value("BRUME_USER_TOKEN_BOB") });
  const store = opened({ container });
  await store.save({ recordType: "Note", recordName: "N", fields: { title: "Alice's" } });
  await assert.rejects(store.sync(), /another user's/);
  assert.deepEqual((await store.pendingEdits()).map(({ error }) => error), [undefined]);
});

// MARK: Dying

/** The end of a program, at which nothing that comes later happens. */
class Death extends Error {}

/**
 * A storage that dies at its n-th write, before or after it is done.
 * @param {MemoryStorage} storage @param {number} at @param {boolean} isAfter
 */
const mortal = (storage, at, isAfter) => {
  let writes = 0;
  /** @type {import("./brume.mjs").OfflineStorage["apply"]} */
  const apply = async (changes) => {
    writes += 1;
    if (writes > at || (writes === at && !isAfter)) throw new Death("dead");
    await storage.apply(changes);
    if (writes === at) throw new Death("dead");
  };
  return { get: storage.get.bind(storage), list: storage.list.bind(storage), count: storage.count.bind(storage), close: async () => {}, apply, writes: () => writes };
};

test("a program that dies at any write loses no edit and saves none twice", async () => {
  const scenario = async (/** @type {OfflineStore} */ store) => {
    await store.save({ recordType: "Note", recordName: "N", fields: { title: "one" } });
    await store.sync();
    await store.save({ recordName: "N", fields: { title: "two" } });
    await store.save({ recordType: "Note", recordName: "M", fields: { title: "other" } });
    await store.sync();
    await store.delete("N");
    await store.save({ recordType: "Note", recordName: "N", fields: { text: "anew" } });
    await store.sync();
  };
  const whole = mortal(new MemoryStorage(), Infinity, false);
  await scenario(opened({ storage: whole }));
  assert.ok(whole.writes() > 8, `only ${whole.writes()} writes`);
  for (let at = 1; at <= whole.writes(); at += 1) {
    for (const isAfter of [false, true]) {
      const [zone, storage] = [zoneName(), new MemoryStorage()];
      await assert.rejects(scenario(opened({ zone, storage: mortal(storage, at, isAfter) })), /dead/);
      // A new program on what the dead one left; conflicts would show a second save.
      const resolve = () => assert.fail(`write ${at}, ${isAfter}: a conflict with oneself`);
      const store = opened({ zone, storage, resolve });
      const before = await store.records();
      await store.sync();
      assert.deepEqual(await store.pendingEdits(), []);
      const server = await device("ALICE").privateDatabase.lookupRecords(before, { zoneID: zone });
      assert.deepEqual(server.map((record) => record?.fields), before.map((record) => record.fields), `write ${at}, ${isAfter}`);
      assert.deepEqual((await store.records()).map((record) => record.recordChangeTag), server.map((record) => record?.recordChangeTag));
    }
  }
});

test("an answer that is lost with the program is asked for again, not the save", async () => {
  const storage = new MemoryStorage();
  const zone = zoneName();
  const dying = opened({ zone, storage, container: losing() });
  await dying.save({ recordType: "Note", recordName: "N", fields: { title: "once" } });
  await assert.rejects(dying.sync(), /NETWORK_ERROR/);
  const tag = (await device("ALICE").privateDatabase.lookupRecord("N", { zoneID: zone }))?.recordChangeTag;
  // Edited again before the answer is known: the edit is not lost with it.
  const store = opened({ zone, storage, resolve: () => assert.fail("a conflict with oneself") });
  await store.save({ recordName: "N", fields: { text: "later" } });
  await store.sync();
  const record = await device("ALICE").privateDatabase.lookupRecord("N", { zoneID: zone });
  assert.deepEqual(record?.fields, { title: "once", text: "later" });
  assert.ok(tag && record?.recordChangeTag !== tag);
});

test("a save that was repeated does not undo what others did since", async () => {
  const [zone, storage] = [zoneName(), new MemoryStorage()];
  const dying = opened({ zone, storage, container: losing() });
  await dying.save({ recordType: "Note", recordName: "N", fields: { title: "mine" } });
  await assert.rejects(dying.sync(), /NETWORK_ERROR/);
  const database = device("ALICE").privateDatabase;
  const found = await database.lookupRecord("N", { zoneID: zone });
  await database.saveRecord({ ...found, fields: { title: "newer" } });
  const store = opened({ zone, storage, resolve: () => assert.fail("no conflict: the save was done before") });
  await store.sync();
  assert.deepEqual(await fieldsOf(store), { title: "newer" });
});

test("a save that meets its own record is done, even when the server has forgotten the request", async () => {
  const store = opened();
  await store.save({ recordType: "Note", recordName: "N", fields: { title: "same", count: 3 } });
  const database = device("ALICE").privateDatabase;
  await database.createZone(store.name);
  await database.saveRecord({ recordType: "Note", recordName: "N", fields: { title: "same", count: 3 } }, { zoneID: store.name });
  const strict = opened({ zone: store.name, storage: store.storage, resolve: () => assert.fail("no conflict") });
  await strict.sync();
  assert.deepEqual(await strict.pendingEdits(), []);
});

// MARK: Living together

test("two tabs sync one after the other, and each sees the other's edits", async () => {
  const [zone, storage] = [zoneName(), new MemoryStorage()];
  let busy = 0;
  let most = 0;
  const { host } = network(async (address, _, real) => {
    if (!address.includes("records/modify")) return undefined;
    busy += 1;
    most = Math.max(most, busy);
    const answer = await real();
    busy -= 1;
    return answer;
  });
  const container = device("ALICE", { host });
  const [one, two] = [opened({ zone, storage, container }), opened({ zone, storage, container })];
  const names = Array.from({ length: 20 }, (_, index) => `T-${index}`);
  await Promise.all(names.map(async (recordName, index) => {
    const store = index % 2 ? one : two;
    await store.save({ recordType: "Note", recordName, fields: { title: recordName } });
    await store.sync();
  }));
  assert.equal(most, 1);
  assert.deepEqual((await one.records()).length, 20);
  assert.deepEqual(await two.pendingEdits(), []);
});

test("a sync that is given up while it waits lets none begin beside the one that runs", async () => {
  let end = () => {};
  const ended = /** @type {Promise<void>} */ (new Promise((resolve) => (end = resolve)));
  let [running, most] = [0, 0];
  const { host } = network(async (address, _, real) => {
    if (!address.includes("users/caller")) return undefined;
    running += 1;
    most = Math.max(most, running);
    await ended;
    running -= 1;
    return real();
  });
  const store = opened({ container: device("ALICE", { host }) });
  const [first, given] = [store.sync(), new AbortController()];
  const second = assert.rejects(store.sync({ signal: given.signal }), /given up/);
  given.abort(new Error("given up"));
  await second;
  const third = store.sync();
  // One that was begun would have asked who is signed in before another program has its answer.
  await device("ALICE").currentUser();
  end();
  await Promise.all([first, third]);
  assert.equal(most, 1);
});

/**
 * Waits until a store is as it should be; it says when to look again.
 * @param {OfflineStore} store @param {() => Promise<boolean>} condition
 */
const until = (store, condition) =>
  /** @type {Promise<void>} */ (new Promise((resolve) => {
    const look = async () => {
      if (await condition()) resolve();
    };
    store.onChange(look);
    look();
  }));

test("a started store follows pushes, in one of its tabs for all of them", async () => {
  const [zone, storage] = [zoneName(), new MemoryStorage()];
  const container = device("ALICE");
  const errors = /** @type {unknown[]} */ ([]);
  const options = { zone, storage, container, onError: (/** @type {unknown} */ error) => void errors.push(error) };
  const [leader, follower] = [opened(options), opened(options)];
  leader.start();
  follower.start();
  const other = opened({ zone, name: `${zone}-other` });
  // The first may come with the sync at the start, the second with that of the open stream.
  for (const title of ["first", "second", "third"]) {
    await other.save({ recordType: "Note", recordName: "N", fields: { title } });
    await other.sync();
    await until(follower, async () => (await follower.record("N"))?.fields.title === title);
  }
  await leader.close();
  await follower.save({ recordName: "N", fields: { title: "alone" } });
  await until(follower, async () => (await follower.pendingEdits()).length === 0);
  await follower.close();
  await other.sync();
  assert.deepEqual(await fieldsOf(other), { title: "alone" });
  assert.deepEqual(errors, []);
});

/** A network without pushes: streams stay unanswered. `synced` is kept when a zone was fetched. */
const withoutPushes = (/** @type {() => boolean} */ isCut = () => false) => {
  let ring = () => {};
  const synced = /** @type {Promise<void>} */ (new Promise((resolve) => (ring = resolve)));
  const { host, seen } = network(async (address, _, real) => {
    if (isCut()) throw new TypeError("no network");
    if (!address.includes("changes/zone")) return undefined;
    const answer = await real();
    ring();
    return answer;
  });
  const { fetch = globalThis.fetch } = host;
  host.fetch = (address, request) =>
    String(address).includes("/_brume/stream?")
      ? new Promise((_, reject) => request?.signal?.addEventListener("abort", () => reject(request.signal?.reason)))
      : fetch(address, request);
  host.sleep = (_, signal) => new Promise((resolve, reject) => {
    // Waiting for nothing would starve everything else of this program.
    const timer = setTimeout(resolve, 2);
    signal?.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
  });
  return { host, seen, synced };
};

test("an edit in one tab is sent by the tab that syncs", async () => {
  const [zone, storage] = [zoneName(), new MemoryStorage()];
  const { host, synced } = withoutPushes();
  // Messages between tabs keep no program running.
  const running = setInterval(() => {}, 1000);
  const options = { zone, storage, container: device("ALICE", { host }) };
  const [leader, follower] = [opened(options), opened(options)];
  leader.start();
  await synced;
  await follower.save({ recordType: "Note", recordName: "N", fields: { title: "from the other tab" } });
  await until(follower, async () => (await follower.pendingEdits()).length === 0);
  await leader.close();
  clearInterval(running);
});

test("a callback that throws keeps no edit from being saved and sent, and no other callback from it", async () => {
  const errors = /** @type {unknown[]} */ ([]);
  const store = opened({ container: device("ALICE", withoutPushes()), onError: (error) => void errors.push(error) });
  const failure = new Error("the app's own");
  store.onChange(() => {
    throw failure;
  });
  store.start();
  try {
    await store.save({ recordType: "Note", recordName: "N" });
    await until(store, async () => (await store.pendingEdits()).length === 0);
  } finally {
    await store.close();
  }
  assert.ok(errors.length >= 2 && errors.every((error) => error === failure), String(errors));
});

test("a store that is closed ends its sync, and writes nothing afterwards", async () => {
  for (const endpoint of ["changes/zone", "records/modify"]) {
    let close = () => {};
    const { host } = network(async (address, _, real) => {
      if (!address.includes(endpoint)) return undefined;
      const answer = await real();
      close();
      return answer;
    });
    const [memory, done] = [new MemoryStorage(), /** @type {string[]} */ ([])];
    const storage = {
      get: memory.get.bind(memory), list: memory.list.bind(memory), count: memory.count.bind(memory),
      apply: async (/** @type {Parameters<MemoryStorage["apply"]>[0]} */ changes) => void (done.push("apply"), await memory.apply(changes)),
      close: async () => void done.push("close"),
    };
    const store = opened({ storage, container: device("ALICE", { host }) });
    const closed = new Promise((resolve) => (close = () => resolve(store.close())));
    await store.save({ recordType: "Note", recordName: "N" });
    const syncing = store.sync();
    await assert.rejects(syncing, { name: "AbortError" });
    await closed;
    await assert.rejects(store.sync(), { name: "AbortError" });
    assert.equal(done.indexOf("close"), done.length - 1, `${endpoint}: ${done}`);
  }
});

test("an app that takes its time for a conflict does not keep its store open", async () => {
  let ask = () => {};
  const asked = /** @type {Promise<void>} */ (new Promise((resolve) => (ask = resolve)));
  const { phone, laptop } = await pair({ resolve: () => (ask(), new Promise(() => {})) });
  await laptop.save({ recordName: "N", fields: { title: "laptop" } });
  await laptop.sync();
  await phone.save({ recordName: "N", fields: { title: "phone" } });
  const syncing = assert.rejects(phone.sync(), { name: "AbortError" });
  await asked;
  await phone.close();
  await syncing;
});

test("a started store comes back after an outage by itself", async () => {
  // The start and the edit are two reasons to sync, with five attempts each; the rest is its own doing.
  const { host, seen } = withoutPushes(() => seen.filter((address) => address.includes("users/caller")).length < 15);
  const reported = /** @type {unknown[]} */ ([]);
  const onError = (/** @type {unknown} */ error) => void reported.push(error);
  const store = opened({ container: device("ALICE", { host }), onError });
  store.start();
  await store.save({ recordType: "Note", recordName: "N", fields: { title: "waits" } });
  await until(store, async () => (await store.pendingEdits()).length === 0);
  await store.close();
  assert.ok(reported.length > 2 && reported.every((error) => error instanceof BrumeError && error.serverErrorCode === "NETWORK_ERROR"));
});

test("an edit ends no pause that the server asked for", async () => {
  const { host } = withoutPushes();
  const { fetch = globalThis.fetch } = host;
  /** @type {import("./brume.mjs").Host["sleep"]} */
  const sleep = host.sleep ?? (async () => {});
  const busy = { serverErrorCode: "THROTTLED", reason: "too many requests", retryAfter: 100 };
  const asked = /** @type {number[]} */ ([]);
  let calls = 0;
  host.fetch = async (address, request) => {
    if (!String(address).includes("users/caller")) return fetch(address, request);
    calls += 1;
    return calls > 1 ? fetch(address, request) : refusal(429, busy);
  };
  host.sleep = async (milliseconds, signal) => {
    if (milliseconds < 100_000) return sleep(milliseconds, signal);
    await store.save({ recordType: "Note", recordName: "N" });
    // A sync that was begun would have asked who is signed in before another program has its answer.
    await device("ALICE").currentUser();
    asked.push(calls);
  };
  const store = opened({ container: device("ALICE", { host }) });
  store.start();
  await until(store, async () => calls > 1 && (await store.pendingEdits()).length === 0);
  await store.close();
  assert.deepEqual(asked, [1]);
});

test("a store whose onError throws goes on to sync by itself", async () => {
  const { host, seen } = withoutPushes(() => seen.filter((address) => address.includes("users/caller")).length < 15);
  const [thrown, failure] = [/** @type {unknown[]} */ ([]), new Error("no page to show it on")];
  const onError = () => {
    throw failure;
  };
  const store = opened({ container: device("ALICE", { host }), onError });
  Object.assign(globalThis, { reportError: (/** @type {unknown} */ error) => void thrown.push(error) });
  try {
    store.start();
    await store.save({ recordType: "Note", recordName: "N", fields: { title: "waits" } });
    await until(store, async () => (await store.pendingEdits()).length === 0);
    await store.close();
  } finally {
    Reflect.deleteProperty(globalThis, "reportError");
  }
  assert.ok(thrown.length > 2 && thrown.every((error) => error === failure), String(thrown));
});
