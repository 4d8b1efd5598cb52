// Pushes through the event stream: what they say, that they are acknowledged, and that a break loses none.
// As Bob, whose database nobody else writes to at the time.
import { test } from "node:test";
import assert from "node:assert/strict";
import { BrumeError } from "./brume.mjs";
import { device, refusal, value, zoneName } from "./servers.mjs";

/** A device that is notified of a new zone's changes, and the zone. */
const subscribed = async () => {
  const [phone, laptop] = [device("BOB"), device("BOB")];
  const zoneID = (await phone.privateDatabase.createZone(zoneName())).zoneID;
  await laptop.privateDatabase.saveRecord({ recordType: "Alarm", recordName: "first", fields: { title: "x" } }, { zoneID });
  await phone.privateDatabase.saveSubscription({
    subscriptionID: zoneID.zoneName, subscriptionType: "query", zoneID, firesOn: ["create", "update", "delete"],
    query: { recordType: "Alarm" }, notificationInfo: { alertBody: "Changed", additionalFields: ["title"] },
  });
  const save = (/** @type {string} */ recordName) =>
    laptop.privateDatabase.saveRecord({ recordType: "Alarm", recordName, fields: { title: recordName } }, { zoneID });
  return { phone, laptop, zoneID, save };
};

/**
 * The next pushes of one zone; other tests write at the same time.
 * @param {AsyncGenerator<import("./brume.mjs").Push>} pushes
 * @param {import("./brume.mjs").ZoneID} zoneID
 * @param {number} count
 */
const next = async (pushes, zoneID, count) => {
  const found = [];
  while (found.length < count) {
    const { value, done } = await pushes.next();
    assert.ok(!done);
    if (value.zoneID?.zoneName === zoneID.zoneName) found.push(value);
  }
  return found;
};

/** A promise, and the function that keeps it. */
const signal = () => {
  let ring = () => {};
  const rung = /** @type {Promise<void>} */ (new Promise((resolve) => (ring = resolve)));
  return { ring, rung };
};

test("a push says what changed, and the device that changed it gets none", async () => {
  const { phone, zoneID, save } = await subscribed();
  const { ring, rung } = signal();
  const pushes = phone.pushes({ onConnected: ring });
  const first = pushes.next();
  await rung;
  await phone.privateDatabase.saveRecord({ recordType: "Alarm", recordName: "own" }, { zoneID });
  await save("other");
  const { value: push } = await first;
  assert.ok(push);
  assert.deepEqual(
    [push.kind, push.recordName, push.reason, push.databaseScope, push.fields, push.subscriptionID, push.zoneID?.zoneName, push.isPruned],
    ["query", "other", "created", "private", { title: "other" }, zoneID.zoneName, zoneID.zoneName, false]);
  assert.deepEqual(push.aps.alert, { body: "Changed" });
  assert.ok(push.notificationID && push.cursor && push.containerIdentifier === phone.containerIdentifier);
  await pushes.return();
});

test("a text with line separators of Unicode comes in a push as it is", async () => {
  const { phone, laptop, zoneID } = await subscribed();
  const { ring, rung } = signal();
  const pushes = phone.pushes({ onConnected: ring });
  const found = next(pushes, zoneID, 1);
  await rung;
  const title = "one\u2028two\u2029three";
  await laptop.privateDatabase.saveRecord({ recordType: "Alarm", recordName: "lines", fields: { title } }, { zoneID });
  assert.deepEqual((await found)[0].fields, { title });
  await pushes.return();
});

test("what was dealt with does not come again, and what was not does", async () => {
  const { phone, zoneID, save } = await subscribed();
  const { ring, rung } = signal();
  let cursor;
  const pushes = phone.pushes({ onConnected: ring, onCursor: (position) => void (cursor = position) });
  const first = next(pushes, zoneID, 2);
  await rung;
  await save("one");
  await save("two");
  assert.deepEqual((await first).map((push) => push.recordName), ["one", "two"]);
  // The second is not dealt with: nobody asked for a third.
  await pushes.return();
  const again = phone.pushes({ cursor });
  assert.deepEqual((await next(again, zoneID, 1)).map((push) => push.recordName), ["two"]);
  await again.return();
});

test("more pushes than a mailbox holds come through one stream", async () => {
  const { phone, laptop, zoneID } = await subscribed();
  const { ring, rung } = signal();
  const pushes = phone.pushes({ onConnected: ring });
  const names = Array.from({ length: 130 }, (_, index) => `N-${index}`);
  const found = next(pushes, zoneID, names.length);
  await rung;
  for (const recordName of names) await laptop.privateDatabase.saveRecord({ recordType: "Alarm", recordName }, { zoneID });
  assert.deepEqual((await found).map((push) => push.recordName), names);
  await pushes.return();
});

test("a stream that breaks, or falls silent, goes on where it was", async () => {
  const { phone, zoneID, save } = await subscribed();
  let streams = 0;
  let end = () => {};
  const positions = /** @type {(string | undefined)[]} */ ([]);
  /** @type {typeof fetch} */
  const breaking = async (address, request) => {
    if (!String(address).includes("/_brume/stream?")) return fetch(address, request);
    streams += 1;
    positions.push(/** @type {Record<string, string>} */ (request?.headers)["Last-Event-ID"]);
    const controller = new AbortController();
    request?.signal?.addEventListener("abort", () => controller.abort());
    end = () => controller.abort();
    return fetch(address, { ...request, signal: controller.signal });
  };
  const sleep = async () => {};
  const breakable = device("BOB", { deviceID: phone.deviceID, host: { fetch: breaking, sleep } });
  const { ring, rung } = signal();
  const seen = /** @type {string[]} */ ([]);
  const onConnected = () => (seen.push("connected"), ring());
  const pushes = breakable.pushes({ onConnected, onDisconnected: () => void seen.push("disconnected") });
  const first = next(pushes, zoneID, 1);
  await rung;
  await save("before");
  await first;
  const second = next(pushes, zoneID, 1);
  end();
  await save("after");
  assert.deepEqual((await second).map((push) => push.recordName), ["after"]);
  assert.ok(streams >= 2);
  assert.ok(positions[1], "the second stream does not say where the first ended");
  assert.deepEqual(seen.slice(0, 3), ["connected", "disconnected", "connected"]);
  await pushes.return();
  assert.equal(seen.at(-1), "disconnected");
});

test("a silent stream is taken for dead", async () => {
  let streams = 0;
  const { ring, rung } = signal();
  /** @type {typeof fetch} */
  const silent = async (_, request) => {
    streams += 1;
    if (streams === 3) ring();
    const body = new ReadableStream({ start: (stream) => request?.signal?.addEventListener("abort", () => stream.error(request.signal?.reason)) });
    return new Response(body);
  };
  const stop = device("BOB", { host: { fetch: silent, sleep: async () => {} } }).onPush(() => {}, { silence: 5 });
  await rung;
  stop();
});

test("a stream that does not begin, or breaks off in a refusal, is opened again", async () => {
  /** @type {((request?: RequestInit) => Promise<Response>)[]} */
  const answers = [
    (request) => new Promise((_, reject) => request?.signal?.addEventListener("abort", () => reject(request.signal?.reason))),
    async () => new Response(new ReadableStream({ start: (body) => body.error(new TypeError("terminated")) }), { status: 503 }),
  ];
  const third = signal();
  /** @type {typeof fetch} */
  const slow = (_, request) => {
    const answer = answers.shift();
    if (answer) return answer(request);
    third.ring();
    return new Promise((_, reject) => request?.signal?.addEventListener("abort", () => reject(request.signal?.reason)));
  };
  const errors = /** @type {unknown[]} */ ([]);
  const container = device("BOB", { timeout: 20, host: { fetch: slow, sleep: async () => {} } });
  const stop = container.onPush(() => {}, { onError: (error) => (errors.push(error), third.ring()) });
  await third.rung;
  stop();
  assert.deepEqual(errors, []);
});

test("a stream whose end says why is not opened again, and the pushes before it are handed over", async () => {
  let streams = 0;
  const removed = { serverErrorCode: "NOT_FOUND", reason: "this device was removed" };
  const text = `retry: 1000\n: connected\n\nid: 1-1\ndata: {"ck":{"nid":"n"}}\n\nevent: end\ndata: ${JSON.stringify(removed)}\n\n`;
  /** @type {typeof fetch} */
  const ending = async (address) => {
    if (!String(address).includes("/_brume/stream?")) return new Response("{}");
    streams += 1;
    return new Response(text);
  };
  const pushed = /** @type {(string | undefined)[]} */ ([]);
  const removable = device("BOB", { host: { fetch: ending, sleep: async () => {} } });
  const error = await new Promise((onError) => removable.onPush((push) => void pushed.push(push.notificationID), { onError }));
  assert.ok(error instanceof BrumeError && error.serverErrorCode === "NOT_FOUND");
  assert.deepEqual(pushed, ["n"]);
  assert.equal(streams, 1);
});

test("a callback gets the pushes until it is stopped, and a refusal for good ends it", async () => {
  const { phone, zoneID, save } = await subscribed();
  const connected = signal();
  const called = signal();
  const stop = phone.onPush((push) => {
    if (push.zoneID?.zoneName === zoneID.zoneName) called.ring();
  }, { onConnected: connected.ring });
  await connected.rung;
  await save("called");
  await called.rung;
  stop();
  const error = await new Promise((onError) => device(null).onPush(() => {}, { onError }));
  assert.ok(error instanceof BrumeError && error.serverErrorCode === "AUTHENTICATION_REQUIRED");
});

test("an acknowledgement leads nobody to the sign-in page", async () => {
  const removed = { serverErrorCode: "NOT_FOUND", reason: "this device was removed" };
  const parts = ['id: 1-1\ndata: {"ck":{"nid":"n"}}\n\n', `event: end\ndata: ${JSON.stringify(removed)}\n\n`];
  const seen = /** @type {string[]} */ ([]);
  /** @type {typeof fetch} */
  const signedOut = async (address) => {
    if (!String(address).includes("/_brume/stream?")) {
      seen.push("acknowledged");
      return refusal(421, { serverErrorCode: "AUTHENTICATION_REQUIRED", reason: "nobody is signed in", redirectURL: "/" });
    }
    const start = (/** @type {ReadableStreamDefaultController<Uint8Array>} */ body) => {
      for (const part of parts) body.enqueue(new TextEncoder().encode(part));
      body.close();
    };
    return new Response(new ReadableStream({ start }));
  };
  const onSignInRequired = async () => (seen.push("page"), value("BRUME_USER_TOKEN_BOB"));
  const container = device("BOB", { onSignInRequired, host: { fetch: signedOut } });
  await new Promise((onError) => container.onPush(() => {}, { onError, acknowledgeEvery: 1 }));
  assert.deepEqual(seen, ["acknowledged"]);
});
