// MARK: The container
// What an app starts with: its databases, its user, signing in and out, people, shares to join, pushes.

export class Container {
  #calls;

  constructor(options) {
    this.#calls = new Calls(options);
    this.publicDatabase = new Database(this.#calls, "public", this);
    this.privateDatabase = new Database(this.#calls, "private", this);
    this.sharedDatabase = new Database(this.#calls, "shared", this);
  }

  get containerIdentifier() {
    return this.#calls.container;
  }

  get environment() {
    return this.#calls.environment;
  }

  /** The name of this device: it is not notified of its own changes. */
  get deviceID() {
    return this.#calls.deviceID;
  }

  #public(endpoint, body, { signal, ...options } = {}) {
    return this.#calls.call(this.#calls.path("public", endpoint), body, { signal, ...options });
  }

  // MARK: The user

  /** Who is signed in. */
  currentUser({ signal } = {}) {
    return this.#public("users/caller", {}, { signal });
  }

  /**
   * Opens the server's sign-in page in a popup and waits until the user is through. To be called in the
   * handler of a click, or the browser blocks the popup.
   */
  async signIn({ signal } = {}) {
    const popup = globalThis.open("about:blank", "brume-sign-in", "width=640,height=640");
    if (!popup) throw usageError("the browser blocked the sign-in page: call signIn() in the handler of a click");
    try {
      const { redirectURL } = await this.#calls.signInAddress(signal);
      const token = tokenFromPopup(popup, new URL(redirectURL).origin, signal);
      popup.location.href = redirectURL;
      await this.#calls.setToken(await token);
    } catch (error) {
      popup.close();
      throw error;
    }
    return this.currentUser({ signal });
  }

  /** Where a user signs in, for programs that lead him there by themselves. */
  async signInURL({ signal } = {}) {
    return (await this.#calls.signInAddress(signal)).redirectURL;
  }

  /** Takes the token that a sign-in page, or an API token's callback address, brought. */
  async takeWebAuthToken(token) {
    const given = /^[a-z][a-z0-9+.-]*:/i.test(token) ? new URL(token).searchParams.get("ckWebAuthToken") : token;
    if (!given) throw usageError("the address has no 'ckWebAuthToken': hand over the callback as it was called");
    await this.#calls.setToken(given);
  }

  /** Signs out here: the server sends this device no pushes any more, and the token is forgotten. */
  async signOut({ signal } = {}) {
    try {
      await this.#calls.call("/_brume/devices/remove", {}, { signal, attempts: 1, signsIn: false });
    } finally {
      await this.#calls.setToken(null);
    }
  }

  /** Ends all sessions of the user, on all devices. */
  async signOutEverywhere({ signal } = {}) {
    await this.#calls.call("/_brume/signout", {}, { signal });
    await this.#calls.setToken(null);
  }

  /**
   * The people among these who may be found: `{emailAddress}`, `{phoneNumber}` or `{userRecordName}`; without a list those whom
   * one shares with.
   */
  async discoverUsers(lookupInfos, { signal } = {}) {
    return (await this.#public("users/discover", { lookupInfos }, { signal })).users;
  }

  // MARK: Shares

  /** Looks at shares without joining them. */
  resolveShares(shortGUIDs, options) {
    return this.#shares("records/resolve", shortGUIDs, options);
  }

  /** Joins shares: their zones are in the shared database afterwards. */
  acceptShares(shortGUIDs, options) {
    return this.#shares("records/accept", shortGUIDs, options);
  }

  async #shares(endpoint, shortGUIDs, { fetchRootRecord = false, desiredKeys, signal } = {}) {
    const body = { shortGUIDs: shortGUIDs.map((value) => encodeShortGUID(value, fetchRootRecord, desiredKeys)) };
    const { results } = await this.#public(endpoint, body, { signal });
    return allOrError(results.map(decodeShareResult)).map(({ metadata }) => metadata);
  }

  // MARK: Files

  /** The bytes of an asset that came with a record. */
  async downloadAsset(asset, { signal } = {}) {
    return downloadAsset(this.#calls, asset, signal);
  }

  // MARK: Pushes

  /**
   * The pushes to this device, one after the other. Asking for the next one says that the last is dealt
   * with; what is not dealt with comes again.
   */
  pushes(options = {}) {
    return receivePushes(this.#calls, options);
  }

  /** Calls back for each push, in order, until the function that it answers is called. */
  onPush(callback, { signal, onError, ...options } = {}) {
    const { controller, release } = following(signal);
    const run = async () => {
      for await (const push of this.pushes({ ...options, signal: controller.signal })) await callback(push);
    };
    const failed = (error) => {
      if (!controller.signal.aborted) onError?.(error);
    };
    run().catch(failed).finally(release);
    return () => controller.abort(stopped());
  }
}

const stopped = () => new DOMException("stopped", "AbortError");

/** The token that the sign-in page posts to the window which opened it. */
const tokenFromPopup = (popup, origin, signal) =>
  new Promise((resolve, reject) => {
    const end = (settle, value) => {
      removeEventListener("message", receive);
      signal?.removeEventListener("abort", abort);
      clearInterval(watch);
      settle(value);
    };
    const receive = (event) => {
      if (event.origin !== origin || event.source !== popup) return;
      if (typeof event.data?.ckWebAuthToken === "string") end(resolve, event.data.ckWebAuthToken);
    };
    const abort = () => end(reject, signal.reason);
    // A window gets no event when the one it opened is closed. What that one has posted may come when it is closed already.
    let wasClosed = false;
    const watch = setInterval(() => {
      if (wasClosed) end(reject, new DOMException("the sign-in page was closed", "AbortError"));
      wasClosed = popup.closed;
    }, 500);
    addEventListener("message", receive);
    signal?.addEventListener("abort", abort, { once: true });
  });

