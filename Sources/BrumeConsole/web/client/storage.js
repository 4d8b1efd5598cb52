// MARK: Where the offline store keeps things
// Three tables, `records`, `outbox` and `meta`, of texts as keys and JSON-like values. A storage of your own
// has these five functions; `apply` must be one transaction that is durable when it returns.

/** In memory: for programs and tests. Objects that share one are two tabs of one browser. */
export class MemoryStorage {
  #tables = new Map();

  #table(name) {
    if (!this.#tables.has(name)) this.#tables.set(name, new Map());
    return this.#tables.get(name);
  }

  /** The value under a key, or undefined. */
  async get(table, key) {
    return structuredClone(this.#table(table).get(key));
  }

  /** All entries whose keys begin with `prefix`, as `{key, value}`, in the order of their keys. */
  async list(table, prefix = "") {
    const keys = [...this.#table(table).keys()].filter((key) => key.startsWith(prefix)).sort();
    return keys.map((key) => ({ key, value: structuredClone(this.#table(table).get(key)) }));
  }

  /** How many there are of them. */
  async count(table, prefix = "") {
    return [...this.#table(table).keys()].filter((key) => key.startsWith(prefix)).length;
  }

  /** Writes all changes or none: `{table, key, value}`; without a value the entry goes. */
  async apply(changes) {
    for (const { table, key, value } of changes) {
      if (value === undefined) this.#table(table).delete(key);
      else this.#table(table).set(key, structuredClone(value));
    }
  }

  async close() {}
}

const TABLES = ["records", "outbox", "meta"];

const resultOf = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const beginningWith = (prefix) => (prefix === "" ? undefined : IDBKeyRange.bound(prefix, `${prefix}\uffff`));

/** In a browser's IndexedDB: what was applied is on the disk, also if the tab dies at once. */
export class IndexedDBStorage {
  #opened;
  #isClosed = false;

  constructor(name) {
    if (!globalThis.indexedDB) throw usageError("there is no IndexedDB here: use a MemoryStorage");
    // Without locks two tabs would write over each other; a page that is not secure has none.
    if (!globalThis.navigator?.locks) throw usageError("IndexedDBStorage needs Web Locks: serve the page by HTTPS");
    this.name = name;
  }

  /** Not again after `close`: somebody may have deleted the database, and would find a new one. */
  async #open() {
    if (this.#isClosed) throw usageError(`the storage '${this.name}' is closed`);
    this.#opened ??= new Promise((resolve, reject) => {
      const request = globalThis.indexedDB.open(`brume ${this.name}`, 1);
      request.onupgradeneeded = () => {
        for (const table of TABLES) request.result.createObjectStore(table);
      };
      const forget = () => (this.#opened = undefined);
      request.onsuccess = () => {
        // The browser has ended it, as when the user clears the site's data: the next call opens it again.
        request.result.onclose = forget;
        // Somebody wants to delete the database, or a newer version of this module to change it: neither is to find a new one.
        request.result.onversionchange = () => {
          this.#isClosed = true;
          request.result.close();
        };
        resolve(request.result);
      };
      request.onerror = () => {
        forget();
        reject(request.error);
      };
    });
    return this.#opened;
  }

  async get(table, key) {
    const transaction = (await this.#open()).transaction(table, "readonly");
    return resultOf(transaction.objectStore(table).get(key));
  }

  async count(table, prefix = "") {
    const transaction = (await this.#open()).transaction(table, "readonly");
    return resultOf(transaction.objectStore(table).count(beginningWith(prefix)));
  }

  async list(table, prefix = "") {
    const transaction = (await this.#open()).transaction(table, "readonly");
    const [range, store] = [beginningWith(prefix), transaction.objectStore(table)];
    const [keys, values] = await Promise.all([resultOf(store.getAllKeys(range)), resultOf(store.getAll(range))]);
    return keys.map((key, index) => ({ key, value: values[index] }));
  }

  async apply(changes) {
    const transaction = (await this.#open()).transaction(TABLES, "readwrite", { durability: "strict" });
    const done = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error ?? stopped());
    });
    for (const { table, key, value } of changes) {
      const store = transaction.objectStore(table);
      if (value === undefined) store.delete(key);
      else store.put(value, key);
    }
    await done;
  }

  async close() {
    this.#isClosed = true;
    const opened = await this.#opened?.catch(() => undefined);
    opened?.close();
  }
}

