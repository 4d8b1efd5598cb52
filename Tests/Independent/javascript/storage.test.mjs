// Where an offline store keeps things in a browser: when its database is opened, and when no more. What it
// reads and writes is tested in a browser (tabs.py).
import { test } from "node:test";
import assert from "node:assert/strict";
import { IndexedDBStorage } from "./brume.mjs";

/** A browser whose database is opened by `answers`, one after the other: an error, or null for success. */
const browser = (/** @type {(Error | null)[]} */ ...answers) => {
  const seen = /** @type {string[]} */ ([]);
  const connections = /** @type {any[]} */ ([]);
  const later = (/** @type {any} */ request, /** @type {string} */ event) => (queueMicrotask(() => request[event]()), request);
  const connect = () => {
    const get = () => later({ result: "kept" }, "onsuccess");
    const connection = { transaction: () => ({ objectStore: () => ({ get }) }), close: () => void seen.push("closed") };
    connections.push(connection);
    return connection;
  };
  const open = () => {
    seen.push("opened");
    const error = answers.shift();
    return error ? later({ error }, "onerror") : later({ result: connect() }, "onsuccess");
  };
  for (const [name, value] of Object.entries({ indexedDB: { open }, navigator: { locks: {} } })) {
    Object.defineProperty(globalThis, name, { value, configurable: true });
  }
  return { seen, connections };
};

test("a database that could not be opened is tried again", async () => {
  const { seen } = browser(new Error("the disk is full"), null);
  const storage = new IndexedDBStorage("any");
  await assert.rejects(storage.get("meta", "key"), /the disk is full/);
  assert.equal(await storage.get("meta", "key"), "kept");
  assert.equal(await storage.get("meta", "key"), "kept");
  assert.deepEqual(seen, ["opened", "opened"]);
});

test("a database that the browser ended is opened again", async () => {
  const { seen, connections } = browser();
  const storage = new IndexedDBStorage("any");
  await storage.get("meta", "key");
  connections[0].onclose();
  await storage.get("meta", "key");
  assert.deepEqual(seen, ["opened", "opened"]);
});

test("a storage that is closed opens no database, and one that never opened can be closed", async () => {
  const { seen } = browser(null, new Error("the disk is full"));
  const storage = new IndexedDBStorage("any");
  await storage.get("meta", "key");
  await storage.close();
  await assert.rejects(storage.get("meta", "key"), /'any' is closed/);
  assert.deepEqual(seen, ["opened", "closed"]);
  const failing = new IndexedDBStorage("any");
  await Promise.all([assert.rejects(failing.get("meta", "key"), /the disk is full/), failing.close()]);
  assert.deepEqual(seen, ["opened", "closed", "opened"]);
});

test("a database that somebody wants to delete is let go of, and calls say that it is closed", async () => {
  const { seen, connections } = browser();
  const storage = new IndexedDBStorage("any");
  await storage.get("meta", "key");
  connections[0].onversionchange();
  await assert.rejects(storage.get("meta", "key"), /'any' is closed/);
  assert.deepEqual(seen, ["opened", "closed"]);
});
