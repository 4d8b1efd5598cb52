// The change feed of a zone, and the log.

import BrumeModel
import BrumeStorage

extension StorageContract {
  static let changes: [Case] = [
    Case("the feed has each name once, in its newest state, in sequence order") { store in
      try await store.write(in: .database(.sample())) { transaction in
        for name in ["a", "b", "c", "d"] { try transaction.putNext(name) }
        try transaction.putNext("a", fields: ["n": .int64(2)])
        try transaction.putNext("z", in: .sample("Other"))
        for name in ["b", "never"] {
          try transaction.records.remove(
            RecordKey(zone: .sample(), name: name), type: "Trail",
            sequence: transaction.sequences.next(in: .sample()))
        }
        try transaction.records.remove(
          RecordKey(zone: .sample(), name: "c"), type: "Trail",
          sequence: transaction.sequences.next(in: .sample()))
        try transaction.putNext("c", type: "Hut")
      }
      try await store.read { transaction in
        func feed(
          _ after: Int64, _ through: Int64, _ limit: Int, newestFirst: Bool = false
        ) throws -> [String] {
          try transaction.changes.page(
            in: .sample(), after: after, through: through, limit: limit, newestFirst: newestFirst
          ).map { change in
            switch change {
            case .changed(let record): "\(record.sequence) \(record.name) \(record.type)"
            case .deleted(let gone): "\(gone.sequence) -\(gone.name) \(gone.type)"
            }
          }
        }
        let all = ["4 d Trail", "5 a Trail", "7 -b Trail", "8 -never Trail", "10 c Hut"]
        try expectEqual(try feed(0, .max, 99), all, "feed")
        try expectEqual(try feed(4, 8, 99), Array(all[1...3]), "feed from 4 through 8")
        try expectEqual(try feed(0, .max, 2), Array(all[...1]), "first two")
        try expectEqual(
          try feed(0, .max, 99, newestFirst: true), Array(all.reversed()), "newest first")
        try expectEqual(
          try feed(4, 9, 2, newestFirst: true), [all[3], all[2]], "newest two through 9")
        try expectEqual(try feed(10, .max, 9), [], "nothing new")
        try expectEqual(try feed(10, 4, 9), [], "an empty range")
      }
    },
    Case("the feed has the shares of a deleted record, and forgets them when it is back") { store in
      let shares = ["a": ["cloudkit.zoneshare", "S 2"], "b": [], "back": ["S 1"]]
      try await store.write(in: .database(.sample())) { transaction in
        for (name, covering) in shares.sorted(by: { $0.key < $1.key }) {
          try transaction.putNext(name)
          try transaction.records.remove(
            RecordKey(zone: .sample(), name: name), type: "Trail", coveringShares: covering,
            sequence: transaction.sequences.next(in: .sample()))
        }
        try transaction.putNext("back")
        try transaction.records.remove(
          RecordKey(zone: .sample(), name: "back"), type: "Trail",
          sequence: transaction.sequences.next(in: .sample()))
      }
      let found = try await store.read { transaction in
        try transaction.changes.page(in: .sample(), after: 0, through: .max, limit: 9)
      }
      for change in found {
        guard case .deleted(let gone) = change else { return try expect(false, "a record is left") }
        let covering = gone.name == "back" ? [] : shares[gone.name]
        try expectEqual(gone.coveringShares, covering, gone.name)
        try expectEqual(gone.type, "Trail", gone.name)
      }
      try expectEqual(found.map(\.name), ["a", "b", "back"], "deletions")
    },
    Case("deletions are found by their sequence, and forgotten up to one") { store in
      try await store.write(in: .database(.sample())) { transaction in
        for name in ["a", "b", "c", "d", "back"] { try transaction.putNext(name) }
        for name in ["a", "b", "c", "back"] {
          try transaction.records.remove(
            RecordKey(zone: .sample(), name: name), type: "Trail", coveringShares: ["S"],
            sequence: transaction.sequences.next(in: .sample()))
        }
        try transaction.putNext("back")
      }
      func deletions(_ after: Int64, _ through: Int64, _ limit: Int = 9) async throws -> [String] {
        try await store.read {
          try $0.changes.deletions(in: .sample(), after: after, through: through, limit: limit)
            .map { "\($0.sequence) \($0.name) \($0.coveringShares)" }
        }
      }
      let all = [#"6 a ["S"]"#, #"7 b ["S"]"#, #"8 c ["S"]"#]
      try expectEqual(try await deletions(0, .max), all, "all")
      try expectEqual(try await deletions(6, 7), [all[1]], "a range")
      try expectEqual(try await deletions(0, .max, 2), Array(all[...1]), "the first two")
      try expectEqual(
        try await store.read {
          try $0.changes.deletions(in: .sample("Never"), after: 0, through: .max, limit: 9).count
        }, 0, "a zone that never was")
      // Live ones, unknown ones and those of later are left alone.
      let forgotten = try await store.write(in: .database(.sample())) {
        try $0.records.forgetDeletions(
          of: ["a", "b", "c", "d", "back", "never"], in: .sample(), through: 7)
      }
      try expectEqual(forgotten, 2, "forgotten")
      try expectEqual(try await deletions(0, .max), [all[2]], "what is left")
      try await store.read { transaction in
        let key = { RecordKey(zone: .sample(), name: $0) }
        try expect(try transaction.records.deleted(key("a")) == nil, "'a' is still known")
        try expect(try transaction.records.deleted(key("c")) != nil, "'c' is not known")
        try expect(try transaction.records.find(key("d")) != nil, "'d' is gone")
        try expect(try transaction.records.find(key("back")) != nil, "'back' is gone")
      }
      // What was forgotten may come back, in the same body too.
      try await store.write(in: .database(.sample())) { transaction in
        _ = try transaction.records.find(RecordKey(zone: .sample(), name: "c"))
        let count = try transaction.records.forgetDeletions(
          of: ["c"], in: .sample(), through: .max)
        try expectEqual(count, 1, "forgotten in the body")
        try transaction.putNext("c")
        try transaction.putNext("a")
      }
      let feed = try await store.read {
        try $0.changes.page(in: .sample(), after: 0, through: .max, limit: 9).map(\.name)
      }
      try expectEqual(feed, ["d", "back", "c", "a"], "the feed")
    },
  ]

  static let log: [Case] = [
    Case("log entries come back whole, in order") { store in
      let events = LogSamples.events
      for event in events {
        try await store.write(in: .database(.sample())) {
          try $0.log.append(event, in: .sample(), origin: .sample)
        }
      }
      let unknown = Origin(user: nil, device: nil, requestID: "R2", time: 5)
      try await store.write(in: .database(.sample(owner: nil))) {
        try $0.log.append(
          .zoneDeleted(.sample("P", owner: nil)), in: .sample(owner: nil), origin: unknown)
      }
      try await store.read { transaction in
        let bucket = transaction.log.bucket(of: .sample())
        try expectEqual(bucket, store.sampleBucket, "the database's bucket")
        let entries = try transaction.log.entries(in: bucket, after: 0, limit: 99)
        try expectEqual(entries.map(\.position), Array(1...Int64(entries.count)), "positions")
        for (entry, event) in zip(entries, events) {
          try expectEqual(
            try LogSamples.text(entry.event), try LogSamples.text(event), "event")
          try expectEqual(entry.origin, .sample, "origin")
          try expectEqual(entry.database, .sample(), "database")
        }
        let publicBucket = transaction.log.bucket(of: .sample(owner: nil))
        try expectEqual(
          entries.count, events.count + (publicBucket == bucket ? 1 : 0), "entries of the bucket")
        let last = try transaction.log.entries(in: publicBucket, after: 0, limit: 99).last
        try expectEqual(last?.origin, unknown, "an origin without user")
        try expectEqual(last?.database, .sample(owner: nil), "the public database")
        let some = try transaction.log.entries(in: bucket, after: 2, limit: 2).map(\.position)
        try expectEqual(some, [3, 4], "two after the second")
        var positions = LogPositions(Int64(entries.count), in: bucket)
        if publicBucket != bucket { positions[publicBucket] = 1 }
        try expectEqual(try transaction.log.lastPositions(), positions, "last positions")
      }
    },
    Case("a trimmed log never uses a position again") { store in
      for _ in 1...3 {
        try await store.write(in: .database(.sample())) { transaction in
          for _ in 1...4 {
            try transaction.log.append(.zoneCreated(.sample()), in: .sample(), origin: .sample)
          }
        }
      }
      try await store.write(in: .everything(of: store)) {
        try $0.log.trim(in: store.sampleBucket, through: 5)
      }
      let rest = try await store.read {
        try $0.log.entries(in: store.sampleBucket, after: 0, limit: 99).map(\.position)
      }
      try expectEqual(rest, Array(6...12), "what trimming left")
      try await store.write(in: .everything(of: store)) {
        try $0.log.trim(in: store.sampleBucket, through: 12)
      }
      let last = try await store.read { try $0.log.lastPosition(in: store.sampleBucket) }
      try expectEqual(last, 12, "last position of an empty log")
      let next = try await store.write(in: .database(.sample())) {
        try $0.log.append(.zoneCreated(.sample()), in: .sample(), origin: .sample)
      }
      try expectEqual(next, 13, "position after trimming")
    },
    Case("a commit that adds to the log is hinted at, another is not") { store in
      let hints = store.commits()
      try await store.write(in: .everything(of: store)) { try $0.settings.set(.secret, to: [1]) }
      try await store.write(in: .database(.sample())) {
        try $0.log.append(.zoneCreated(.sample()), in: .sample(), origin: .sample)
      }
      var iterator = hints.makeAsyncIterator()
      try expect(await iterator.next(isolation: nil) != nil, "no hint")
      try await store.close()
      try expect(await iterator.next(isolation: nil) == nil, "a hint without a log entry")
    },
  ]
}

enum LogSamples {
  static let events: [LogEntry.Event] = {
    let key = RecordKey(zone: .sample(), name: "a")
    let coderless = StoredRecord(
      name: "a", type: "Trail", sequence: 7,
      content: .value(.sample("a", sequence: 7, fields: FieldSamples.oneOfEach)))
    return [
      .record(
        RecordChange(
          record: key, recordType: "Trail", kind: .created, image: coderless,
          coveringShares: ["cloudkit.zoneshare", "S 2"])),
      .record(RecordChange(record: key, recordType: "Trail", kind: .updated, image: nil)),
      .record(RecordChange(record: key, recordType: "Hut", kind: .deleted, image: nil)),
      .zoneCreated(.sample()),
      .zoneDeleted(.sample("Other")),
      .membership(UserID("_b2"), .sample("Shared", owner: "_c3")),
      .subscription(SubscriptionSamples.scope(.private), id: "café/1"),
    ]
  }()

  static func text(_ event: LogEntry.Event) throws -> String {
    switch event {
    case .record(let change):
      let image = try change.image.map { "\($0.sequence) \(try $0.record().fields.count)" } ?? "-"
      return
        "\(change.record) \(change.recordType) \(change.kind) \(image) \(change.coveringShares)"
    case .zoneCreated, .zoneDeleted, .membership, .subscription: return "\(event)"
    }
  }
}
