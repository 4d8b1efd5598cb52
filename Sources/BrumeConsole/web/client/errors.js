// MARK: Errors
// One class for what the server refuses, what the network loses, and what this module refuses itself.
// Which of them are worth another attempt is decided in `pauseBeforeRetry`.

/** Why a call, or one item of it, failed. */
export class BrumeError extends Error {
  /** @param {object} details what is known: the properties of this class; `reason` becomes the message. */
  constructor({ serverErrorCode, reason, cause, ...details }) {
    super(`${serverErrorCode}: ${reason}`, cause === undefined ? undefined : { cause });
    this.name = "BrumeError";
    this.serverErrorCode = serverErrorCode;
    this.reason = reason;
    for (const [name, value] of Object.entries(details)) if (value !== undefined) this[name] = value;
  }

  /** The token of `changes` or `zoneChanges` is too old: start again without one. */
  get isTokenExpired() {
    return this.code === "changeTokenExpired";
  }
}

/** Whether an object of an answer stands for an error: one key decides. */
const isErrorObject = (object) => typeof object?.serverErrorCode === "string";

/** An error dictionary: the body of a failed request, or what stands in an item's place. */
const errorFromWire = (object, { status, uuid, retryAfter } = {}) =>
  new BrumeError({
    serverErrorCode: object.serverErrorCode,
    reason: object.reason ?? object.serverErrorCode,
    code: object.brume?.code,
    status,
    uuid: object.uuid ?? uuid,
    retryAfter: object.brume?.retryAfter ?? object.retryAfter ?? retryAfter,
    redirectURL: object.redirectURL,
    serverRecord: object.brume?.serverRecord && decodeRecord(object.brume.serverRecord),
    recordName: object.recordName,
    fieldName: object.fieldName,
    zoneID: object.zoneID,
    subscriptionID: object.subscriptionID,
    shortGUID: object.shortGUID?.value,
  });

const networkError = (reason, cause, status) =>
  new BrumeError({ serverErrorCode: "NETWORK_ERROR", reason, cause, status });

/** A rule of this module that was not kept; the text says what to do instead. */
const usageError = (reason) => new BrumeError({ serverErrorCode: "BAD_REQUEST", reason, code: "client" });

/** The same of what an app answered to a conflict, with the record that it is about. */
const ofConflict = ({ serverErrorCode, reason, code }, { recordName, zoneID }) =>
  new BrumeError({
    serverErrorCode, code, recordName, zoneID, reason: `conflict about record '${recordName}': ${reason}`,
  });

/** The server has more of something and answers the same again. */
const standsStill = (what, next) =>
  new BrumeError({
    serverErrorCode: "INTERNAL_ERROR", code: "client",
    reason: `the server promises more ${what} and does not move on; ${next}`,
  });

/** A page of changes that promises more and does not move on would be asked for without end (case CHG-28). */
const checkProgress = ({ moreComing, syncToken }, items, before) => {
  if (!moreComing || (syncToken && (items.length > 0 || syncToken !== before))) return;
  throw standsStill("changes", "start again without a token");
};

/** Codes that may pass by themselves, even when nobody said when. */
const PASSING = new Set(["NETWORK_ERROR", "INTERNAL_ERROR", "THROTTLED", "TRY_AGAIN_LATER", "ZONE_BUSY"]);
const isPassing = (error) =>
  error instanceof BrumeError && (error.retryAfter !== undefined || PASSING.has(error.serverErrorCode));

/** How long the server asks to wait, in milliseconds. */
const askedPause = (error) => (error.retryAfter ?? 0) * 1000;

/** Doubled each time from 200 ms, at most `longest`, spread by chance so that many clients part. */
const backoff = (attempt, chance, longest = 30_000) =>
  Math.min(longest, 200 * 2 ** Math.min(attempt - 1, 16)) * (0.5 + 0.5 * chance);

/** How long to wait before the same request goes out again, in milliseconds; undefined to give up. */
const pauseBeforeRetry = (error, attempt, { attempts, longestPause, chance }) => {
  if (!(error instanceof BrumeError) || attempt >= attempts) return undefined;
  // What a proxy in front of the server finds too large is not smaller the next time.
  if (error.status === 413) return undefined;
  if (error.retryAfter === undefined && error.serverErrorCode !== "NETWORK_ERROR" && error.status !== 408) {
    return undefined;
  }
  const asked = askedPause(error);
  return asked > longestPause ? undefined : Math.max(asked, backoff(attempt, chance, longestPause));
};

