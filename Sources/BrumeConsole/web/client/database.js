// MARK: A database
// Records, queries, zones, changes and subscriptions of the public, the private or the shared database.

/** What the offline store calls: it keeps records in the form of the protocol. */
const modifyWire = Symbol("records/modify");
const changesWire = Symbol("changes/zone");
const callsOf = Symbol("calls");

export class Database {
  #calls;

  constructor(calls, scope, container) {
    this.#calls = calls;
    this.scope = scope;
    this.container = container;
  }

  get [callsOf]() {
    return this.#calls;
  }

  #call(endpoint, body, options) {
    return this.#calls.call(this.#calls.path(this.scope, endpoint), body, options);
  }

  /** Under a name the server answers a repetition as it answered the first time, so a lost answer does no harm. */
  #write(endpoint, body, { operationID = this.#calls.host.uuid(), remembered = REMEMBERED, signal }) {
    return this.#call(endpoint, { ...body, brume: { operationID } }, { signal, remembered });
  }

  // MARK: Records

  /**
   * Saves and deletes up to 200 records in one request.
   *
   * @returns one result for each operation, in order: a record, a deletion or an error.
   */
  async modifyRecords(operations, options) {
    const encoded = operations.map((operation) => ({ ...operation, record: encodeRecord(operation.record) }));
    return (await this[modifyWire](encoded, options)).map(decodeResult);
  }

  /** The same in the protocol's own form. */
  async [modifyWire](operations, { zoneID, atomic, desiredKeys, ...options } = {}) {
    const body = { operations, atomic, desiredKeys, zoneID: encodeZoneID(zoneID) };
    const results = (await this.#write("records/modify", body, options)).records;
    return this.#withSaved(results, { desiredKeys, signal: options.signal });
  }

  /**
   * A save that is repeated is answered with as many records as fit. The others were saved too: they are fetched, and get
   * the tags of their saves, so that what others have saved since is a conflict and is not saved over.
   */
  async #withSaved(results, options) {
    const isSaved = (result) => didNotFit(result) && result.brume.serverRecord !== undefined;
    const saved = results.filter(isSaved).map((result) => result.brume.serverRecord);
    if (saved.length === 0) return results;
    const found = (await this.#lookup(saved.map(encodeRecordName), options)).map((record, index) =>
      isErrorObject(record) ? record : { ...record, recordChangeTag: saved[index].recordChangeTag });
    return results.map((result) => (isSaved(result) ? found.shift() : result));
  }

  /** Saves one record: a new one without a tag, a fetched one if nobody else has changed it since. */
  async saveRecord(record, options) {
    const [{ record: saved }] = await this.saveRecords([record], options);
    return saved;
  }

  /**
   * Saves records, files first. Throws the first error; its `results` are those of all.
   *
   * `policy` is "ifUnchanged", "changedFields" (whatever the tag is) or "allFields" (what is not given goes).
   */
  async saveRecords(records, { policy = "ifUnchanged", ...options } = {}) {
    const ready = [];
    for (const record of records) ready.push(await withUploadedFiles(this, record, options));
    const results = await this.#save(ready, policy, options);
    // A file that the caller has sent is his to send again.
    const isLate = results.some((result, index) => isTooLate(result) && ready[index] !== records[index]);
    return allOrError(isLate ? await this.#saveAgain(records, ready, results, policy, options) : results);
  }

  async #save(records, policy, options) {
    const operations = records.map((record) => ({ operationType: saveType(record, policy), record: encodeRecord(record) }));
    return (await this[modifyWire](operations, options)).map(decodeResult);
  }

  /**
   * What is sent for a save is good for an hour, and files behind it may take longer: those that came too late are sent once
   * more. With them goes all that failed: a child may have failed for want of its parent, and what is to be saved all or
   * nothing must meet the other errors again.
   */
  async #saveAgain(records, ready, results, policy, options) {
    const failed = [...results.keys()].filter((index) => results[index].error);
    const again = [];
    for (const index of failed) {
      const record = { ...records[index], recordName: ready[index].recordName };
      again.push(isTooLate(results[index]) ? await withUploadedFiles(this, record, options) : ready[index]);
    }
    const repeated = await this.#save(again, policy, { ...options, operationID: undefined });
    return results.map((result, index) => (failed.includes(index) ? repeated[failed.indexOf(index)] : result));
  }

  /** Deletes records. One with a tag only if nobody has changed it; a name alone in any case. */
  async deleteRecords(records, options) {
    const operations = records.map((record) => ({
      operationType: record.recordChangeTag ? "delete" : "forceDelete",
      record: { ...encodeRecordName(record), recordChangeTag: record.recordChangeTag },
    }));
    return allOrError((await this[modifyWire](operations, options)).map(decodeResult));
  }

  async deleteRecord(record, options) {
    await this.deleteRecords([record], options);
  }

  /** Records by name, in order; null for those that are not there. */
  async lookupRecords(records, { zoneID, desiredKeys, signal } = {}) {
    const options = { zoneID: encodeZoneID(zoneID), desiredKeys, signal };
    const results = (await this.#lookup(records.map(encodeRecordName), options)).map(decodeResult);
    const isMissing = ({ serverErrorCode }) => serverErrorCode === "NOT_FOUND";
    allOrError(results, (error) => !isMissing(error));
    return results.map((result) => result.record ?? null);
  }

  /** The same in the protocol's own form, with errors. What did not fit into an answer is asked for again. */
  async #lookup(records, { zoneID, desiredKeys, signal }) {
    const results = [];
    let left = [...records.keys()];
    while (left.length > 0) {
      const body = { records: left.map((index) => records[index]), zoneID, desiredKeys };
      const found = (await this.#call("records/lookup", body, { signal })).records;
      for (const [place, index] of left.entries()) results[index] = found[place];
      const still = left.filter((index) => didNotFit(results[index]));
      if (still.length === left.length) break;
      left = still;
    }
    return results;
  }

  async lookupRecord(record, options) {
    return (await this.lookupRecords([record], options))[0];
  }

  // MARK: Queries

  /**
   * All records that match, fetched page by page as they are asked for. Where the server cannot read some of them, the
   * first of their errors is thrown when all others have come.
   */
  async *query(query, options) {
    let failure;
    for await (const page of this.queryPages(query, options)) {
      yield* page.records;
      failure ??= page.unreadable[0];
    }
    if (failure) throw failure;
  }

  /** The same as pages; `continuationMarker` goes on where an earlier page ended. */
  async *queryPages(query, { zoneID, zoneWide, resultsLimit, desiredKeys, continuationMarker, signal } = {}) {
    const body = { query: encodeQuery(query), zoneID: encodeZoneID(zoneID), zoneWide, resultsLimit, desiredKeys };
    let marker = continuationMarker;
    do {
      const before = marker;
      const page = await this.#call("records/query", { ...body, continuationMarker: before }, { signal });
      marker = page.continuationMarker;
      if (marker && marker === before) throw standsStill("records", "ask again without 'continuationMarker'");
      const results = page.records.map(decodeResult);
      yield {
        records: results.filter(({ error }) => !error).map(({ record }) => record),
        unreadable: results.filter(({ error }) => error).map(({ error }) => error),
        continuationMarker: marker,
      };
    } while (marker);
  }

  // MARK: Zones

  async zones({ signal } = {}) {
    return zonesOrError((await this.#call("zones/list", {}, { signal })).zones);
  }

  /** Zones by name, in order; null for those that are not there. */
  async lookupZones(zones, { signal } = {}) {
    const results = (await this.#call("zones/lookup", { zones: zones.map(encodeZoneID) }, { signal })).zones;
    const isMissing = (zone) => zone.serverErrorCode === "ZONE_NOT_FOUND";
    zonesOrError(results.filter((zone) => !isMissing(zone)));
    return results.map((zone) => (isMissing(zone) ? null : zone));
  }

  /** Makes a zone; one that is there stays as it is. */
  async createZone(zone, { signal } = {}) {
    return this.#modifyZone("create", zone, { signal });
  }

  /** Deletes a zone with its records. In the shared database: leaves its shares. */
  async deleteZone(zone, { signal } = {}) {
    await this.#modifyZone("delete", zone, { signal });
  }

  async #modifyZone(operationType, zone, options) {
    const operations = [{ operationType, zone: { zoneID: encodeZoneID(zone) } }];
    return zonesOrError((await this.#write("zones/modify", { operations }, options)).zones)[0];
  }

  // MARK: Changes

  /** Which zones changed since a token, page by page until nothing more is coming. */
  async *changes({ syncToken, resultsLimit, signal } = {}) {
    let page = { syncToken };
    do {
      const before = page.syncToken;
      page = await this.#call("changes/database", { syncToken: before, resultsLimit }, { signal });
      checkProgress(page, page.zones, before);
      const isGone = (zone) => zone.deleted === true;
      yield {
        zones: page.zones.filter((zone) => !isGone(zone)),
        deletedZones: page.zones.filter(isGone),
        syncToken: page.syncToken,
        moreComing: page.moreComing,
      };
    } while (page.moreComing);
  }

  /** What changed in a zone since a token, page by page until nothing more is coming. */
  async *zoneChanges(zone, options = {}) {
    let { syncToken } = options;
    let page;
    do {
      page = await this[changesWire](zone, { ...options, syncToken });
      syncToken = page.syncToken;
      const isGone = (record) => record.deleted === true;
      const readable = page.records.filter((record) => !isErrorObject(record));
      yield {
        records: readable.filter((record) => !isGone(record)).map(decodeRecord),
        deletedRecordNames: readable.filter(isGone).map((record) => record.recordName),
        unreadable: page.records.filter(isErrorObject).map((error) => errorFromWire(error)),
        syncToken,
        moreComing: page.moreComing,
      };
    } while (page.moreComing);
  }

  /** One page of a zone's changes as the protocol writes it. */
  async [changesWire](zone, { syncToken, resultsLimit, desiredKeys, desiredRecordTypes, reverse, signal } = {}) {
    const request = { zoneID: encodeZoneID(zone), syncToken, resultsLimit, desiredKeys, desiredRecordTypes, reverse };
    const [page] = (await this.#call("changes/zone", { zones: [request] }, { signal })).zones;
    if (isErrorObject(page)) throw errorFromWire(page);
    checkProgress(page, page.records, syncToken);
    return page;
  }

  // MARK: Subscriptions

  async subscriptions({ signal } = {}) {
    return (await this.#call("subscriptions/list", {}, { signal })).subscriptions.map(decodeSubscription);
  }

  /** Subscriptions by ID, in order; null for those that are not there. */
  async lookupSubscriptions(subscriptionIDs, { signal } = {}) {
    const body = { subscriptions: subscriptionIDs.map((subscriptionID) => ({ subscriptionID })) };
    const results = (await this.#call("subscriptions/lookup", body, { signal })).subscriptions;
    return results.map((result) => {
      if (result.serverErrorCode === "NOT_FOUND") return null;
      if (isErrorObject(result)) throw errorFromWire(result);
      return decodeSubscription(result);
    });
  }

  /** Saves a subscription; the same ID takes the place of the old one. It is active when this returns. */
  async saveSubscription(subscription, { signal } = {}) {
    const named = { subscriptionID: this.#calls.host.uuid(), ...subscription };
    return decodeSubscription(await this.#modifySubscription("create", encodeSubscription(named), { signal }));
  }

  async deleteSubscription(subscriptionID, { signal } = {}) {
    await this.#modifySubscription("delete", { subscriptionID }, { signal });
  }

  async #modifySubscription(operationType, subscription, options) {
    const operations = [{ operationType, subscription }];
    const [result] = (await this.#write("subscriptions/modify", { operations }, options)).subscriptions;
    if (isErrorObject(result)) throw errorFromWire(result);
    return result;
  }

  // MARK: Shares and files

  /** Shares a record, and what is below it by `parent`; without a record, a whole zone. */
  async share(root, options) {
    return share(this, root, options);
  }

  /** Sends a file for a field and answers the value to save there. */
  async uploadAsset(place, file, { signal } = {}) {
    return uploadAsset(this.#calls, this.#calls.path(this.scope, "assets/upload"), place, file, signal);
  }
}

/** Whether a file was sent too long before the save that was to take it. */
const isTooLate = ({ error }) => error?.code === "receiptExpired";

/** Whether the server's answer was full before this item. */
const didNotFit = (result) => isErrorObject(result) && result.brume?.code === "limitExceeded";

const zonesOrError = (zones) => {
  const failed = zones.find(isErrorObject);
  if (failed) throw errorFromWire(failed);
  return zones;
};

/** Which operation saves a record under a policy. */
const saveType = (record, policy) => {
  switch (policy) {
    case "ifUnchanged": return record.recordChangeTag ? "update" : "create";
    case "changedFields": return "forceUpdate";
    case "allFields": return "forceReplace";
  }
  throw usageError(`'policy' must be ifUnchanged, changedFields or allFields, not '${policy}'`);
};

