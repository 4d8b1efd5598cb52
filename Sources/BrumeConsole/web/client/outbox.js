// MARK: The outbox
// Edits that the server has not confirmed, one entry a record. A batch is written down, with its
// operation ID, before it is sent: whoever finds it after a crash sends the same again, and the server
// answers as it answered the first time. Nothing is lost, and nothing is saved twice.

/** Records of one request, and their bytes: a request takes 200, and a record 1 MB. */
const BATCH_RECORDS = 100;
const BATCH_BYTES = 1_000_000;
/** Batches in a row that only met other people's changes. */
const MOST_CONFLICTS = 20;
/** Codes of a whole request that its content is to blame for. */
const REFUSES_REQUEST = new Set(["BAD_REQUEST", "QUOTA_EXCEEDED", "ACCESS_DENIED", "NOT_FOUND", "ZONE_NOT_FOUND"]);

class Outbox {
  /** @param {object} parts `storage`, `database`, `zones`, `host`, `limit`, `resolve`, `locked`, `changed`, `checkUser`; see `OfflineStore` */
  constructor(parts) {
    Object.assign(this, parts);
  }

  /** All entries in the order in which the records were first edited. */
  async entries(prefix) {
    const entries = (await this.storage.list("outbox", prefix)).map(({ key, value }) => ({ key, ...value }));
    return entries.sort((one, other) => one.sequence - other.sequence);
  }

  // MARK: Editing

  /** Adds an edit to what waits for the record. To be called with the store's data locked. */
  async add(zone, recordName, edit) {
    const key = `${zone.key}\n${recordName}`;
    const [old, row] = [await this.storage.get("outbox", key), await this.storage.get("records", key)];
    if (!old && (await this.#count()) >= this.limit) {
      throw new BrumeError({
        serverErrorCode: "QUOTA_EXCEEDED", code: "client",
        reason: `${this.limit} edits wait already: let the store sync before more are made`,
      });
    }
    const base = old ? old.base : row?.record ?? null;
    const { entry, sequence } = await this.#merged(old, edit, { recordName, zoneID: zone.zoneID, base });
    const isUnsent = !(await this.#isBeingSent(zone, recordName));
    const isNew = base === null && row === undefined;
    const isUndone = old?.kind === "save" && !old.isAnew && entry.kind === "delete" && isNew && isUnsent;
    await this.storage.apply([
      { table: "outbox", key, value: isUndone ? undefined : entry },
      { table: "meta", key: "sequence", value: sequence },
    ]);
  }

  /** How many edits wait for the zones of this store: those of zones that it had once must not fill it for good. */
  async #count() {
    let count = 0;
    for (const { key } of this.zones) count += await this.storage.count("outbox", `${key}\n`);
    return count;
  }

  async #merged(old, edit, known) {
    const sequence = await this.#nextSequence();
    const isSave = edit.kind === "save";
    // What was deleted and comes back keeps nothing of what it was.
    const before = isSave && old?.kind === "save" ? old : {};
    const isAnew = isSave && old !== undefined && (old.kind === "delete" || old.isAnew === true);
    const fields = isSave ? { ...before.fields, ...stillEncrypted(edit.fields, known.base?.fields, before.fields) } : {};
    const parent = edit.parent ?? before.parent;
    const recordType = edit.recordType ?? old?.recordType ?? known.base?.recordType;
    const order = { edits: sequence, sequence: old?.sequence ?? sequence };
    return { entry: { ...known, kind: edit.kind, isAnew, recordType, fields, parent, ...order }, sequence };
  }

  async #isBeingSent(zone, recordName) {
    const batch = await this.storage.get("meta", `batch\n${zone.key}`);
    return batch?.items.some((item) => item.recordName === recordName) ?? false;
  }

  /** Forgets an edit. To be called with the store's data locked. */
  async discard(key) {
    const sequence = await this.#nextSequence();
    await this.storage.apply([
      { table: "outbox", key, value: undefined },
      { table: "meta", key: "sequence", value: sequence },
    ]);
  }

  /** The number of an edit; whatever changes what waits takes one. */
  async #nextSequence() {
    return ((await this.storage.get("meta", "sequence")) ?? 0) + 1;
  }

  // MARK: Sending

  /** Sends what waits for a zone; returns when nothing does, except what the server refused for good. */
  async send(zone, signal) {
    let most = BATCH_RECORDS;
    // Thousands are not listed again for each hundred of them.
    let waiting;
    for (let conflicts = 0; conflicts < MOST_CONFLICTS; ) {
      const batch = await this.locked(async () => {
        waiting = await this.#waiting(zone, waiting);
        return this.#nextBatch(zone, most, waiting.entries);
      });
      if (!batch) return;
      const results = await this.#results(zone, batch, signal);
      if (results) {
        conflicts += await this.#take(zone, batch, results, signal);
        const isTaken = !results.some(isErrorObject);
        if (isTaken) most = Math.min(2 * most, BATCH_RECORDS);
        waiting = isTaken ? behind(waiting, batch.items) : undefined;
      } else {
        // The request as a whole is no good: in halves, until the record that makes it so is found.
        most = Math.ceil(batch.items.length / 2);
      }
    }
    throw new BrumeError({
      serverErrorCode: "TRY_AGAIN_LATER", code: "client", retryAfter: 1,
      reason: `others changed the same records ${MOST_CONFLICTS} times while they were sent`,
    });
  }

  /** What waits for a zone and was not refused, in order: as it was listed before, if nobody has edited anything since. */
  async #waiting(zone, before) {
    const sequence = await this.storage.get("meta", "sequence");
    if (before && before.sequence === sequence) return before;
    return { sequence, entries: (await this.entries(`${zone.key}\n`)).filter((entry) => !entry.error) };
  }

  /** The server's answers in order; undefined if it took the batch apart. */
  async #results(zone, { items, operationID, written }, signal) {
    const operations = items.map((item) => item.operation);
    const remembered = written + REMEMBERED - this.host.now();
    const options = { zoneID: zone.asked, atomic: false, operationID, remembered, signal };
    try {
      const results = await this.database[modifyWire](operations, options);
      // In a zone of somebody else the answer may be right for whoever has signed in meanwhile.
      if (this.database.scope === "shared" || results.some(({ serverErrorCode }) => serverErrorCode === "ZONE_NOT_FOUND")) {
        await this.checkUser(signal);
      }
      return results;
    } catch (error) {
      // A proxy may take less at once than the server behind it.
      const isTooLarge = error.status === 413;
      const refuses = isTooLarge || (!isPassing(error) && REFUSES_REQUEST.has(error.serverErrorCode));
      if (signal?.aborted || !refuses) throw error;
      await this.checkUser(signal);
      const { reason, uuid } = error;
      const serverErrorCode = isTooLarge ? "BAD_REQUEST" : error.serverErrorCode;
      if (items.length === 1) return [{ recordName: items[0].recordName, serverErrorCode, reason, uuid }];
      await this.storage.apply([{ table: "meta", key: `batch\n${zone.key}`, value: undefined }]);
      return undefined;
    }
  }

  /** The batch that was on its way when a tab died, or a new one, written down. */
  async #nextBatch(zone, most, waiting) {
    const key = `batch\n${zone.key}`;
    const kept = await this.storage.get("meta", key);
    const written = this.host.now();
    // One of an earlier version of this module does not say when it was written.
    if (kept && written - (kept.written ?? 0) < REMEMBERED) return kept;
    const items = kept ? kept.items.map(unremembered) : fitting(waiting.slice(0, most));
    if (items.length === 0) return undefined;
    const batch = { operationID: this.host.uuid(), written, items };
    await this.storage.apply([{ table: "meta", key, value: batch }]);
    return batch;
  }

  /**
   * Takes over the answers; conflicts are decided first, because an app may take its time. Answers 1 if
   * conflicts were all that was dealt with, otherwise 0.
   */
  async #take(zone, batch, results, signal) {
    const failed = new Set(batch.items.filter((_, index) => isErrorObject(results[index])).map((item) => item.recordName));
    const answers = [];
    for (const [index, item] of batch.items.entries()) {
      signal?.throwIfAborted();
      const result = results[index];
      // The answer was full before it, or what the request may read was read. As the first of another it has all the room.
      const settled = didNotFit(result) && index > 0 ? { kind: "again" } : this.#settle(zone, item, result, failed);
      answers.push({ item, result, settled: await abortable(settled, signal) });
    }
    await this.locked(async () => {
      const changes = [{ table: "meta", key: `batch\n${zone.key}`, value: undefined }];
      for (const answer of answers) changes.push(...(await this.#changes(zone, answer)));
      await this.storage.apply(changes);
    });
    this.changed(zone, batch.items.map((item) => item.recordName), "sent");
    // What may pass is asked for again later, by whoever called.
    const passing = answers.find(({ settled }) => settled.kind === "later");
    if (passing) throw errorFromWire(passing.result);
    return answers.every(({ settled: { kind } }) => kind === "resolved" || kind === "again") ? 1 : 0;
  }

  /**
   * What an answer means for the entry: `saved`, `deleted`, `resolved`, `refused` or `later`.
   *
   * @param {Set<string>} failed the names of all records of the batch that failed
   */
  async #settle(zone, { recordName, operation }, result, failed) {
    if (!isErrorObject(result)) return result.deleted ? { kind: "deleted" } : { kind: "saved", record: result };
    const error = errorFromWire(result);
    const theirs = result.brume?.serverRecord ?? null;
    // A record that is gone is news to an update; a new record meets NOT_FOUND for other reasons.
    const isGone = error.serverErrorCode === "NOT_FOUND" && operation.record.recordChangeTag !== undefined;
    // The server cannot read the record; of a new child it says the same if its parent failed beside it.
    const isUnreadable = error.serverErrorCode === "INTERNAL_ERROR" && error.retryAfter === undefined
      && !failed.has(operation.record.parent?.recordName);
    if (theirs === null && !isGone) return { kind: isPassing(error) && !isUnreadable ? "later" : "refused" };
    if (theirs === null && operation.operationType === "delete") return { kind: "deleted" };
    // An answer that was lost long ago: the server has what was to be saved.
    if (theirs && isSavedAs(theirs, operation)) return { kind: "saved", record: theirs };
    return this.#resolve(zone, recordName, theirs, error);
  }

  async #resolve(zone, recordName, theirs, error) {
    const key = `${zone.key}\n${recordName}`;
    const entry = await this.storage.get("outbox", key);
    if (!entry) return { kind: "resolved", theirs };
    const conflict = {
      zoneID: zone.zoneID,
      recordName,
      base: entry.base && decodeRecord(entry.base),
      theirs: theirs && decodeRecord(theirs),
      yours: mapped(visibleRecord(entry.base, entry), decodeRecord),
      error,
    };
    const { wanted, fields } = await this.#wanted(conflict);
    // What was deleted and made anew takes the place of theirs only as it is.
    const isAnew = entry.isAnew && wanted === conflict.yours;
    const parent = wantedParent(entry, theirs, wanted === conflict.theirs);
    return { kind: "resolved", theirs, edits: entry.edits, fields, parent, isAnew };
  }

  /** What the app answers, and its fields as a request writes them. */
  async #wanted(conflict) {
    try {
      const wanted = await this.resolve(conflict);
      if (wanted === undefined) throw usageError("'resolve' must answer a record, or null to delete it");
      const encrypted = [wanted, conflict.theirs, conflict.yours].flatMap((record) => record?.encryptedFields ?? []);
      return { wanted, fields: wanted && encodeFields(wanted.fields, encrypted) };
    } catch (error) {
      throw error?.code === "client" ? ofConflict(error, conflict) : error;
    }
  }

  /** What an answer changes in the storage. An edit that was made meanwhile waits for the next batch. */
  async #changes(zone, { item, result, settled }) {
    const key = `${zone.key}\n${item.recordName}`;
    const entry = await this.storage.get("outbox", key);
    const { generation = 0 } = (await this.storage.get("meta", `zone\n${zone.key}`)) ?? {};
    const row = (record) => ({ table: "records", key, value: record && { record, generation } });
    const out = (value) => ({ table: "outbox", key, value });
    const isSame = entry?.edits === item.edits;
    switch (settled.kind) {
      case "again":
      case "later": return [];
      case "saved": {
        const { record } = settled;
        const rest = entry && !isSame && { ...entry, base: record, ...(!entry.isAnew && unsent(item, entry)) };
        return [row(record), out(rest || undefined)];
      }
      case "deleted": {
        const isLeft = entry && (!isSame || entry.isAnew);
        return [row(undefined), out(isLeft ? { ...entry, base: null, isAnew: false, fields: overlaid(entry.fields) } : undefined)];
      }
      case "refused": {
        const { serverErrorCode, reason, brume, uuid } = result;
        return entry && isSame ? [out({ ...entry, error: { serverErrorCode, reason, brume, uuid } })] : [];
      }
      case "resolved": {
        // An edit that was discarded meanwhile leaves theirs.
        if (!entry) return [row(settled.theirs ?? undefined)];
        return entry.edits === settled.edits ? resolvedChanges(entry, settled, row, out) : [];
      }
    }
  }
}

/** Those at the beginning of what waits that go in one request. */
const fitting = (waiting) => {
  const items = [];
  let bytes = 0;
  for (const [index, entry] of waiting.entries()) {
    // What follows may refer to the record that is deleted here to be made anew: it goes with the new one.
    if (waiting[index - 1]?.isAnew && !entry.isAnew) break;
    const item = { recordName: entry.recordName, edits: entry.edits, operation: operationOf(entry) };
    bytes += JSON.stringify(item.operation).length;
    if (items.length > 0 && bytes > BATCH_BYTES) break;
    items.push(item);
  }
  return items;
};

/**
 * An item that the server may have carried out and forgotten. A deletion of whatever there is would take what others have
 * made since: with a tag that no record has, what is there is a conflict.
 */
const unremembered = (item) => {
  const { operationType, record } = item.operation;
  if (operationType !== "forceDelete") return item;
  const operation = { operationType: "delete", record: { ...record, recordChangeTag: "none" } };
  return { ...item, operation };
};

/** What waits behind a batch that was taken; undefined if something of it may be left, so that it is listed again. */
const behind = ({ sequence, entries }, items) => {
  const isWhole = items.every(({ recordName, edits }, index) => {
    const entry = entries[index];
    return entry?.recordName === recordName && entry.edits === edits && !entry.isAnew;
  });
  return isWhole ? { sequence, entries: entries.slice(items.length) } : undefined;
};

/** What was encrypted once is so for good, whether or not an edit says so again. */
const stillEncrypted = (fields, ...known) => {
  const isEncrypted = (name) => known.some((before) => before?.[name]?.isEncrypted);
  const marked = ([name, field]) => [name, isEncrypted(name) ? { ...field, isEncrypted: true } : field];
  return Object.fromEntries(Object.entries(fields).map(marked));
};

const mapped = (value, transform) => (value === null ? null : transform(value));

/** What of a newer edit was not in the request. */
const unsent = ({ operation: { record } }, { fields, parent }) => {
  const sent = record.fields ?? {};
  const isNew = ([name, field]) => !sent[name] || !isSameField(sent[name], field);
  const isMoved = canonical(record.parent) !== canonical(parent);
  return { fields: Object.fromEntries(Object.entries(fields).filter(isNew)), parent: isMoved ? parent : undefined };
};

/** Whether the server's record is what an operation was to make of it. */
const isSavedAs = (theirs, { operationType, record }) => {
  if (operationType === "delete" || operationType === "forceDelete") return false;
  const isParentSame = record.parent === undefined || record.parent.recordName === theirs.parent?.recordName;
  return isParentSame && hasFields(theirs, record.fields);
};

/** Where a conflict leaves the record: below a parent that was set here, not one that a save of the whole record repeats. */
const wantedParent = (entry, theirs, takesTheirs) => {
  const before = entry.isAnew ? undefined : entry.base?.parent?.recordName;
  const isSet = entry.parent !== undefined && entry.parent.recordName !== before;
  // What is gone is made again where it was.
  if (!isSet) return theirs === null && before ? { recordName: before } : undefined;
  return takesTheirs ? undefined : entry.parent;
};

/** The entry that leads from the server's record to the one that was wanted. */
const resolvedChanges = (entry, { theirs, fields, parent, isAnew }, row, out) => {
  if (fields === null && theirs === null) return [row(undefined), out(undefined)];
  if (isAnew && theirs !== null) return [row(theirs), out({ ...entry, base: theirs, fields })];
  const known = { ...entry, base: theirs, isAnew: false };
  if (fields === null) return [row(theirs), out({ ...known, kind: "delete", fields: {}, parent: undefined })];
  const change = difference(theirs?.fields, fields);
  const isMoved = parent !== undefined && parent.recordName !== theirs?.parent?.recordName;
  const isDone = theirs !== null && !isMoved && Object.keys(change).length === 0;
  const recordType = entry.recordType ?? theirs?.recordType;
  const next = { ...known, kind: "save", fields: change, parent: isMoved ? parent : undefined, recordType };
  return [row(theirs ?? undefined), out(isDone ? undefined : next)];
};

/** The operation that an entry stands for; of a record that is made anew the deletion, which comes first. */
const operationOf = ({ kind, isAnew, recordName, recordType, base, fields, parent }) => {
  const recordChangeTag = base?.recordChangeTag;
  if (kind === "delete" || isAnew) {
    return { operationType: base ? "delete" : "forceDelete", record: { recordName, recordChangeTag } };
  }
  const record = { recordName, recordType, recordChangeTag, fields, parent };
  return { operationType: base ? "update" : "create", record };
};

