// MARK: Calls over HTTP
// One request and its answer: address, credentials, the next web auth token, time limits, repetition, and
// the way through the sign-in page. Knows no records.

// Node 18 has it, but not as a global.
const webCrypto = globalThis.crypto ?? (await import("node:crypto")).webcrypto;

/** The most milliseconds that a timer takes: with more it would end at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** How long the server surely knows what it answered to an operation ID, in milliseconds: it does for a day. */
const REMEMBERED = 23 * 3_600_000;

/** Where time, chance and the network come from; tests give others. */
const realHost = () => ({
  fetch: (...request) => globalThis.fetch(...request),
  now: () => Date.now(),
  random: () => Math.random(),
  uuid: () => {
    const bytes = webCrypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  },
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = () => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop);
        resolve();
      }, Math.min(milliseconds, LONGEST_TIMER));
      signal?.addEventListener("abort", stop, { once: true });
    }),
});

/** A controller that follows signals, some of which may be undefined; `release` lets go of them. */
const following = (...signals) => {
  const [controller, released] = [new AbortController(), new AbortController()];
  for (const signal of signals.filter(Boolean)) {
    if (signal.aborted) controller.abort(signal.reason);
    signal.addEventListener("abort", () => controller.abort(signal.reason), { once: true, signal: released.signal });
  }
  return { controller, release: () => released.abort() };
};

/** How many time limits a whole answer may last. */
const LIMITS_OF_ANSWER = 10;

/** Calls `late` when nothing has come for so long, or not all in ten times as long; null: never. */
class TimeLimit {
  #begin;
  #part;
  #whole;

  constructor(milliseconds, late) {
    const after = (time) => (milliseconds === null ? undefined : setTimeout(() => late(time), Math.min(time, LONGEST_TIMER)));
    this.#begin = () => after(milliseconds);
    this.#part = this.#begin();
    this.#whole = after(LIMITS_OF_ANSWER * milliseconds);
  }

  /** Something has come: the next part has as long again. */
  begin() {
    clearTimeout(this.#part);
    this.#part = this.#begin();
  }

  end() {
    clearTimeout(this.#part);
    clearTimeout(this.#whole);
  }
}

/** The bytes of an answer's body; `came` is called after each part. */
const wholeBody = async (response, came) => {
  if (!response.body) return new Uint8Array(await response.arrayBuffer());
  const [reader, parts] = [response.body.getReader(), []];
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    came();
  }
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
};

/** Keeps a web auth token for as long as the page, or program, lives. */
const memoryTokens = (token = null) => ({
  get: () => token,
  set: (next) => {
    token = next;
  },
});

/** Keeps it in a browser's `localStorage`, where scripts of the same origin can read it. */
export const browserTokens = (key = "brume-web-auth-token") => ({
  get: () => globalThis.localStorage.getItem(key),
  set: (next) =>
    next === null ? globalThis.localStorage.removeItem(key) : globalThis.localStorage.setItem(key, next),
});

/** Whom an address leads to: its rest may hold secrets. */
const serverOf = (address) => {
  try {
    const { origin } = new URL(address, globalThis.location?.href);
    return origin === "null" ? "the server" : origin;
  } catch {
    return "the server";
  }
};

/** How Node 18 fails when an answer is 421: it sends the request again and has lost its body. */
const LOST_421 = "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH";

const TOKEN_HEADER = "X-Apple-CloudKit-Web-Auth-Token";

class Calls {
  #session = 0;
  #signingIn;

  constructor({
    url, container, environment = "development", apiToken, webAuthToken, tokens, deviceID, onSignInRequired,
    host, timeout = 60_000, attempts = 5, longestPause = 30_000,
  }) {
    for (const [name, value] of Object.entries({ url, container, apiToken })) {
      if (typeof value !== "string" || value === "") throw usageError(`a container needs '${name}', a text`);
    }
    Object.assign(this, { container, environment, apiToken, onSignInRequired, timeout, attempts, longestPause });
    this.url = url.replace(/\/+$/, "");
    this.host = { ...realHost(), ...host };
    this.tokens = tokens ?? memoryTokens(webAuthToken ?? null);
    this.deviceID = deviceID ?? this.#keptDevice();
  }

  /** One name for this browser on this origin; elsewhere a new one for each container object. */
  #keptDevice() {
    const key = "brume-device";
    try {
      const kept = globalThis.localStorage?.getItem(key) ?? this.host.uuid();
      globalThis.localStorage?.setItem(key, kept);
      return kept;
    } catch {
      return this.host.uuid();
    }
  }

  /** Starts or ends a session: answers to requests from before bring no token any more. */
  async setToken(token) {
    this.#session += 1;
    await this.tokens.set(token);
  }

  /** The path of an endpoint of a database. */
  path(scope, endpoint) {
    return `/database/1/${encodeURIComponent(this.container)}/${this.environment}/${scope}/${endpoint}`;
  }

  /** The address of an endpoint. What is ours names container and environment as parameters. */
  address(path, query = {}) {
    const place = path.startsWith("/_brume/") ? { container: this.container, environment: this.environment } : {};
    const parameters = new URLSearchParams({ ...place, ...query, ckAPIToken: this.apiToken });
    return `${this.url}${path}?${parameters}`;
  }

  /** The web auth token goes in a header, so that no log of addresses has it. */
  async headers(more) {
    const token = await this.tokens.get();
    return { "X-Brume-Device": this.deviceID, ...(token && { [TOKEN_HEADER]: token }), ...more };
  }

  /**
   * Posts a body and answers the JSON object that comes back.
   *
   * @param {object} options `signal`; `query`; `remembered`: for how many milliseconds the request does no harm twice, if not
   *   for good; `signsIn`: whether a user who is signed out is led to the page.
   */
  async call(path, body = {}, options = {}) {
    const text = JSON.stringify(body);
    return this.repeating(options, () => this.#exchange(path, text, options));
  }

  /** Carries out one request, again if that is worth it, and once more after the user has signed in. */
  async repeating(options, request) {
    const { signal, remembered = Infinity, signsIn = true, attempts = this.attempts } = options;
    const begun = this.host.now();
    let lost;
    let hasSignedIn = false;
    for (let attempt = 1; ; attempt += 1) {
      signal?.throwIfAborted();
      // The machine may have slept: what the server knows no more, it would carry out once more.
      if (lost && this.host.now() - begun >= remembered) throw lost;
      const session = this.#session;
      try {
        return await request();
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        if (signsIn && !hasSignedIn && (await this.#signsIn(error, session, signal))) {
          hasSignedIn = true;
          continue;
        }
        const rules = { attempts, longestPause: this.longestPause, chance: this.host.random() };
        const pause = pauseBeforeRetry(error, attempt, rules);
        if (pause === undefined) throw error;
        // These say that nothing was carried out.
        if (error.status !== 429 && error.status !== 408) lost = error;
        await this.host.sleep(pause, signal);
      }
    }
  }

  async #exchange(path, text, { signal, query }) {
    const session = this.#session;
    const headers = await this.headers({ "Content-Type": "text/plain" });
    const request = { method: "POST", body: text, headers };
    const response = await this.fetch(this.address(path, query), request, signal).catch(async (error) => {
      throw error.cause?.cause?.code === LOST_421 ? await this.signInAddress(signal, error) : error;
    });
    await this.#keepNext(response, headers, session);
    return readAnswer(response);
  }

  /** Keeps the next token if the one that was sent is still kept: another tab may have signed out, or somebody else in. */
  async #keepNext(response, sent, session) {
    const next = response.headers.get(TOKEN_HEADER);
    if (!next || (await this.tokens.get()) !== sent[TOKEN_HEADER]) return;
    if (session === this.#session) await this.tokens.set(next);
  }

  /**
   * Fetches an address, and the whole body of its answer. Each part of it has to come within the time limit (null: none), and
   * all of it in ten times as long: a large answer takes its time on a slow line.
   */
  async fetch(address, request, signal, timeout = this.timeout) {
    const { controller, release } = following(signal);
    const late = (milliseconds) => controller.abort(networkError(`no answer in ${milliseconds} ms`));
    const limit = new TimeLimit(timeout, late);
    try {
      const response = await this.host.fetch(address, { ...request, signal: controller.signal });
      limit.begin();
      const body = await wholeBody(response, () => limit.begin());
      return { status: response.status, ok: response.ok, headers: response.headers, body };
    } catch (error) {
      if (controller.signal.aborted) throw controller.signal.reason;
      if (error instanceof BrumeError) throw error;
      const why = error.cause?.code ?? error.cause?.message ?? error.message;
      throw networkError(`no answer from ${serverOf(address)} (${why}): check the address, and that the server runs`, error);
    } finally {
      limit.end();
      release();
    }
  }

  // MARK: Signing in

  /** Whether the user has signed in because of this error. Calls that fail together open one page. */
  async #signsIn(error, session, signal) {
    const isSignedOut = error instanceof BrumeError && (error.status === 421 || error.status === 401);
    if (!isSignedOut || !this.onSignInRequired) return false;
    // Somebody else has led the user through the page since the request was sent.
    if (session !== this.#session) return true;
    const { redirectURL } = error.redirectURL ? error : await this.signInAddress(signal, error);
    signal?.throwIfAborted();
    if (session !== this.#session) return true;
    this.#signingIn ??= this.#signIn(redirectURL);
    await this.#signedIn(this.#signingIn, signal);
    return true;
  }

  /** Opens the page, for all calls that wait for it. */
  #signIn(redirectURL) {
    const controller = new AbortController();
    const page = async () => {
      const token = await this.onSignInRequired(redirectURL, { signal: controller.signal });
      // Given up, the user may have signed out since, or in as somebody else.
      controller.signal.throwIfAborted();
      await this.setToken(token);
    };
    const done = page();
    // Nobody may be left to wait for it.
    done.catch(() => {});
    return { waiting: 0, controller, done };
  }

  /** Waits for the page. It is given up when the last call that waits for it is. */
  async #signedIn(page, signal) {
    page.waiting += 1;
    try {
      await abortable(page.done, signal);
    } finally {
      page.waiting -= 1;
      if (page.waiting === 0) {
        this.#signingIn = undefined;
        if (signal?.aborted) page.controller.abort(signal.reason);
      }
    }
  }

  /** Where a user signs in: the server says so to whoever calls without one. */
  async signInAddress(signal, otherwise) {
    const address = this.address(this.path("public", "users/caller"));
    const headers = { "X-Brume-Device": this.deviceID };
    const response = await this.fetch(address, { headers }, signal);
    try {
      readAnswer(response);
    } catch (error) {
      if (error.redirectURL) return error;
      throw otherwise ?? error;
    }
    throw otherwise ?? networkError("the server names no page for signing in");
  }
}

/** The object that an answer holds; throws the error that it stands for. */
const readAnswer = ({ status, ok, headers, body }) => {
  const uuid = headers.get("X-Apple-Request-UUID") ?? undefined;
  // Proxies may write a date there, which is as good as nothing.
  const seconds = Number.parseInt(headers.get("Retry-After") ?? "", 10);
  const retryAfter = Number.isNaN(seconds) ? undefined : seconds;
  let object;
  try {
    object = parseJSON(new TextDecoder().decode(body));
  } catch (error) {
    // A proxy in front of the server answers in its own words while it cannot reach it.
    if (!ok) throw networkError(`status ${status}, and no word from Brume`, error, status);
  }
  if (isErrorObject(object)) throw errorFromWire(object, { status, uuid, retryAfter });
  if (!ok || typeof object !== "object" || object === null) {
    throw networkError(`status ${status} with an answer that is no object`, undefined, status);
  }
  return object;
};

