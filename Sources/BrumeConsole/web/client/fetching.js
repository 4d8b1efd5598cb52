// MARK: Fetching
// Brings a zone's changes into the storage. A page and the token behind it are one transaction, so a tab
// that dies repeats a page at most. When a token has expired the zone is walked from the beginning, and
// what the walk did not bring is gone.

class Fetching {
  /** @param {object} parts `storage`, `database`, `limit`, `locked`, `changed`, `checkUser`; see `OfflineStore` */
  constructor(parts) {
    Object.assign(this, parts);
  }

  async #state(zone) {
    return (await this.storage.get("meta", `zone\n${zone.key}`)) ?? { generation: 1, isWalking: true };
  }

  /** Fetches what changed in a zone until nothing more is coming. */
  async fetch(zone, signal) {
    for (let hasMore = true; hasMore; ) {
      const { token } = await this.#state(zone);
      const page = await this.#page(zone, token, signal);
      signal?.throwIfAborted();
      hasMore = page === undefined || page.moreComing;
      if (page) await this.#take(zone, page);
    }
  }

  /** A page; undefined if the zone has to be walked from the beginning. */
  async #page(zone, syncToken, signal) {
    try {
      const page = await this.database[changesWire](zone.asked, { syncToken, signal });
      if (this.database.scope === "shared") await this.checkUser(signal);
      return page;
    } catch (error) {
      if (error.serverErrorCode === "ZONE_NOT_FOUND") {
        await this.checkUser(signal);
        await this.#drop(zone);
      }
      if (!error.isTokenExpired || syncToken === undefined) throw error;
      await this.locked(async () => {
        const { generation } = await this.#state(zone);
        await this.#keep(zone, [], { generation: generation + 1, isWalking: true });
      });
      return undefined;
    }
  }

  /** The zone is gone, and its records with it. Edits stay in the outbox, which will say so. */
  #drop(zone) {
    return this.locked(async () => {
      const { generation } = await this.#state(zone);
      const rows = await this.storage.list("records", `${zone.key}\n`);
      const gone = rows.map(({ key }) => ({ table: "records", key, value: undefined }));
      await this.#keep(zone, gone, { generation, isWalking: true });
      this.#notify(zone, gone);
    });
  }

  /** Takes a page over, and the token behind it. */
  #take(zone, { records, syncToken, moreComing }) {
    return this.locked(async () => {
      const { generation, isWalking } = await this.#state(zone);
      const changes = (await Promise.all(records.map((record) => this.#change(zone, record, generation)))).flat();
      if (isWalking && !moreComing) changes.push(...(await this.#swept(zone, changes, generation)));
      await this.#checkLimit(zone, changes);
      const state = { token: syncToken, generation, isWalking: isWalking && moreComing };
      await this.#keep(zone, changes, state);
      this.#notify(zone, changes);
    });
  }

  /** What a record of a page changes. One that the server cannot read stays as it was here, in a walk, too. */
  async #change(zone, record, generation) {
    const change = { table: "records", key: `${zone.key}\n${record.recordName}` };
    if (!isErrorObject(record)) return [{ ...change, value: record.deleted ? undefined : { record, generation } }];
    const old = await this.storage.get(change.table, change.key);
    return old ? [{ ...change, value: { ...old, generation } }] : [];
  }

  /** The rows that a whole walk did not bring. */
  async #swept(zone, changes, generation) {
    const brought = new Set(changes.map(({ key }) => key));
    const rows = await this.storage.list("records", `${zone.key}\n`);
    const old = rows.filter(({ key, value }) => value.generation !== generation && !brought.has(key));
    return old.map(({ key }) => ({ table: "records", key, value: undefined }));
  }

  /** A zone that does not fit is an error, not a part of it that looks like the whole. */
  async #checkLimit(zone, changes) {
    let rows = await this.storage.count("records", `${zone.key}\n`);
    for (const { table, key, value } of changes) {
      const isThere = (await this.storage.get(table, key)) !== undefined;
      rows += (value === undefined ? 0 : 1) - (isThere ? 1 : 0);
    }
    if (rows <= this.limit) return;
    throw new BrumeError({
      serverErrorCode: "QUOTA_EXCEEDED", code: "client",
      reason: `zone '${zone.zoneID.zoneName}' has more than the ${this.limit} records that this store holds`,
    });
  }

  #keep(zone, changes, state) {
    return this.storage.apply([...changes, { table: "meta", key: `zone\n${zone.key}`, value: state }]);
  }

  #notify(zone, changes) {
    if (changes.length > 0) this.changed(zone, changes.map(({ key }) => key.slice(zone.key.length + 1)), "fetched");
  }
}

