// The record dictionary, reading: answers of a server, and stored records.

package import BrumeModel

extension Record {
  /// Reads a full record dictionary.
  package init(json: JSON) throws(BrumeError) {
    let object = try json.asObject("a record")
    try self.init(object)
  }

  init(_ object: JSONObject) throws(BrumeError) {
    self.init(
      name: try object.requiredString("recordName"),
      zone: try object.zoneID("zoneID") ?? ZoneID(name: ZoneID.defaultName),
      type: try object.requiredString("recordType"),
      changeTag: try object.string("recordChangeTag") ?? "",
      created: try object.stamp("created"), modified: try object.stamp("modified"),
      parent: try object.recordPointer("parent"), share: try object.recordPointer("share"),
      shortGUID: try object.string("shortGUID"))
    for member in try object.object("fields")?.members ?? [] {
      let field = try DraftField(json: member.value, field: member.key)
      guard let value = field.value else { continue }
      fields[member.key] = value
      if field.isEncrypted { encryptedFields.insert(member.key) }
    }
    if isShare { shareDetails = try Share(object) }
  }
}

extension JSONObject {
  func recordPointer(_ key: String) throws(BrumeError) -> String? {
    try object(key)?.string("recordName")
  }

  fileprivate func stamp(_ key: String) throws(BrumeError) -> Stamp? {
    guard let stamp = try object(key), let time = try stamp.int("timestamp") else { return nil }
    return Stamp(
      time: time, user: UserID(try stamp.string("userRecordName") ?? ""),
      device: try stamp.string("deviceID") ?? "")
  }
}

extension StoredRecord {
  /// A record of a list, or the error that stands in its place.
  init(received object: JSONObject) throws(BrumeError) {
    guard let error = Wire.error(in: object) else {
      self.init(received: try Record(object))
      return
    }
    guard let name = try object.string("recordName") else { throw error }
    self.init(
      name: name, type: "", sequence: 0, content: .unreadable(error),
      zone: try object.zoneID("zoneID"))
  }

  /// A record as a client got it. The change tag is the sequence in base 36; another server's tags
  /// may be anything, and then the sequence is 0.
  init(received record: Record) {
    self.init(
      name: record.name, type: record.type,
      sequence: Int64(record.changeTag, radix: 36) ?? 0, content: .value(record))
  }
}
