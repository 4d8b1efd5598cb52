// The record dictionary, writing. Without options it is also the form in which engines keep a
// record, so that a page of records is copied and not printed again.

package import BrumeModel

extension RecordCoder {
  /// Records in the wire's own form.
  package static let wire = RecordCoder(
    encode: { record in
      var writer = JSONWriter(capacity: 768)
      var options = RecordOptions()
      options.showsSecrets = true
      writer.record(record, options)
      return writer.bytes
    },
    decode: { bytes in
      try Record(json: JSON(parsing: bytes, maximumDepth: 32, allowsNUL: true))
    })
}

extension JSONWriter {
  /// A record as clients get it; without options as engines keep it.
  package mutating func record(_ record: Record, _ options: RecordOptions) {
    beginObject()
    member("recordName", record.name)
    member("recordType", record.type)
    if !record.changeTag.isEmpty { member("recordChangeTag", record.changeTag) }
    fields(of: record, options)
    name("pluginFields")
    beginObject()
    endObject()
    recordPointer("parent", record.parent)
    recordPointer("share", record.share)
    member("shortGUID", record.shortGUID)
    stamp("created", record.created)
    stamp("modified", record.modified)
    member("deleted", false)
    name("zoneID")
    zoneID(record.zone)
    if let share = record.shareDetails { shareMembers(share, options) }
    endObject()
  }

  /// In name order, so that equal records have equal bytes.
  private mutating func fields(of record: Record, _ options: RecordOptions) {
    let wanted = options.desiredKeys
    name("fields")
    beginObject()
    for name in record.fields.keys.sorted() where wanted?.contains(name) ?? true {
      guard let value = record.fields[name] else { continue }
      key(name)
      field(value, isEncrypted: record.encryptedFields.contains(name), options)
    }
    endObject()
  }

  private mutating func recordPointer(_ name: StaticString, _ recordName: String?) {
    guard let recordName else { return }
    self.name(name)
    beginObject()
    member("recordName", recordName)
    endObject()
  }

  private mutating func stamp(_ name: StaticString, _ stamp: Stamp?) {
    guard let stamp else { return }
    self.name(name)
    beginObject()
    member("timestamp", stamp.time)
    member("userRecordName", stamp.user.name)
    member("deviceID", stamp.device)
    endObject()
  }

  /// A record of a store. What reads back as no record becomes an error in its place, so that one
  /// damaged row does not take the page with it.
  mutating func storedRecord(_ stored: StoredRecord, _ options: RecordOptions) {
    switch stored.content {
    case .value(let record):
      self.record(record, options)
      cut()
    case .encoded(let bytes, let coder):
      if options.leavesUnchanged(type: stored.type, stored: bytes) {
        raw(bytes)
      } else if let record = try? coder.decode(bytes) {
        self.record(record, options)
        cut()
      } else {
        unreadable(stored, .damaged("record '\(NameRules.shown(stored.name))'"))
      }
    case .unreadable(let error): unreadable(stored, error)
    }
  }

  private mutating func unreadable(_ stored: StoredRecord, _ error: BrumeError) {
    beginObject()
    member("recordName", stored.name)
    if let zone = stored.zone {
      name("zoneID")
      zoneID(zone)
    }
    errorMembers(error)
    endObject()
  }

  mutating func tombstone(name recordName: String, zone: ZoneID, type: String? = nil) {
    beginObject()
    member("recordName", recordName)
    member("deleted", true)
    name("zoneID")
    zoneID(zone)
    if let type {
      name("brume")
      beginObject()
      member("recordType", type)
      endObject()
    }
    endObject()
  }
}

extension StoredRecord {
  /// How much room its bytes take, roughly.
  var sizeEstimate: Int {
    switch content {
    case .value, .unreadable: 768
    case .encoded(let bytes, _): bytes.count + 1
    }
  }
}
