// MARK: What tabs share
// Locks, so that one tab at a time does what must not be done twice, and messages, so that the others
// are notified. A program without Web Locks is its own only tab: there the locks are queues in memory.

const queues = new Map();

/** Runs `body` while nobody else has the lock of this name. */
const exclusive = async (name, body, signal) => {
  const locks = globalThis.navigator?.locks;
  if (locks) return locks.request(`brume ${name}`, { signal }, body);
  const before = queues.get(name) ?? Promise.resolve();
  let leave;
  const mine = new Promise((resolve) => (leave = resolve));
  const last = before.then(() => mine);
  queues.set(name, last);
  try {
    await abortable(before, signal);
    return await body();
  } finally {
    leave();
    // Who gives up waiting has others before it, for whom the next one waits.
    last.then(() => queues.get(name) === last && queues.delete(name));
  }
};

/** Waits for a promise, or until a signal says to stop. */
const abortable = (promise, signal) => {
  if (!signal) return promise;
  if (signal.aborted) return Promise.reject(signal.reason);
  let stop;
  const aborted = new Promise((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", stop));
};

/** Messages between the tabs that have the same store open. */
class TabChannel {
  #channel;

  constructor(name, receive) {
    if (typeof BroadcastChannel !== "function") return;
    this.#channel = new BroadcastChannel(`brume ${name}`);
    // A channel that waits for messages would keep a program from ending.
    this.#channel.unref?.();
    this.#channel.onmessage = (event) => receive(event.data);
  }

  post(message) {
    this.#channel?.postMessage(message);
  }

  close() {
    this.#channel?.close();
    this.#channel = undefined;
  }
}

/** Something to wait for that may be rung before anybody waits. */
class Bell {
  #isRung = false;
  #wake;

  ring() {
    this.#isRung = true;
    this.#wake?.();
  }

  /** Returns when it was rung, or after `milliseconds`. */
  async rung(milliseconds, host, signal) {
    const { controller, release } = following(signal);
    const ringing = new Promise((resolve) => (this.#wake = resolve));
    if (this.#isRung) this.#wake();
    const waits = milliseconds === undefined ? [] : [host.sleep(milliseconds, controller.signal).catch(() => {})];
    try {
      await abortable(Promise.race([ringing, ...waits]), signal);
    } finally {
      release();
      controller.abort(stopped());
      this.#wake = undefined;
      this.#isRung = false;
    }
  }
}

