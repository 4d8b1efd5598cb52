// MARK: Sharing
// Making a share and joining one. Changing its participants is saving the share; ending it, or leaving,
// is deleting it.

/** The record type of shares, and the name of the one that covers a whole zone. */
const SHARE_TYPE = "cloudkit.share";
const ZONE_SHARE = "cloudkit.zoneshare";

/** Saves a new share; its `shortGUID` is what people are given. */
const share = (database, root, { zoneID, title, participants = [], publicPermission = "NONE", signal } = {}) => {
  if (root && !root.recordChangeTag) throw usageError("save the record before it is shared: a share needs its tag");
  const zone = zoneID ?? root?.zoneID;
  const { recordName, recordChangeTag } = root ?? {};
  const record = {
    recordType: SHARE_TYPE,
    recordName: root ? undefined : ZONE_SHARE,
    forRecord: root && { recordName, recordChangeTag },
    fields: title === undefined ? {} : { "cloudkit.title": title },
    participants,
    publicPermission,
  };
  return database.saveRecord(record, { zoneID: zone, signal });
};

/** `{emailAddress, permission}` as the protocol names somebody who is invited; who takes part stays as the server named him. */
const encodeParticipant = ({ permission = "READ_ONLY", ...lookupInfo }) =>
  lookupInfo.userIdentity
    ? { permission, ...lookupInfo }
    : { type: "USER", permission, acceptanceStatus: "INVITED", userIdentity: { lookupInfo } };

const encodeShortGUID = (value, fetchRootRecord, desiredKeys) => ({
  value,
  shouldFetchRootRecord: fetchRootRecord,
  rootRecordDesiredKeys: desiredKeys,
});

const decodeShareResult = (wire) => {
  if (isErrorObject(wire)) return { error: errorFromWire(wire) };
  const { share, rootRecord, shortGUID, potentialMatchList, ...rest } = wire;
  const metadata = { ...rest, shortGUID: shortGUID.value, share: decodeRecord(share) };
  if (rootRecord) metadata.rootRecord = decodeRecord(rootRecord);
  return { metadata };
};

