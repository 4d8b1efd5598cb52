// This counts the exchanges of records, their changes and queries.

import BrumeModel
import BrumeStorage

final class CountedRecords<Inner: RecordReading>: Counted<Inner>, RecordReading {
  func find(_ key: RecordKey) throws -> StoredRecord? {
    exchanges.asks(.record(key))
    return try inner.find(key)
  }

  func deleted(_ key: RecordKey) throws -> DeletedRecord? {
    // The row of the name says both.
    exchanges.asks(.record(key))
    return try inner.deleted(key)
  }

  func children(of key: RecordKey, limit: Int) throws -> [String] {
    exchanges.asks(.children(of: key))
    return try inner.children(of: key, limit: limit)
  }

  func descendants(of roots: [String], in zone: ZoneKey, limit: Int) throws -> [String] {
    exchanges.asks()
    return try inner.descendants(of: roots, in: zone, limit: limit)
  }

  func depth(
    below key: RecordKey, levels: Int, limit: Int
  ) throws -> (levels: Int, records: Int) {
    exchanges.asks()
    return try inner.depth(below: key, levels: levels, limit: limit)
  }

  func referrers(to key: RecordKey, by action: Reference.Action, limit: Int) throws
    -> [String]
  {
    exchanges.asks(.referrers(key, action))
    return try inner.referrers(to: key, by: action, limit: limit)
  }
}

extension CountedRecords: RecordWriting where Inner: RecordWriting {
  func put(_ record: Record, in zone: ZoneKey, sequence: Int64) throws -> StoredRecord {
    exchanges.writes(.record(RecordKey(zone: zone, name: record.name)))
    return try inner.put(record, in: zone, sequence: sequence)
  }

  func remove(
    _ key: RecordKey, type: String, coveringShares: [String], sequence: Int64
  ) throws {
    exchanges.writes(.record(key))
    return try inner.remove(key, type: type, coveringShares: coveringShares, sequence: sequence)
  }

  func removeAll(in zone: ZoneKey) throws {
    exchanges.writes()
    return try inner.removeAll(in: zone)
  }

  func forgetDeletions(
    of names: [String], in zone: ZoneKey, through sequence: Int64
  ) throws -> Int {
    exchanges.asks()
    exchanges.writes()
    return try inner.forgetDeletions(of: names, in: zone, through: sequence)
  }

  func takeOver(_ found: [StoredRecord], in zone: ZoneKey) throws -> Bool {
    exchanges.asks()
    return try inner.takeOver(found, in: zone)
  }
}

final class CountedQueries<Inner: QueryReading>: Counted<Inner>, QueryReading {
  func matching(_ request: EngineQuery) throws -> EngineQueryPage {
    exchanges.asks()
    return try inner.matching(request)
  }
}

final class CountedChanges<Inner: ChangeReading>: Counted<Inner>, ChangeReading {
  func page(
    in zone: ZoneKey, after: Int64, through: Int64, limit: Int, byteLimit: Int, newestFirst: Bool
  ) throws -> [StoredChange] {
    exchanges.asks(.changes(zone, after: after, limit: limit))
    let page = try inner.page(
      in: zone, after: after, through: through, limit: limit, byteLimit: byteLimit,
      newestFirst: newestFirst)
    exchanges.brings(page)
    return page
  }

  func deletions(
    in zone: ZoneKey, after: Int64, through: Int64, limit: Int
  ) throws -> [StoredDeletion] {
    exchanges.asks()
    return try inner.deletions(in: zone, after: after, through: through, limit: limit)
  }
}
