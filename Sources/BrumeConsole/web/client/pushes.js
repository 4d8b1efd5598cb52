// MARK: Pushes
// The event stream, read with `fetch` so that the tokens are in headers: connect, read, hand over,
// remember the position, acknowledge; again after every break. At least once: a position counts when the
// push was dealt with, so a crash in between repeats it.

/** Pushes between two acknowledgements beside the open stream. The server ends a stream after 50 without. */
const ACKNOWLEDGED_EVERY = 20;
/** A stream that is silent for so long is dead: the server says something every 15 seconds. */
const LONGEST_SILENCE = 60_000;
/** One event of the stream; a push has 4 KB at most. */
const LONGEST_EVENT = 1 << 20;
/** More than a mailbox holds. */
const REMEMBERED_PUSHES = 512;

const SCOPES = { 1: "private", 2: "public", 3: "shared" };
const REASONS = { 1: "created", 2: "updated", 3: "deleted" };

/** What a push says. `fields` are bare values, as the subscription asked for them. */
const decodePush = ({ aps = {}, ck = {} }, cursor) => {
  const [name, kind] = [["qry", "query"], ["fet", "zone"], ["met", "database"]].find(([key]) => ck[key]) ?? [];
  const subject = ck[name] ?? {};
  const push = {
    cursor,
    notificationID: ck.nid,
    containerIdentifier: ck.cid,
    kind: kind ?? "everything",
    // One that was cut has it beside `nid`.
    subscriptionID: subject.sid ?? ck.sid,
    databaseScope: SCOPES[subject.dbs],
    isPruned: ck.p === 1,
    aps,
  };
  if (subject.zid) push.zoneID = { zoneName: subject.zid, ownerRecordName: subject.zoid };
  if (subject.rid) push.recordName = subject.rid;
  if (subject.fo) push.reason = REASONS[subject.fo];
  if (subject.af) push.fields = subject.af;
  return push;
};

/** Which pushes came already: a delivery may be repeated, its two IDs identify it. */
class RecentPushes {
  #known = new Set();

  isNew({ notificationID, subscriptionID }) {
    if (!notificationID) return true;
    const key = `${notificationID} ${subscriptionID ?? ""}`;
    if (this.#known.has(key)) return false;
    this.#known.add(key);
    if (this.#known.size > REMEMBERED_PUSHES) this.#known.delete(this.#known.values().next().value);
    return true;
  }
}

/** The events of a stream as its text arrives (the format of server-sent events). */
class EventParser {
  #rest = "";
  #id;
  #name;
  #data = [];

  take(text) {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop();
    if (this.#rest.length > LONGEST_EVENT) throw networkError("the stream's event is too long");
    return lines.flatMap((line) => this.#line(line));
  }

  #line(line) {
    if (line === "") {
      const event = { id: this.#id, name: this.#name, data: this.#data.join("\n") };
      this.#data = [];
      this.#name = undefined;
      return event.data === "" ? [] : [event];
    }
    // "s": a text may have line separators of Unicode, which JSON writes as they are.
    const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line);
    if (name === "id") this.#id = value;
    if (name === "event") this.#name = value;
    if (name === "data") this.#data.push(value);
    return [];
  }
}

/** Opens the stream where it was left, within the time limit of a request; answers its body. */
const openStream = async (calls, cursor, controller) => {
  const headers = await calls.headers({ Accept: "text/event-stream", ...(cursor && { "Last-Event-ID": cursor }) });
  const request = { headers, signal: controller.signal, cache: "no-store" };
  const late = () => controller.abort(networkError(`no stream in ${calls.timeout} ms`));
  const timer = calls.timeout === null ? undefined : setTimeout(late, Math.min(calls.timeout, LONGEST_TIMER));
  try {
    const response = await calls.host.fetch(calls.address("/_brume/stream"), request);
    if (response.ok) return response.body;
    const body = new Uint8Array(await response.arrayBuffer());
    return readAnswer({ status: response.status, ok: false, headers: response.headers, body });
  } catch (error) {
    if (error instanceof BrumeError) throw error;
    throw networkError(`no stream: ${error.message}`, error);
  } finally {
    clearTimeout(timer);
  }
};

/** The events of one connection, until it ends or falls silent. */
async function* eventsOf(stream, controller, silence) {
  const reader = stream.getReader();
  const [parser, decoder] = [new EventParser(), new TextDecoder()];
  const end = () => controller.abort(stopped());
  const broken = (error) => {
    throw networkError(`the stream broke: ${error.message}`, error);
  };
  let timer;
  try {
    while (true) {
      timer = setTimeout(end, silence);
      const { done, value } = await reader.read().catch(broken);
      clearTimeout(timer);
      if (done) return;
      yield parser.take(decoder.decode(value, { stream: true }));
    }
  } finally {
    clearTimeout(timer);
    reader.cancel().catch(() => {});
  }
}

/** Says what was dealt with, beside the stream. If it fails, coming back says it too. */
const acknowledge = async (calls, cursor) => {
  try {
    await calls.call("/_brume/stream/ack", {}, { query: { cursor }, attempts: 1, signsIn: false });
  } catch {}
};

async function* receivePushes(calls, options = {}) {
  const { signal, cursor, onConnected, onDisconnected, onCursor, silence = LONGEST_SILENCE } = options;
  const { acknowledgeEvery = ACKNOWLEDGED_EVERY } = options;
  const recent = new RecentPushes();
  let handled = cursor;
  let acknowledged = cursor;
  let failures = 0;
  try {
    while (true) {
      signal?.throwIfAborted();
      const { controller, release } = following(signal);
      const before = handled;
      let asked = 0;
      let isConnected = false;
      try {
        let unacknowledged = 0;
        const open = () => openStream(calls, handled, controller);
        const stream = await calls.repeating({ signal, attempts: 1 }, open);
        acknowledged = handled;
        isConnected = true;
        onConnected?.();
        for await (const events of eventsOf(stream, controller, silence)) {
          failures = 0;
          for (const event of events) {
            // The server says why this stream must not be opened again as it is.
            if (event.name === "end") throw errorFromWire(parseJSON(event.data));
            const push = decodePush(parseJSON(event.data), event.id);
            if (recent.isNew(push)) yield push;
            handled = event.id;
            await onCursor?.(handled);
            unacknowledged += 1;
          }
          if (unacknowledged < Math.max(1, Math.min(acknowledgeEvery, ACKNOWLEDGED_EVERY))) continue;
          unacknowledged = 0;
          acknowledged = handled;
          await acknowledge(calls, handled);
        }
        // An orderly end after pushes: the server wants us back at once, to acknowledge them.
        if (handled !== before) continue;
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        if (!isPassing(error)) throw error;
        asked = askedPause(error);
      } finally {
        release();
        controller.abort(stopped());
        if (isConnected) onDisconnected?.();
      }
      failures += 1;
      await calls.host.sleep(Math.max(asked, backoff(failures, calls.host.random())), signal);
    }
  } finally {
    if (handled !== acknowledged) acknowledge(calls, handled);
  }
}

