// Faults as sentences, and the words of which the form makes them.

/** What may happen, in words; the names are the protocol's. */
export const effects = {
  error: "it fails with an error",
  loseAnswer: "it is carried out and the answer is lost",
  conflict: "somebody else has saved the record first",
  expireToken: "its change token has expired",
  pretend: "zones are reported as saved and not made",
  deleteZone: "the zone is deleted first",
  purgeZone: "the zone is purged first",
  resetZone: "the zone's encrypted data is reset first",
  signOut: "the account signs out",
  switchAccount: "another account takes the device",
  dropPush: "the push is dropped",
  duplicatePush: "the push comes twice",
  holdPush: "the push is held back",
};

/** What a client asks for. */
export const operations = {
  "": "any call",
  saveRecords: "saving records",
  deleteRecords: "deleting records",
  fetchRecords: "fetching records",
  query: "a query",
  saveZones: "saving zones",
  deleteZones: "deleting zones",
  fetchZones: "fetching zones",
  fetchDatabaseChanges: "fetching database changes",
  fetchZoneChanges: "fetching zone changes",
  saveSubscriptions: "saving subscriptions",
  deleteSubscriptions: "deleting subscriptions",
  fetchSubscriptions: "fetching subscriptions",
  sharing: "sharing",
  account: "asking for the account",
  users: "looking people up",
  devices: "registering a device",
  uploadAssets: "uploading files",
  fetchAssets: "fetching files",
  push: "a push on its way",
};

/** Errors that are worth trying, by the framework's numbers. */
export const codes = {
  3: "networkUnavailable",
  4: "networkFailure",
  6: "serviceUnavailable",
  7: "requestRateLimited",
  9: "notAuthenticated",
  10: "permissionFailure",
  11: "unknownItem",
  12: "invalidArguments",
  14: "serverRecordChanged",
  15: "serverRejectedRequest",
  21: "changeTokenExpired",
  22: "batchRequestFailed",
  23: "zoneBusy",
  25: "quotaExceeded",
  26: "zoneNotFound",
  27: "limitExceeded",
  28: "userDeletedZone",
  31: "referenceViolation",
  34: "serverResponseLost",
  36: "accountTemporarilyUnavailable",
};

/** One fault as a sentence. */
export function sentence(fault) {
  const who = fault.user ? `${fault.user}'s ` : "";
  const which = (fault.on ?? [""]).map((name) => operations[name] ?? name).join(" or ");
  const where = [
    fault.record && `of ${fault.record}`,
    fault.zone && `in ${fault.zone}`,
    fault.device && `by ${fault.device}`,
  ].filter(Boolean).join(" ");
  const after = fault.skip > 0 ? `, after ${fault.skip} that pass` : "";
  const what =
    fault.effect === "error"
      ? `it fails with ${codes[fault.code] ?? `CKError ${fault.code}`}`
      : (effects[fault.effect] ?? fault.effect) + (fault.to ? `: ${fault.to}` : "");
  const retry = fault.retryAfter ? `, to be tried again after ${fault.retryAfter} s` : "";
  return `${who ? "On " + who : "On "}${which}${where ? " " + where : ""}${after}: ${what}${retry}`;
}

/** A chain as one sentence: each begins when the one before it is used up. */
export const sentences = (chain) =>
  chain.map((fault, index) => {
    const text = sentence(fault);
    return index === 0 ? text : "then " + text[0].toLowerCase() + text.slice(1);
  }).join("; ");
