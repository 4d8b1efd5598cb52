// Records as the store has them. The oracle looks at the same ones again and again, and reads each once: bytes that are
// others are read again, so that nothing which changed goes unseen.

import BrumeModel

/// What was read of records, by their places.
struct ReadRecords {
  private var known: [RecordKey: (bytes: [UInt8], record: BrumeModel.Record)] = [:]

  mutating func record(_ stored: StoredRecord, in zone: ZoneKey) throws -> BrumeModel.Record {
    guard case .encoded(let bytes, _) = stored.content else { return try stored.record() }
    let key = RecordKey(zone: zone, name: stored.name)
    if let known = known[key], known.bytes == bytes { return known.record }
    let record = try stored.record()
    known[key] = (bytes, record)
    return record
  }
}
