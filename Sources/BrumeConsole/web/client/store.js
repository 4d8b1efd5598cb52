// MARK: The offline store
// Records of chosen zones on this device: reading and editing works without a network, `sync` brings both
// sides together, and while it is started, pushes say when. Of all tabs that have a store open, one
// listens for pushes and syncs; when it goes, another takes over.

/** How long the tab that syncs waits after a failure at most, in milliseconds. */
const LONGEST_RETRY = 60_000;
/** How an app may name whoever is signed in. */
const OWNER_NAMES = [undefined, "__defaultOwner__", "_defaultOwner"];
/** What of a record an edit does not keep. */
const SERVER_ONLY = ["participants", "publicPermission", "forRecord", "createShortGUID"];

export class OfflineStore {
  #database;
  #host;
  #zones;
  #outbox;
  #fetching;
  #channel;
  #options;
  #bell = new Bell();
  #listeners = new Set();
  #life = new AbortController();
  #syncs = new Set();
  #leading;

  /**
   * @param {Database} database the private or the shared one
   * @param {object} options `name` is the same in all tabs, and another one for each user
   */
  constructor(database, { name, zones, storage, resolve = mergeFields, editLimit = 10_000, recordLimit = 100_000, onError }) {
    if (database.scope === "public") throw usageError("the public database has no changes to follow: query it");
    if (!name || !zones?.length) throw usageError("a store needs a 'name' and the 'zones' that it holds");
    this.name = name;
    this.storage = storage ?? new IndexedDBStorage(name);
    this.#database = database;
    this.#host = database[callsOf].host;
    this.#zones = zones.map(namedZone);
    this.#options = { onError };
    const locked = (body) => this.#locked(body);
    const changed = (zone, recordNames, origin) => this.#notify({ zoneID: zone.zoneID, recordNames, origin });
    const checkUser = (signal) => this.#checkUser(signal);
    const parts = { storage: this.storage, database, host: this.#host, locked, changed, checkUser };
    this.#outbox = new Outbox({ ...parts, zones: this.#zones, resolve, limit: editLimit });
    this.#fetching = new Fetching({ ...parts, limit: recordLimit });
    this.#channel = new TabChannel(name, (message) => this.#receive(message));
  }

  /** Runs a body while no other tab reads or writes this store's data. */
  #locked(body) {
    return exclusive(`${this.name} data`, body);
  }

  /** The zone that a caller names; the store's only one if he names none. */
  #zone(zone) {
    if (zone === undefined && this.#zones.length === 1) return this.#zones[0];
    const wanted = zone && namedZone(zone);
    // The server names the owner of one's own zones, too, where the app did not.
    const found = this.#zones.find(({ key, zoneID }) =>
      wanted && (key === wanted.key || (OWNER_NAMES.includes(zoneID.ownerRecordName) && zoneID.zoneName === wanted.zoneID.zoneName)));
    if (!found) throw usageError(`the store '${this.name}' has no zone '${wanted?.zoneID.zoneName ?? ""}': name one of its own`);
    return found;
  }

  // MARK: Reading

  /** A record as it is on this device: edits that wait are in it. Null if there is none. */
  async record(recordName, zone) {
    const key = `${this.#zone(zone).key}\n${recordName}`;
    return this.#locked(async () => {
      const row = await this.storage.get("records", key);
      return mapped(visibleRecord(row?.record, await this.storage.get("outbox", key)), decodeRecord);
    });
  }

  /** All records of a zone as they are on this device. */
  async records(zone) {
    const prefix = `${this.#zone(zone).key}\n`;
    return this.#locked(async () => {
      const entries = new Map((await this.#outbox.entries(prefix)).map((entry) => [entry.key, entry]));
      const rows = new Map((await this.storage.list("records", prefix)).map(({ key, value }) => [key, value.record]));
      const keys = [...new Set([...rows.keys(), ...entries.keys()])].sort();
      const visible = keys.map((key) => visibleRecord(rows.get(key), entries.get(key)));
      return visible.filter((record) => record !== null).map(decodeRecord);
    });
  }

  /** The edits that wait, oldest first. One with an `error` was refused and waits for `save` or `discard`. */
  async pendingEdits() {
    const entries = await this.#locked(() => this.#outbox.entries());
    return entries.map(({ zoneID, recordName, kind, error }) => ({
      zoneID, recordName, kind, ...(error && { error: errorFromWire(error) }),
    }));
  }

  // MARK: Editing

  /**
   * Saves a record on this device, and on the server as soon as it can be reached. What is not among the
   * fields stays as it is; null clears a field. When this returns, the edit survives the tab.
   */
  async save(record) {
    const zone = this.#zone(record.zoneID);
    const recordName = record.recordName ?? this.#host.uuid();
    await this.#requireKept(record, recordName, zone.zoneID);
    const { recordType, fields, parent } = encodeRecord(record);
    await this.#edit(zone, recordName, { kind: "save", recordType, fields, parent });
    return this.record(recordName, zone.zoneID);
  }

  /** What is only the server's to do would be lost without a word. A share that is saved whole may bring what it had. */
  async #requireKept(record, recordName, zoneID) {
    const others = SERVER_ONLY.filter((name) => record[name]);
    const known = others.length > 0 ? await this.record(recordName, zoneID) : null;
    const changed = others.find((name) => canonical(record[name]) !== canonical(known?.[name]));
    if (changed) {
      throw usageError(
        `a store saves fields and 'parent', and no '${changed}': call saveRecord() or share() of the database for '${recordName}'`);
    }
  }

  /** Deletes a record on this device, and on the server as soon as it can be reached. */
  async delete(recordName, zone) {
    await this.#edit(this.#zone(zone), recordName, { kind: "delete" });
  }

  async #edit(zone, recordName, edit) {
    await this.#locked(() => this.#outbox.add(zone, recordName, edit));
    this.#notify({ zoneID: zone.zoneID, recordNames: [recordName], origin: "edited" });
    this.#bell.ring();
  }

  /** Forgets an edit that waits, also of a zone that the store has no more. One that is on its way may still arrive. */
  async discard(recordName, zone) {
    const { key, zoneID } = await this.#zoneOfEdit(recordName, zone);
    await this.#locked(() => this.#outbox.discard(`${key}\n${recordName}`));
    this.#notify({ zoneID, recordNames: [recordName], origin: "edited" });
  }

  /** The zone as `pendingEdits` has it, or one of the store. */
  async #zoneOfEdit(recordName, zone) {
    const named = zone && namedZone(zone);
    const edit = named && (await this.storage.get("outbox", `${named.key}\n${recordName}`));
    return edit ? named : this.#zone(zone);
  }

  /** Calls back after each change of the data, in all tabs; answers a function that ends it. */
  onChange(callback) {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  #notify(change) {
    this.#tell(change);
    this.#channel.post(change);
  }

  /** One that throws keeps neither the others from it nor the change from being sent. */
  #tell(change) {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.#report(error);
      }
    }
  }

  #receive(change) {
    this.#tell(change);
    if (change.origin === "edited") this.#bell.ring();
  }

  // MARK: Syncing

  /** Sends what waits and fetches what changed. Of several tabs one at a time does it. */
  async sync({ signal } = {}) {
    const { controller, release } = following(signal, this.#life.signal);
    const body = () => this.#syncNow(controller.signal);
    const running = exclusive(`${this.name} sync`, body, controller.signal).finally(release);
    this.#syncs.add(running);
    try {
      await running;
    } finally {
      this.#syncs.delete(running);
    }
  }

  async #syncNow(signal) {
    const user = await this.#checkUser(signal);
    let failure;
    for (const zone of this.#zones.map((zone) => this.#asked(zone, user))) {
      try {
        await this.#syncZone(zone, signal);
      } catch (error) {
        if (signal?.aborted || !isOfOneZone(error)) throw error;
        failure ??= error;
      }
    }
    if (failure) throw failure;
  }

  async #syncZone(zone, signal) {
    await this.#makeZone(zone, signal);
    await this.#outbox.send(zone, signal);
    await this.#fetching.fetch(zone, signal);
  }

  /**
   * A store is one user's: another one must neither see his records nor send his edits. Answers his name. To be called
   * before each sync, and before anybody believes that a zone is gone: another user may have signed in meanwhile.
   */
  async #checkUser(signal) {
    const { userRecordName } = await this.#database.container.currentUser({ signal });
    const kept = await this.storage.get("meta", "user");
    if (kept === undefined) await this.storage.apply([{ table: "meta", key: "user", value: userRecordName }]);
    else if (kept !== userRecordName) {
      throw usageError(`the store '${this.name}' is another user's: open one with a name of this user`);
    }
    return userRecordName;
  }

  /** A zone with the name that requests give it. One's own has its owner in it, so that for another user it is not there. */
  #asked(zone, user) {
    const { zoneName, ownerRecordName } = zone.zoneID;
    const isOwn = this.#database.scope === "private" && OWNER_NAMES.includes(ownerRecordName);
    return { ...zone, asked: isOwn ? { zoneName, ownerRecordName: user } : zone.zoneID };
  }

  /** Zones of one's own are made the first time; one that is gone later stays so. */
  async #makeZone(zone, signal) {
    const key = `made\n${zone.key}`;
    if (this.#database.scope !== "private" || (await this.storage.get("meta", key))) return;
    try {
      await this.#database.createZone(zone.asked, { signal });
    } catch (error) {
      if (error.serverErrorCode === "ZONE_NOT_FOUND") await this.#checkUser(signal);
      throw error;
    }
    await this.storage.apply([{ table: "meta", key, value: true }]);
  }

  /** Syncs from now on whenever there is reason to, in one of the tabs that have been started. */
  start() {
    if (this.#leading) return;
    const { signal } = this.#life;
    const online = () => this.#bell.ring();
    globalThis.addEventListener?.("online", online, { signal });
    const leading = exclusive(`${this.name} leader`, () => this.#lead(signal), signal);
    this.#leading = leading.catch((error) => {
      if (!signal.aborted) this.#report(error);
    });
  }

  /** Syncs at once, after each push, each edit and each time that the network is back. */
  async #lead(signal) {
    const listening = this.#listen(signal);
    let failures = 0;
    while (!signal.aborted) {
      let pause;
      try {
        await this.sync({ signal });
        failures = 0;
      } catch (error) {
        if (signal.aborted) break;
        failures += 1;
        this.#report(error);
        const asked = askedPause(error);
        pause = Math.max(0, backoff(failures, this.#host.random(), LONGEST_RETRY) - asked);
        // Whatever rings meanwhile: the server said when to come back.
        if (asked > 0) await this.#host.sleep(asked, signal).catch(() => {});
      }
      await this.#bell.rung(pause, this.#host, signal).catch(() => {});
    }
    await listening;
  }

  /** Has the server say when something changed, and rings for it. */
  async #listen(signal) {
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        await this.#subscribe(signal);
        const onConnected = () => {
          failures = 0;
          this.#bell.ring();
        };
        for await (const push of this.#database.container.pushes({ signal, onConnected })) this.#bell.ring();
      } catch (error) {
        if (signal.aborted) return;
        this.#report(error);
        // A device that was removed, perhaps because its user has too many, would drive out another one at once.
        const isGone = error.serverErrorCode === "NOT_FOUND";
        const own = isGone ? LONGEST_RETRY : backoff(failures, this.#host.random(), LONGEST_RETRY);
        await this.#host.sleep(Math.max(own, askedPause(error)), signal).catch(() => {});
      }
    }
  }

  /** One silent subscription for the database, whichever device made it. */
  async #subscribe(signal) {
    const subscription = {
      subscriptionID: "brume-offline-store",
      subscriptionType: "database",
      notificationInfo: { shouldSendContentAvailable: true },
    };
    try {
      await this.#database.saveSubscription(subscription, { signal });
    } catch (error) {
      // The app has one of its own already, which is as good.
      if (!/duplicate/.test(error.reason ?? "")) throw error;
    }
  }

  /** One of the app's that throws must not end the loops that report to it. */
  #report(error) {
    try {
      this.#options.onError?.(error);
    } catch (thrown) {
      (globalThis.reportError ?? console.error)(thrown);
    }
  }

  /** Ends each sync and lets go of the storage. What waits is sent when the store is opened again. */
  async close() {
    this.#life.abort(stopped());
    await this.#leading;
    await Promise.allSettled(this.#syncs);
    this.#channel.close();
    await this.storage.close();
  }
}

/** Whether the zones that follow need not wait: not if the server is out of reach or the user is not the store's. */
const isOfOneZone = (error) => {
  // One that names a record is about what the app wants it to be.
  const isRule = error.code === "client" && error.serverErrorCode === "BAD_REQUEST" && error.recordName === undefined;
  // The server cannot read what it has of the zone: asking again does not help.
  const isDamaged = error.serverErrorCode === "INTERNAL_ERROR" && error.retryAfter === undefined;
  return (!isPassing(error) || isDamaged) && !isRule && error.status !== 401 && error.status !== 421;
};

/** A zone with the key under which its rows are kept. */
const namedZone = (zone) => {
  const zoneID = encodeZoneID(zone);
  return { zoneID, key: `${zoneID.ownerRecordName ?? ""}\n${zoneID.zoneName}` };
};
