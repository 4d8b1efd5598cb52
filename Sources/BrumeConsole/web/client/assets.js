// MARK: Assets
// Files on their way to a field and back, which may take any time. A field that is set to a Blob, or a File, is sent by the save.

const uploadAsset = async (calls, path, { recordType, fieldName, recordName, zoneID }, file, signal) => {
  if (!recordName) {
    throw usageError("name the record that is to hold the file ('recordName'): what is sent is good for a field of one record");
  }
  const tokens = [{ recordType, fieldName, recordName }];
  const answer = await calls.call(path, { zoneID: encodeZoneID(zoneID), tokens }, { signal });
  const [ticket] = answer.tokens;
  if (isErrorObject(ticket)) throw errorFromWire(ticket);
  // The address carries its own proof, and sending the same bytes twice does no harm.
  const request = { method: "POST", body: file, headers: { "Content-Type": "application/octet-stream" } };
  const send = async () => readAnswer(await calls.fetch(ticket.url, request, signal, null));
  return new Asset((await calls.repeating({ signal }, send)).singleFile);
};

const downloadAsset = async (calls, asset, signal) => {
  if (!asset.downloadURL) throw usageError("the asset has no address: fetch its record again, then download it");
  const receive = async () => {
    const response = await calls.fetch(asset.downloadURL, {}, signal, null);
    if (!response.ok) readAnswer(response);
    return response.body;
  };
  return calls.repeating({ signal }, receive);
};

const isFile = (value) => typeof Blob === "function" && value instanceof Blob;
const holdsFile = (value) => isFile(value) || (Array.isArray(value) && value.some(isFile));

/** The record with its new files sent: an asset in the place of each Blob, also in lists. */
const withUploadedFiles = async (database, record, { zoneID, signal } = {}) => {
  const files = Object.entries(record.fields ?? {}).filter(([, value]) => holdsFile(value));
  if (files.length === 0) return record;
  const recordName = record.recordName ?? newName();
  const fields = { ...record.fields };
  for (const [fieldName, value] of files) {
    const place = { recordType: record.recordType, fieldName, recordName, zoneID: record.zoneID ?? zoneID };
    const assets = [];
    // One after the other: files may be large.
    for (const file of [value].flat()) assets.push(isFile(file) ? await database.uploadAsset(place, file, { signal }) : file);
    fields[fieldName] = Array.isArray(value) ? assets : assets[0];
  }
  return { ...record, recordName, fields };
};

const newName = () => realHost().uuid();

