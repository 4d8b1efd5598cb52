// The log of two stores on one database, as an ordered feed: each key is a database of its own.

import BrumeModel
import BrumeStorage
import BrumeTestKit

@testable import BrumePostgres

struct StoreFeed: OrderedFeed {
  let stores: [PostgresStore]
  let start: [Bucket: Int64] = [:]

  func save(_ key: Int, as writer: Int) async throws {
    let zone = Self.zone(of: key)
    try await stores[writer % stores.count].write(in: .database(zone.database)) { transaction in
      let version = try transaction.sequences.last(in: zone.database) + 1
      let name = "\(key)/\(version)"
      _ = try transaction.putNext(name, in: zone)
      let change = RecordChange(
        record: RecordKey(zone: zone, name: name), recordType: "Trail", kind: .created, image: nil)
      try transaction.log.append(.record(change), in: zone.database, origin: .sample)
    }
  }

  func lines(
    after cursor: inout [Bucket: Int64], as reader: Int
  ) async throws -> [FollowedFeed.Line] {
    let store = stores[reader % stores.count]
    let before = cursor
    let found = try await store.read { transaction in
      try (0..<store.bucketCount).map(Bucket.init).map { bucket in
        (bucket, try transaction.log.entries(in: bucket, after: before[bucket] ?? 0, limit: 500))
      }
    }
    return found.flatMap { bucket, entries in
      cursor[bucket] = entries.last?.position ?? cursor[bucket]
      return entries.compactMap { Self.line($0, bucket) }
    }
  }

  /// What the feeds of the zones say, which devices follow: one that nobody wrote to meanwhile.
  func changes(of keys: Range<Int>) async throws -> [[Int64]] {
    try await stores[0].read { transaction in
      try keys.map { key in
        try transaction.changes.page(
          in: Self.zone(of: key), after: 0, through: .max, limit: 1_000_000
        )
        .map(\.sequence)
      }
    }
  }

  private static func zone(of key: Int) -> ZoneKey { .sample(owner: "_key\(key)") }

  private static func line(_ entry: LogEntry, _ bucket: Bucket) -> FollowedFeed.Line? {
    let words = entry.recordName?.split(separator: "/").map { Int64($0) }
    guard let words, words.count == 2, let key = words[0], let version = words[1] else {
      return nil
    }
    return FollowedFeed.Line(
      stream: bucket.number, position: entry.position, key: Int(key), version: version)
  }
}
