// brume.js against a real server: every noun, and how each kind of error arrives.
import { test } from "node:test";
import assert from "node:assert/strict";
import { Asset, BrumeError, Container, Encrypted, Location, Reference, Timestamp, browserTokens } from "./brume.mjs";
import { all, device, network, refusal, value, zoneName } from "./servers.mjs";

/**
 * The error with which a promise fails.
 * @param {Promise<unknown>} promise
 * @param {string} code
 */
const refused = async (promise, code) => {
  const error = await promise.then(() => assert.fail(`not refused with ${code}`), (reason) => reason);
  assert.ok(error instanceof BrumeError, `no BrumeError: ${error.stack}`);
  assert.equal(error.serverErrorCode, code, error.message);
  return error;
};

/**
 * What stands in the place of a record for which an answer has no room.
 * @param {any} record
 */
const full = ({ recordName, recordType, zoneID, recordChangeTag }) => ({
  recordName, serverErrorCode: "BAD_REQUEST", reason: "the answer is full",
  brume: { code: "limitExceeded", serverRecord: { recordName, recordType, zoneID, recordChangeTag, fields: {} } },
});

/** @param {Container} container */
const zoneOf = async (container) => (await container.privateDatabase.createZone(zoneName())).zoneID;

test("every value comes back as it was saved", async () => {
  const database = device("ALICE").privateDatabase;
  const fields = {
    text: "café \u{1f4c8}", number: 2.5, whole: 7, large: 2n ** 53n + 1n, smallest: -(2n ** 63n), flag: true,
    when: new Date(1_700_000_000_123), bytes: new Uint8Array([0, 1, 255]),
    place: new Location({ latitude: 47.25, longitude: 11.5, altitude: 600, timestamp: new Date(1000) }),
    texts: ["a", "b"], integers: [1, 2n ** 60n], doubles: [1, 2.5], times: [new Date(1), new Date(2)], blobs: [new Uint8Array([9])],
    places: [new Location({ latitude: 1, longitude: 2 })],
  };
  const saved = await database.saveRecord({ recordType: "Value", fields });
  const fetched = await database.lookupRecord(saved.recordName);
  assert.deepEqual(fetched?.fields, { ...fields, flag: 1 });
  assert.deepEqual(saved.fields, fetched?.fields);
  assert.ok(fetched?.created?.timestamp instanceof Date);
});

test("a time that no Date can be comes as a Timestamp, and may be saved again as it was", async () => {
  const container = device("ALICE");
  const zoneID = await zoneOf(container);
  const database = container.privateDatabase;
  const [early, late, last] = [new Date(1), new Timestamp(9_000_000_000_000_000), new Timestamp(2n ** 60n + 1n)];
  const first = await database.saveRecord({ recordType: "Clock", fields: { when: early, all: [early] } }, { zoneID });
  const place = new Location({ latitude: 1, longitude: 2, timestamp: last });
  for (const fields of [{ when: late, all: [early, late], place }, { when: last, all: [early, late, last], place }, { when: last, all: [last], place }]) {
    const second = await database.saveRecord({ ...first, fields }, { policy: "changedFields" });
    assert.deepEqual(second.fields, fields);
    const third = await database.saveRecord({ ...second, fields: { ...second.fields } });
    assert.deepEqual(third.fields, fields);
  }
});

test("a time that a native client saved with a fraction of a millisecond keeps it when its record is saved again", async () => {
  const [{ host }, seconds] = [network(() => undefined), 816_906_668.123_4];
  const bodies = /** @type {any[]} */ ([]);
  host.fetch = (address, request) => {
    const body = JSON.parse(String(request?.body));
    // The first save is that of the native client.
    if (bodies.length === 0) body.operations[0].record.fields.when.brume = { seconds };
    bodies.push(body);
    return fetch(address, { ...request, body: JSON.stringify(body) });
  };
  const database = device("ALICE", { host }).privateDatabase;
  const first = await database.saveRecord({ recordType: "Clock", fields: { when: new Date(1_795_213_868_123) } });
  const second = await database.saveRecord({ ...first, fields: { ...first.fields, title: "again" } });
  const when = /** @type {Date} */ (second.fields.when);
  assert.equal(when.getTime(), 1_795_213_868_123);
  // A condition knows milliseconds only.
  const filterBy = [{ fieldName: "when", comparator: /** @type {const} */ ("EQUALS"), value: when }];
  const [found] = await all(database.query({ recordType: "Clock", filterBy }));
  assert.equal(found.recordName, first.recordName);
  assert.deepEqual(bodies.pop().query.filterBy[0].fieldValue, { value: 1_795_213_868_123, type: "TIMESTAMP" });
  when.setTime(when.getTime() + 1);
  await database.saveRecord(second);
  assert.deepEqual(bodies.map((body) => body.operations[0].record.fields.when.brume), [{ seconds }, { seconds }, undefined]);
});

test("a reference, a parent and an encrypted field come back", async () => {
  const container = device("ALICE");
  const zoneID = await zoneOf(container);
  const database = container.privateDatabase;
  const [{ record: album }] = await database.saveRecords([{ recordType: "Album", recordName: "A-1" }], { zoneID });
  assert.ok(album);
  const fields = { album: new Reference(album, { action: "DELETE_SELF" }), secret: new Encrypted("key"), all: [new Reference("A-1")] };
  await database.saveRecord({ recordType: "Picture", recordName: "P-1", fields, parent: album }, { zoneID });
  const picture = await database.lookupRecord("P-1", { zoneID });
  assert.ok(picture);
  assert.equal(/** @type {Reference} */ (picture.fields.album).recordName, "A-1");
  assert.equal(/** @type {Reference} */ (picture.fields.album).action, "DELETE_SELF");
  assert.deepEqual([picture.parent, picture.encryptedFields, picture.fields.secret], [{ recordName: "A-1" }, ["secret"], "key"]);
  const changed = await database.saveRecord({ ...picture, fields: { secret: "other", album: null }, parent: null });
  assert.deepEqual([changed.encryptedFields, changed.fields.secret, changed.parent], [["secret"], "other", undefined]);
  assert.equal(changed.fields.album, undefined);
});

test("a value that no record can hold names its field", async () => {
  const database = device("ALICE").privateDatabase;
  const undated = new Location({ latitude: 1, longitude: 2, timestamp: new Date(NaN) });
  for (const wrong of [NaN, 2n ** 63n, new Timestamp(2n ** 63n), new Date(NaN), undated, ["a", 1]]) {
    const fields = { title: /** @type {any} */ (wrong) };
    const error = await refused(database.saveRecord({ recordType: "Value", fields }), "BAD_REQUEST");
    assert.equal(error.code, "client");
    assert.match(error.reason, /'title'/);
  }
});

test("a conflict brings the server's record, without rounding it", async () => {
  const database = device("ALICE").privateDatabase;
  const first = await database.saveRecord({ recordType: "Value", fields: { large: 2n ** 60n + 1n } });
  const second = await database.saveRecord({ ...first, fields: { text: "newer" } });
  const error = await refused(database.saveRecord({ ...first, fields: { text: "older" } }), "CONFLICT");
  assert.equal(error.recordName, first.recordName);
  assert.deepEqual(error.serverRecord?.fields, { large: 2n ** 60n + 1n, text: "newer" });
  assert.equal(error.serverRecord?.recordChangeTag, second.recordChangeTag);
  const forced = await database.saveRecord({ ...first, fields: { text: "forced" } }, { policy: "changedFields" });
  assert.deepEqual(forced.fields, { large: 2n ** 60n + 1n, text: "forced" });
  const replaced = await database.saveRecord({ ...first, fields: { text: "alone" } }, { policy: "allFields" });
  assert.deepEqual(replaced.fields, { text: "alone" });
});

test("an atomic batch fails as one, and its error has all results", async () => {
  const container = device("ALICE");
  const zoneID = await zoneOf(container);
  const database = container.privateDatabase;
  const records = [{ recordType: "Note", recordName: "N-1" }, { recordType: "Note", recordName: "N-2", parent: "nowhere" }];
  const error = await refused(database.saveRecords(records, { zoneID, atomic: true }), "ATOMIC_ERROR");
  assert.deepEqual(error.results?.map((result) => result.error?.serverErrorCode), ["ATOMIC_ERROR", "VALIDATING_REFERENCE_ERROR"]);
  assert.deepEqual(await database.lookupRecords(["N-1", "N-2"], { zoneID }), [null, null]);
  const results = await database.modifyRecords([
    { operationType: "create", record: records[0] }, { operationType: "forceDelete", record: { recordName: "N-9" } },
  ], { zoneID });
  assert.deepEqual(results.map(({ record, deleted }) => record?.recordName ?? deleted), ["N-1", true]);
  await database.deleteRecord(results[0].record ?? "");
  assert.equal(await database.lookupRecord("N-1", { zoneID }), null);
});

test("a query is one sequence over all pages", async () => {
  const container = device("ALICE");
  const zoneID = await zoneOf(container);
  const database = container.privateDatabase;
  const records = Array.from({ length: 25 }, (_, km) => ({
    recordType: "Hike", recordName: `H-${km}`, fields: { km, tags: [`tag${km % 5}`], start: new Location({ latitude: 47, longitude: 11 + km / 100 }) },
  }));
  await database.saveRecords(records, { zoneID });
  const longest = { recordType: "Hike", filterBy: [{ fieldName: "km", comparator: /** @type {const} */ ("GREATER_THAN"), value: 2 }], sortBy: [{ fieldName: "km", ascending: false }] };
  const found = await all(database.query(longest, { zoneID, resultsLimit: 5, desiredKeys: ["km"] }));
  assert.deepEqual(found.map((record) => record.fields), Array.from({ length: 22 }, (_, index) => ({ km: 24 - index })));
  const pages = database.queryPages(longest, { zoneID, resultsLimit: 10 });
  const { value: page } = await pages.next();
  assert.equal(page?.records.length, 10);
  const rest = await all(database.query(longest, { zoneID, continuationMarker: page?.continuationMarker }));
  assert.equal(rest.length, 12);
  const near = { recordType: "Hike", filterBy: [
    { fieldName: "start", comparator: /** @type {const} */ ("NEAR"), value: new Location({ latitude: 47, longitude: 11 }), distance: 1600 },
    { fieldName: "tags", comparator: /** @type {const} */ ("LIST_CONTAINS"), value: "tag1" },
    { fieldName: "km", comparator: /** @type {const} */ ("IN"), value: [1, 2] }] };
  assert.deepEqual((await all(database.query(near, { zoneID }))).map((record) => record.recordName), ["H-1"]);
  const wrong = { recordType: "Hike", filterBy: [{ fieldName: "nothing", comparator: /** @type {const} */ ("EQUALS"), value: 1 }] };
  await refused(all(database.query(wrong, { zoneID })), "BAD_REQUEST");
});

test("CHG-28 a server that promises more and does not move on is not asked without end", async () => {
  const asked = /** @type {string[]} */ ([]);
  /** @type {typeof fetch} */
  const still = async (address) => {
    const isQuery = String(address).includes("records/query");
    asked.push(isQuery ? "query" : "changes");
    return refusal(200, isQuery ? { records: [], continuationMarker: "here" } : { zones: [], syncToken: "here", moreComing: true });
  };
  const database = device("ALICE", { host: { fetch: still } }).privateDatabase;
  for (const pages of [database.query({ recordType: "Hike" }), database.changes({ syncToken: "here" })]) {
    const error = await refused(all(/** @type {AsyncIterable<unknown>} */ (pages)), "INTERNAL_ERROR");
    assert.match(error.reason, /does not move on/);
  }
  assert.deepEqual(asked, ["query", "query", "changes"]);
});

/** A network on which the server cannot read a record of this name. */
const damagedNetwork = (/** @type {string} */ recordName) =>
  network(async (address, _, real) => {
    if (!/records\/(query|lookup)/.test(address)) return undefined;
    const answer = await (await real()).json();
    const damaged = { recordName, serverErrorCode: "INTERNAL_ERROR", reason: `record '${recordName}' is damaged` };
    const records = answer.records.map((/** @type {any} */ record) => (record.recordName === recordName ? damaged : record));
    return new Response(JSON.stringify({ ...answer, records }));
  });

test("a record that the server cannot read keeps no other from a query, and its error is reported", async () => {
  const container = device("ALICE");
  const zoneID = await zoneOf(container);
  const records = ["D-1", "D-2", "D-3"].map((recordName, place) => ({ recordType: "Damage", recordName, fields: { place } }));
  await container.privateDatabase.saveRecords(records, { zoneID });
  const database = device("ALICE", { host: damagedNetwork("D-1").host }).privateDatabase;
  const query = { recordType: "Damage", sortBy: [{ fieldName: "place" }] };
  const found = /** @type {string[]} */ ([]);
  const reading = async () => {
    for await (const { recordName } of database.query(query, { zoneID, resultsLimit: 1 })) found.push(recordName);
  };
  const error = await refused(reading(), "INTERNAL_ERROR");
  assert.deepEqual([found, error.recordName], [["D-2", "D-3"], "D-1"]);
  const [page] = await all(database.queryPages(query, { zoneID }));
  assert.deepEqual([page.records.length, page.unreadable.map(({ recordName }) => recordName)], [2, ["D-1"]]);
});

test("the error of a lookup has the result of each record that was asked for", async () => {
  const container = device("ALICE");
  const zoneID = await zoneOf(container);
  await container.privateDatabase.saveRecords(["L-1", "L-2"].map((recordName) => ({ recordType: "Note", recordName })), { zoneID });
  const database = device("ALICE", { host: damagedNetwork("L-1").host }).privateDatabase;
  const error = await refused(database.lookupRecords(["nowhere", "L-1", "L-2"], { zoneID }), "INTERNAL_ERROR");
  const codes = error.results?.map((result) => result.error?.serverErrorCode ?? result.record?.recordName);
  assert.deepEqual(codes, ["NOT_FOUND", "INTERNAL_ERROR", "L-2"]);
});

test("zones are made, listed, looked up and deleted", async () => {
  const database = device("ALICE").privateDatabase;
  const name = zoneName();
  const zone = await database.createZone(name);
  assert.equal(zone.zoneID.zoneName, name);
  assert.ok((await database.zones()).some((each) => each.zoneID.zoneName === name));
  assert.deepEqual((await database.lookupZones([zone, "nowhere"])).map((each) => each?.zoneID.zoneName), [name, undefined]);
  await database.deleteZone(zone);
  const error = await refused(database.deleteZone(zone), "ZONE_NOT_FOUND");
  assert.equal(error.zoneID?.zoneName, name);
});

test("changes go on from a token, and an expired one says so", async () => {
  const container = device("ALICE");
  const zoneID = await zoneOf(container);
  const database = container.privateDatabase;
  await database.saveRecords(["C-1", "C-2", "C-3"].map((recordName) => ({ recordType: "Note", recordName })), { zoneID });
  const pages = await all(database.zoneChanges(zoneID, { resultsLimit: 2 }));
  assert.deepEqual(pages.flatMap((page) => page.records.map((record) => record.recordName)), ["C-1", "C-2", "C-3"]);
  const syncToken = pages[pages.length - 1].syncToken;
  await database.deleteRecords(["C-2"], { zoneID });
  const [after] = await all(database.zoneChanges(zoneID, { syncToken }));
  assert.deepEqual([after.records.length, after.deletedRecordNames], [0, ["C-2"]]);
  const found = await all(database.changes({ resultsLimit: 5 }));
  assert.ok(found.some((page) => page.zones.some((zone) => zone.zoneID.zoneName === zoneID.zoneName)));
  await database.deleteZone(zoneID);
  const gone = await all(database.changes({ syncToken: found[found.length - 1].syncToken }));
  assert.ok(gone.some((page) => page.deletedZones.some((zone) => zone.zoneID.zoneName === zoneID.zoneName)));
  await database.createZone(zoneID);
  const error = await refused(all(database.zoneChanges(zoneID, { syncToken })), "BAD_REQUEST");
  assert.equal(error.isTokenExpired, true);
});

test("CHG-28 a server that promises more and stands still is not asked for ever", async () => {
  const { host, seen } = network((address) => {
    const page = { zones: [], records: [], moreComing: true };
    if (address.includes("changes/database")) return new Response(JSON.stringify({ ...page, syncToken: "T" }));
    if (!address.includes("changes/zone")) return undefined;
    return new Response(JSON.stringify({ zones: [{ ...page, zoneID: { zoneName: "Z" } }] }));
  });
  const database = device("ALICE", { host }).privateDatabase;
  // The second page ends where the first one did.
  await refused(all(database.changes()), "INTERNAL_ERROR");
  assert.equal(seen.length, 2);
  // Nobody could go on without a token.
  const error = await refused(all(database.zoneChanges("Z")), "INTERNAL_ERROR");
  assert.deepEqual([error.code, seen.length], ["client", 3]);
});

test("subscriptions are saved, listed, looked up and deleted", async () => {
  const container = device("ALICE");
  const zoneID = await zoneOf(container);
  const database = container.privateDatabase;
  await database.saveRecord({ recordType: "Hike", fields: { km: 1 } }, { zoneID });
  const subscription = await database.saveSubscription({
    subscriptionID: `long-${zoneID.zoneName}`, subscriptionType: "query", zoneID, firesOn: ["create", "update"],
    query: { recordType: "Hike", filterBy: [{ fieldName: "km", comparator: "GREATER_THAN", value: 20 }] },
    notificationInfo: { alertBody: "A long hike", additionalFields: ["km"] },
  });
  const id = subscription.subscriptionID ?? "";
  const [found, missing] = await database.lookupSubscriptions([id, "nothing"]);
  assert.equal(missing, null);
  assert.ok(found?.subscriptionType === "query");
  assert.equal(found.query.filterBy?.[0].value, 20);
  assert.ok((await database.subscriptions()).some((each) => each.subscriptionID === id));
  await database.deleteSubscription(id);
  assert.deepEqual(await database.lookupSubscriptions([id]), [null]);
});

test("a share is made, looked at, joined, changed and left", async () => {
  const [alice, bob] = [device("ALICE"), device("BOB")];
  const zoneID = await zoneOf(alice);
  const database = alice.privateDatabase;
  const root = await database.saveRecord({ recordType: "Album", recordName: "A-7", fields: { name: "North" } }, { zoneID });
  const { userRecordName } = await bob.currentUser();
  const share = await database.share(root, { title: "North area", participants: [{ userRecordName, permission: "READ_WRITE" }] });
  const shortGUID = share.shortGUID ?? "";
  const [seen] = await bob.resolveShares([shortGUID], { fetchRootRecord: true, desiredKeys: ["name"] });
  assert.deepEqual([seen.shortGUID, seen.rootRecord?.fields, seen.participantStatus], [shortGUID, { name: "North" }, "INVITED"]);
  const [joined] = await bob.acceptShares([shortGUID]);
  assert.equal(joined.participantStatus, "ACCEPTED");
  const owner = (await alice.currentUser()).userRecordName;
  assert.ok((await bob.discoverUsers()).some((user) => user.userRecordName === owner));
  const shared = bob.sharedDatabase;
  const album = await shared.lookupRecord("A-7", { zoneID: joined.zoneID });
  assert.ok(album);
  await shared.saveRecord({ ...album, fields: { name: "South" } });
  const current = await database.lookupRecord(share.recordName, { zoneID });
  assert.ok(current);
  const participants = (current.participants ?? []).map((each) => (each.type === "USER" ? { ...each, permission: /** @type {const} */ ("READ_ONLY") } : each));
  const changed = await database.saveRecord({ ...current, participants });
  const stranger = { emailAddress: "stranger@example.org", permission: /** @type {const} */ ("READ_WRITE") };
  const invited = await database.saveRecord({ ...changed, participants: [...(changed.participants ?? []), stranger] });
  const invitation = invited.participants?.find((each) => each.userIdentity.lookupInfo?.emailAddress === stranger.emailAddress);
  assert.deepEqual([invitation?.acceptanceStatus, invitation?.permission], ["INVITED", "READ_WRITE"]);
  await refused(shared.saveRecord({ ...album, fields: { name: "West" } }, { policy: "changedFields" }), "ACCESS_DENIED");
  await shared.deleteRecord(share.recordName, { zoneID: joined.zoneID });
  const error = await refused(shared.lookupRecord("A-7", { zoneID: joined.zoneID }), "ZONE_NOT_FOUND");
  assert.ok(error.reason);
  await refused(bob.resolveShares(["0000000000000000000000000"]), "NOT_FOUND");
  await refused(database.share({ ...root, recordChangeTag: undefined }), "BAD_REQUEST");
});

test("a file is sent by the save and comes back", async () => {
  const container = device("ALICE");
  const database = container.privateDatabase;
  const content = new Uint8Array(70_000).map((_, index) => index % 251);
  const saved = await database.saveRecord({ recordType: "Photo", fields: { file: new Blob([content]), title: "Peak" } });
  const fetched = await database.lookupRecord(saved.recordName);
  const asset = fetched?.fields.file;
  assert.ok(asset instanceof Asset);
  assert.equal(asset.size, 70_000);
  assert.deepEqual(await container.downloadAsset(asset), content);
  const kept = await database.saveRecord({ ...fetched, recordType: "Photo", fields: { ...fetched?.fields, title: "Top" } });
  assert.equal(/** @type {Asset} */ (kept.fields.file).fileChecksum, asset.fileChecksum);
  const album = await database.saveRecord({ recordType: "Gallery", fields: { files: [new Blob(["one"]), new Blob(["two"])] } });
  const files = /** @type {Asset[]} */ (album.fields.files);
  const more = await database.saveRecord({ ...album, fields: { files: [...files, new Blob(["three"])] } });
  assert.deepEqual(/** @type {Asset[]} */ (more.fields.files).map(({ size }) => size), [3, 3, 5]);
  const byHandName = zoneName();
  const place = { recordType: "Photo", fieldName: "file", recordName: byHandName };
  const uploaded = await database.uploadAsset(place, content);
  const byHand = await database.saveRecord({ recordType: "Photo", recordName: byHandName, fields: { file: uploaded } });
  assert.equal(/** @type {Asset} */ (byHand.fields.file).size, 70_000);
  const nameless = /** @type {any} */ ({ recordType: "Photo", fieldName: "file" });
  assert.match((await refused(database.uploadAsset(nameless, content), "BAD_REQUEST")).reason, /'recordName'/);
  await refused(container.downloadAsset(new Asset({ fileChecksum: "x", size: 1 })), "BAD_REQUEST");
});

test("a file that was sent too long before its save is sent once more, and nothing is saved twice", async () => {
  const seen = /** @type {string[]} */ ([]);
  const { host } = network(() => undefined);
  // The first save comes too late for the record "late".
  host.fetch = async (address, request) => {
    const endpoint = /private\/(assets\/upload|records\/modify)/.exec(String(address))?.[1];
    if (!endpoint) return fetch(address, request);
    const body = JSON.parse(String(request?.body));
    seen.push(endpoint === "assets/upload" ? "upload" : body.operations.map((/** @type {any} */ { record }) => record.recordName).join());
    if (seen.at(-1) !== "late,other") return fetch(address, request);
    const answer = await fetch(address, { ...request, body: JSON.stringify({ ...body, operations: body.operations.slice(1) }) });
    const error = { serverErrorCode: "BAD_REQUEST", reason: "the receipt has expired", brume: { code: "receiptExpired" } };
    return new Response(JSON.stringify({ records: [{ recordName: "late", ...error }, ...(await answer.json()).records] }));
  };
  const container = device("ALICE", { host });
  const zoneID = await zoneOf(container);
  const results = await container.privateDatabase.saveRecords([
    { recordType: "Photo", recordName: "late", fields: { file: new Blob(["late"]) } },
    { recordType: "Photo", recordName: "other", fields: { title: "x" } },
  ], { zoneID });
  assert.deepEqual(seen, ["upload", "late,other", "upload", "late"]);
  assert.deepEqual(results.map(({ record }) => record?.recordName), ["late", "other"]);
  assert.equal(/** @type {Asset} */ (results[0].record?.fields.file).size, 4);
});

/** A device whose first save is answered in the server's place: a file of "late" came too late, and another record failed. */
const late = (/** @type {string} */ recordName, /** @type {string} */ serverErrorCode) => {
  const records = [
    { recordName: "late", serverErrorCode: "BAD_REQUEST", reason: "the receipt has expired", brume: { code: "receiptExpired" } },
    { recordName, serverErrorCode, reason: "not saved" },
  ];
  const { host } = network((address, number) =>
    address.includes("records/modify") && number === 1 ? refusal(200, { records }) : undefined);
  return device("ALICE", { host }).privateDatabase;
};

test("a record that failed beside a file that came too late is saved with it", async () => {
  const zoneID = await zoneOf(device("ALICE"));
  const parent = { recordType: "Photo", recordName: "late", fields: { file: new Blob(["late"]) } };
  const child = { recordType: "Photo", recordName: "child", parent: "late" };
  const results = await late("child", "VALIDATING_REFERENCE_ERROR").saveRecords([parent, child], { zoneID });
  assert.deepEqual(results.map(({ record }) => record?.recordName), ["late", "child"]);
});

test("a file that is sent once more is not saved where another record keeps all from being saved", async () => {
  const { privateDatabase } = device("ALICE");
  const zoneID = await zoneOf(device("ALICE"));
  const other = await privateDatabase.saveRecord({ recordType: "Photo", recordName: "other" }, { zoneID });
  const records = [{ recordType: "Photo", recordName: "late", fields: { file: new Blob(["late"]) } }, { ...other, recordChangeTag: undefined }];
  const error = await refused(late("other", "CONFLICT").saveRecords(records, { zoneID, atomic: true }), "ATOMIC_ERROR");
  assert.deepEqual(error.results?.map((result) => result.recordName), ["late", "other"]);
  assert.equal(await privateDatabase.lookupRecord("late", { zoneID }), null);
});

test("the user is known, and finds others", async () => {
  const [alice, bob] = [device("ALICE"), device("BOB")];
  const [{ userRecordName }, other] = [await alice.currentUser(), await bob.currentUser()];
  assert.notEqual(userRecordName, other.userRecordName);
  const found = await alice.discoverUsers([{ userRecordName: other.userRecordName }, { emailAddress: "nobody@example.org" }]);
  assert.deepEqual(found.map((user) => user.userRecordName), [other.userRecordName]);
});

// MARK: Errors, repetition, signing in

test("an error has its code, reason, status and request ID", async () => {
  const error = await refused(device("ALICE").privateDatabase.saveSubscription({ subscriptionType: "zone", zoneID: "nowhere" }), "ZONE_NOT_FOUND");
  assert.ok(error.reason.length > 0);
  const whole = await refused(device(null).privateDatabase.zones(), "AUTHENTICATION_REQUIRED");
  assert.equal(whole.status, 421);
  assert.match(whole.uuid ?? "", /^[0-9A-F-]{36}$/);
  assert.match(whole.redirectURL ?? "", /\/_brume\/signin/);
  const wrong = await refused(device("ALICE", { apiToken: "wrong" }).privateDatabase.zones(), "AUTHENTICATION_FAILED");
  assert.equal(wrong.status, 401);
  assert.throws(() => new Container({ url: "", container: "x", apiToken: "y" }), /'url'/);
});

test("a busy server is asked again when it says so", async () => {
  const busy = { uuid: "U", serverErrorCode: "THROTTLED", reason: "too many requests", retryAfter: 3 };
  const { host, seen, pauses } = network((_, number) => (number < 3 ? refusal(429, busy, { "Retry-After": "3" }) : undefined));
  await device("ALICE", { host }).privateDatabase.zones();
  assert.equal(seen.length, 3);
  assert.deepEqual(pauses, [3000, 3000]);
  const dated = network((_, number) => (number < 2 ? refusal(503, { ...busy, serverErrorCode: "TRY_AGAIN_LATER", retryAfter: undefined }, { "Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT" }) : undefined));
  await refused(device("ALICE", { host: dated.host }).privateDatabase.zones(), "TRY_AGAIN_LATER");
  const patient = network(() => refusal(429, { ...busy, retryAfter: 60 }));
  const error = await refused(device("ALICE", { host: patient.host }).privateDatabase.zones(), "THROTTLED");
  assert.deepEqual([error.retryAfter, patient.seen.length], [60, 1]);
});

test("a pause that is longer than timers hold does not end at once", async () => {
  const [timer, times] = [globalThis.setTimeout, /** @type {number[]} */ ([])];
  const setTimeout = (/** @type {() => void} */ callback, /** @type {number} */ milliseconds, /** @type {unknown[]} */ ...rest) => {
    times.push(milliseconds);
    // Node has timers of its own.
    return milliseconds < 86_400_000 ? timer(callback, milliseconds, ...rest) : timer(callback);
  };
  const answers = [refusal(429, { serverErrorCode: "THROTTLED", reason: "too many requests", retryAfter: 10_000_000 }), refusal(200, { zones: [] })];
  /** @type {typeof fetch} */
  const canned = async () => answers.shift() ?? assert.fail("a third request");
  const database = device("ALICE", { longestPause: Infinity, host: { fetch: canned } }).privateDatabase;
  Object.assign(globalThis, { setTimeout });
  try {
    assert.deepEqual(await database.zones(), []);
  } finally {
    Object.assign(globalThis, { setTimeout: timer });
  }
  assert.equal(Math.max(...times), 2 ** 31 - 1);
});

test("a save whose answer is lost is not saved twice", async () => {
  const { host, seen } = network(async (address, number, real) => {
    if (!address.includes("records/modify") || number > 1) return undefined;
    await real();
    throw new TypeError("the answer was lost");
  });
  const database = device("ALICE", { host }).privateDatabase;
  const saved = await database.saveRecord({ recordType: "Note", recordName: `once-${zoneName()}`, fields: { text: "once" } });
  assert.equal(seen.length, 2);
  const fetched = await database.lookupRecord(saved.recordName);
  assert.equal(fetched?.recordChangeTag, saved.recordChangeTag);
});

test("a save whose answer was lost is not sent again by a machine that has slept for a day", async () => {
  for (const [hours, requests] of [[1, 2], [24, 1]]) {
    let now = 0;
    const { host, seen } = network(async (_, number, real) => {
      if (number === 1) await real();
      now = hours * 3_600_000;
      if (number === 1) throw new TypeError("the answer was lost");
      return undefined;
    });
    const database = device("ALICE", { host: { ...host, now: () => now } }).privateDatabase;
    const saving = database.saveRecord({ recordType: "Note", fields: { text: "slept" } });
    await (requests === 1 ? refused(saving, "NETWORK_ERROR") : saving);
    assert.equal(seen.length, requests);
  }
});

test("a repeated save whose answer had no room for a record is answered with the record, under the tag of the save", async () => {
  const container = device("ALICE");
  const zoneID = await zoneOf(container);
  const lookups = /** @type {number[]} */ ([]);
  const { host } = network(async (address, number, real) => {
    const isLookup = address.includes("records/lookup");
    if (!isLookup && !address.includes("records/modify")) return undefined;
    const answer = await (await real()).json();
    if (isLookup) {
      lookups.push(answer.records.length);
      // The second one does not fit into the first answer.
      if (number === 1) answer.records[1] = full(answer.records[1]);
    } else {
      // Somebody changes it before it is fetched.
      await container.privateDatabase.saveRecord({ recordName: "C", fields: { text: "theirs" } }, { zoneID, policy: "changedFields" });
      for (const index of [1, 2]) answer.records[index] = full(answer.records[index]);
    }
    return new Response(JSON.stringify(answer));
  });
  const database = device("ALICE", { host }).privateDatabase;
  const named = ["A", "B", "C"].map((recordName) => ({ recordType: "Note", recordName, fields: { text: recordName } }));
  const records = (await database.saveRecords(named, { zoneID })).map(({ record }) => record);
  assert.deepEqual(records.map((record) => record?.fields.text), ["A", "B", "theirs"]);
  assert.deepEqual(lookups, [2, 1]);
  assert.ok(records[1] && records[2]);
  await container.privateDatabase.saveRecord({ ...records[1], fields: { text: "again" } });
  await refused(container.privateDatabase.saveRecord({ ...records[2], fields: { text: "again" } }), "CONFLICT");
});

test("ZON-20 the deletion of a zone whose answer is lost is repeated, and deletes no zone that was made since", async () => {
  const container = device("ALICE");
  const zone = await container.privateDatabase.createZone(zoneName());
  let made = /** @type {import("./brume.mjs").Zone | undefined} */ (undefined);
  const { host, seen } = network(async (address, number, real) => {
    if (number > 1) return undefined;
    await real();
    made = await container.privateDatabase.createZone(zone);
    throw new TypeError("no network");
  });
  await device("ALICE", { host }).privateDatabase.deleteZone(zone);
  assert.equal(seen.length, 2);
  assert.equal((await container.privateDatabase.lookupZones([zone]))[0]?.syncToken, made?.syncToken);
});

test("SUB-28 the deletion of a subscription whose answer is lost is repeated, and deletes none that was saved since", async () => {
  const container = device("ALICE");
  const zoneID = await zoneOf(container);
  const id = `again-${zoneID.zoneName}`;
  const save = () => container.privateDatabase.saveSubscription({ subscriptionID: id, subscriptionType: "zone", zoneID });
  await save();
  const { host, seen } = network(async (_, number, real) => {
    if (number > 1) return undefined;
    await real();
    await save();
    throw new TypeError("no network");
  });
  await device("ALICE", { host }).privateDatabase.deleteSubscription(id);
  assert.equal(seen.length, 2);
  assert.equal((await container.privateDatabase.lookupSubscriptions([id]))[0]?.subscriptionID, id);
  await container.privateDatabase.deleteSubscription(id);
});

test("a request that gets no answer is sent five times, and then reported", async () => {
  const { host, seen } = network(() => { throw new TypeError("no network"); });
  const error = await refused(device("ALICE", { host }).privateDatabase.zones(), "NETWORK_ERROR");
  assert.equal(seen.length, 5);
  // Not the whole address, which has tokens.
  assert.ok(error.reason.startsWith(`no answer from ${value("BRUME_URL")} (no network)`), error.reason);
});

test("a proxy's own answer is a network error", async () => {
  const { host } = network(() => new Response("<h1>Bad gateway</h1>", { status: 502 }));
  const error = await refused(device("ALICE", { host, attempts: 1 }).privateDatabase.zones(), "NETWORK_ERROR");
  assert.equal(error.status, 502);
});

test("a signal ends a call, also while it waits", async () => {
  const database = device("ALICE").privateDatabase;
  const ended = new AbortController();
  ended.abort();
  await assert.rejects(database.zones({ signal: ended.signal }), { name: "AbortError" });
  const controller = new AbortController();
  const { host } = network(() => { throw new TypeError("no network"); });
  host.sleep = (_, signal) => new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason));
    controller.abort();
  });
  await assert.rejects(device("ALICE", { host }).privateDatabase.zones({ signal: controller.signal }), { name: "AbortError" });
});

test("a request without an answer ends at its time limit", async () => {
  const { host } = network(() => undefined);
  host.fetch = (_, request) => new Promise((_, reject) => {
    request?.signal?.addEventListener("abort", () => reject(request.signal?.reason));
  });
  const error = await refused(device("ALICE", { host, timeout: 5, attempts: 1 }).privateDatabase.zones(), "NETWORK_ERROR");
  assert.match(error.reason, /5 ms/);
});

/** Timers that go off when a test lets time pass; `end` gives the real ones back. */
const clock = () => {
  const { setTimeout, clearTimeout } = globalThis;
  const timers = /** @type {Map<number, { at: number, callback: () => void }>} */ (new Map());
  let [now, count] = [0, 0];
  Object.assign(globalThis, {
    setTimeout: (/** @type {() => void} */ callback, /** @type {number} */ milliseconds) => {
      timers.set((count += 1), { at: now + milliseconds, callback });
      return count;
    },
    clearTimeout: (/** @type {number} */ timer) => void timers.delete(timer),
  });
  const pass = (/** @type {number} */ milliseconds) => {
    now += milliseconds;
    for (const [timer, { at, callback }] of timers) if (at <= now && timers.delete(timer)) callback();
  };
  return { pass, end: () => void Object.assign(globalThis, { setTimeout, clearTimeout }) };
};

test("an answer that comes in parts has the time limit for its head and for each of them", async () => {
  for (const [head, pause, fails] of /** @type {const} */ ([[40, 40, false], [0, 60, true], [60, 0, true]])) {
    const { pass, end } = clock();
    const parts = ['{"zo', 'nes"', ':[]}'];
    /** @type {typeof fetch} */
    const slow = async (_, request) => {
      /** @type {UnderlyingSource<Uint8Array>} */
      const source = {
        start: (body) => request?.signal?.addEventListener("abort", () => body.error(request.signal?.reason)),
        pull: (body) => {
          pass(pause);
          if (request?.signal?.aborted) return;
          const part = parts.shift();
          if (part === undefined) body.close();
          else body.enqueue(new TextEncoder().encode(part));
        },
      };
      pass(head);
      request?.signal?.throwIfAborted();
      // Nothing is made before somebody reads.
      return new Response(new ReadableStream(source, { highWaterMark: 0 }));
    };
    try {
      const zones = device("ALICE", { timeout: 50, attempts: 1, host: { fetch: slow } }).privateDatabase.zones();
      if (fails) assert.match((await refused(zones, "NETWORK_ERROR")).reason, /50 ms/);
      else assert.deepEqual(await zones, []);
    } finally {
      end();
    }
  }
});

test("each answer's token takes the place of the last, until the user signs out", async () => {
  const kept = /** @type {(string | null)[]} */ ([value("BRUME_USER_TOKEN_ALICE")]);
  const tokens = { get: () => kept[kept.length - 1], set: (/** @type {string | null} */ token) => void kept.push(token) };
  const container = device(null, { tokens });
  await container.currentUser();
  await container.currentUser();
  assert.equal(kept.length, 3);
  await container.signOut();
  assert.equal(kept[kept.length - 1], null);
  await refused(container.privateDatabase.zones(), "AUTHENTICATION_REQUIRED");
});

test("an answer that comes after the user has signed out brings no token back", async () => {
  let answer = () => {};
  const answered = /** @type {Promise<void>} */ (new Promise((resolve) => (answer = resolve)));
  const { host } = network(async (address, _, real) => {
    if (!address.includes("users/caller")) return undefined;
    const response = await real();
    await answered;
    return response;
  });
  const container = device("ALICE", { host });
  const slow = container.currentUser();
  await container.signOut();
  answer();
  await slow;
  await refused(container.privateDatabase.zones(), "AUTHENTICATION_REQUIRED");
});

test("an answer in one tab brings back no session that another tab has ended", async () => {
  for (const next of [null, value("BRUME_USER_TOKEN_BOB")]) {
    let kept = /** @type {string | null} */ (value("BRUME_USER_TOKEN_ALICE"));
    const tokens = { get: () => kept, set: (/** @type {string | null} */ token) => void (kept = token) };
    const other = device(null, { tokens });
    const { host } = network(async (_, __, real) => {
      const response = await real();
      await (next ? other.takeWebAuthToken(next) : other.signOut());
      return response;
    });
    await device(null, { tokens, host }).currentUser();
    assert.equal(kept, next);
  }
});

test("the token travels in a header, not in the address", async () => {
  const { host, seen } = network(() => undefined);
  await device("ALICE", { host }).currentUser();
  assert.ok(!seen[0].includes("ckWebAuthToken"), seen[0]);
});

test("calls that need a user lead him to the page once, and go on", async () => {
  const pages = /** @type {string[]} */ ([]);
  const container = device(null, {
    onSignInRequired: async (redirectURL) => {
      pages.push(redirectURL);
      return value("BRUME_USER_TOKEN_BOB");
    },
  });
  const [user, zones] = await Promise.all([container.currentUser(), container.privateDatabase.zones()]);
  assert.equal(pages.length, 1);
  assert.match(pages[0], /\/_brume\/signin/);
  assert.equal(user.userRecordName, (await device("BOB").currentUser()).userRecordName);
  assert.ok(Array.isArray(zones));
  assert.match(await device(null).signInURL(), /\/_brume\/signin/);
  const byCallback = device(null);
  await byCallback.takeWebAuthToken(`app://signed-in?ckWebAuthToken=${encodeURIComponent(value("BRUME_USER_TOKEN_BOB"))}`);
  assert.equal((await byCallback.currentUser()).userRecordName, user.userRecordName);
  await assert.rejects(byCallback.takeWebAuthToken("app://signed-in"), /ckWebAuthToken/);
});

/** A user who takes his time on the sign-in page, and the signals that say when it is given up. */
const hesitant = () => {
  const signals = /** @type {(AbortSignal | undefined)[]} */ ([]);
  const user = { signals, open: () => {}, signIn: (/** @type {string} */ _) => {} };
  const container = device(null, {
    onSignInRequired: (_, { signal }) => new Promise((resolve, reject) => {
      signals.push(signal);
      signal?.addEventListener("abort", () => reject(signal.reason));
      user.signIn = resolve;
      user.open();
    }),
  });
  return { container, user };
};

test("a call that is given up waits no more for the sign-in page, and the last one gives it up", async () => {
  const { container, user } = hesitant();
  const calls = [new AbortController(), new AbortController()];
  for (const call of calls) {
    user.open = () => call.abort();
    await assert.rejects(container.currentUser({ signal: call.signal }), { name: "AbortError" });
  }
  assert.deepEqual(user.signals.map((signal) => signal?.aborted), [true, true]);
});

test("the sign-in page stays for a call that waits when the one that opened it is given up", async () => {
  const { container, user } = hesitant();
  const opened = /** @type {Promise<void>} */ (new Promise((resolve) => (user.open = resolve)));
  const impatient = new AbortController();
  const given = assert.rejects(container.currentUser({ signal: impatient.signal }), { name: "AbortError" });
  await opened;
  // Until the second call waits: for a request it registers with a signal that lets go of it again, for the page without.
  const { signal } = new AbortController();
  const waits = /** @type {Promise<void>} */ (new Promise((resolve) => {
    const register = (/** @type {string} */ _, /** @type {unknown} */ __, /** @type {AddEventListenerOptions} */ options) => {
      if (!options.signal) resolve();
    };
    Object.assign(signal, { addEventListener: register });
  }));
  const patient = container.currentUser({ signal });
  await waits;
  impatient.abort();
  await given;
  assert.deepEqual(user.signals.map((each) => each?.aborted), [false]);
  user.signIn(value("BRUME_USER_TOKEN_BOB"));
  assert.equal((await patient).userRecordName, (await device("BOB").currentUser()).userRecordName);
});

/** A page that opens a window for signing in, by hand: what it is led to, what it posts, and when it is looked at. */
const page = () => {
  const listeners = /** @type {Set<(event: object) => void>} */ (new Set());
  const looks = /** @type {(() => void)[]} */ ([]);
  let lead = (/** @type {string} */ _) => {};
  const led = /** @type {Promise<string>} */ (new Promise((resolve) => (lead = resolve)));
  const popup = { closed: false, close: () => {}, location: { set href(/** @type {string} */ address) { lead(address); } } };
  const globals = {
    open: () => popup, setInterval: (/** @type {() => void} */ look) => looks.push(look), clearInterval: () => {},
    addEventListener: (/** @type {string} */ _, /** @type {(event: object) => void} */ listener) => void listeners.add(listener),
    removeEventListener: (/** @type {string} */ _, /** @type {(event: object) => void} */ listener) => void listeners.delete(listener),
  };
  const before = /** @type {Record<string, unknown>} */ ({ setInterval: globalThis.setInterval, clearInterval: globalThis.clearInterval });
  Object.assign(globalThis, globals);
  const post = async (/** @type {object} */ data) => {
    const { origin } = new URL(await led);
    listeners.forEach((listener) => listener({ origin, source: popup, data }));
  };
  const end = () => {
    for (const name of Object.keys(globals)) Reflect.deleteProperty(globalThis, name);
    Object.assign(globalThis, before);
  };
  return { popup, led, post, look: () => looks.forEach((look) => look()), end };
};

test("a sign-in page that is closed when its token comes has signed the user in, and one that is closed without has not", async () => {
  for (const comes of [true, false]) {
    const { popup, led, post, look, end } = page();
    try {
      const signing = device(null).signIn();
      assert.match(await led, /\/_brume\/signin/);
      popup.closed = true;
      look();
      if (comes) await post({ ckWebAuthToken: value("BRUME_USER_TOKEN_BOB") });
      else look();
      if (comes) assert.equal((await signing).userRecordName, (await device("BOB").currentUser()).userRecordName);
      else await assert.rejects(signing, { name: "AbortError" });
    } finally {
      end();
    }
  }
});

test("signing out leads nobody to the page", async () => {
  const onSignInRequired = async () => assert.fail("a page for signing in");
  await refused(device(null, { webAuthToken: "stale", onSignInRequired }).signOut(), "AUTHENTICATION_REQUIRED");
});

test("a token that is no good leads to the page too", async () => {
  let pages = 0;
  const container = device(null, {
    webAuthToken: "stale",
    onSignInRequired: async () => {
      pages += 1;
      return value("BRUME_USER_TOKEN_ALICE");
    },
  });
  await container.currentUser();
  assert.equal(pages, 1);
});

test("a browser's token is kept in its storage", () => {
  const kept = new Map();
  const storage = { getItem: (/** @type {string} */ key) => kept.get(key) ?? null, setItem: kept.set.bind(kept), removeItem: kept.delete.bind(kept) };
  Object.assign(globalThis, { localStorage: storage });
  const tokens = browserTokens("mine");
  tokens.set("T");
  assert.equal(tokens.get(), "T");
  tokens.set(null);
  assert.equal(tokens.get(), null);
  Reflect.deleteProperty(globalThis, "localStorage");
});
