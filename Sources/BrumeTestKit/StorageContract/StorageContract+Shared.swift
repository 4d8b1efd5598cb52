// What an engine promises whose database several processes may have open: cases for two stores on one.

import BrumeModel
package import BrumeStorage

extension StorageContract {
  /// One promise to two processes. Throws what it found wrong.
  package struct SharedCase: Sendable, CustomStringConvertible {
    /// A sentence that is true of every such engine.
    package let name: String
    package let run: @Sendable (any Store, any Store) async throws -> Void

    init(
      _ name: String, _ run: @escaping @Sendable (any Store, any Store) async throws -> Void
    ) {
      self.name = name
      self.run = run
    }
    package var description: String { name }
  }

  package static let shared: [SharedCase] =
    [
      oneOrder,
      SharedCase("each sees at once what the other has written") { one, other in
        for number in 1...20 {
          let (writer, reader) = number % 2 == 0 ? (one, other) : (other, one)
          let sequence = try await writer.write(in: .database(.sample())) { transaction in
            try transaction.log.append(.zoneCreated(.sample()), in: .sample(), origin: .sample)
            return try transaction.putNext("r\(number)")
          }
          try expectEqual(sequence, Int64(number), "sequence")
          try await reader.read { transaction in
            try expect(transaction.hasRecord("r\(number)"), "record \(number)")
            try expectEqual(
              try transaction.sequences.last(in: .sample()), sequence, "last sequence")
            let bucket = transaction.log.bucket(of: .sample())
            try expectEqual(try transaction.log.lastPosition(in: bucket), sequence, "position")
          }
        }
      },
      SharedCase("a write of everything and one of a database count in one order") { one, other in
        try await eachWriter(of: one, other) { writer, store in
          let scope = writer < 4 ? WriteScope.everything(of: store) : .database(.sample())
          for round in 0..<10 {
            try await store.write(in: scope) { try $0.putNext("\(writer)-\(round)") }
          }
        }
        let feed = try await one.read {
          try $0.changes.page(in: .sample(), after: 0, through: .max, limit: 999)
        }
        try expectEqual(feed.map(\.sequence), Array(1...80), "sequences")
      },
      SharedCase("a schema that both change loses neither change") { one, other in
        let schema = SettingKey.schema(.sample)
        try await eachWriter(of: one, other) { writer, store in
          for round in 0..<10 {
            try await store.write(in: .database(.sample(owner: "_u\(writer)"))) { transaction in
              let before = try transaction.settings.value(schema) ?? []
              try transaction.settings.set(schema, to: before + Array("\(writer).\(round) ".utf8))
            }
          }
        }
        let text = try await one.read { try $0.settings.value(schema) } ?? []
        let words = String(decoding: text, as: UTF8.self).split(separator: " ")
        try expectEqual(words.count, 80, "changes")
        try expectEqual(Set(words).count, 80, "changes, each once")
      },
      SharedCase("a zone that one makes is there for the other, even if that one looked before") {
        one, other in
        for round in 0..<5 {
          let zone = ZoneKey.sample("Z\(round)")
          let before = try await other.write(in: .database(.sample())) { try $0.zones.find(zone) }
          try expectEqual(before, nil, "a zone that nobody made")
          try await one.write(in: .database(.sample())) { transaction in
            try transaction.zones.put(Zone(key: zone, incarnation: 7, lastSequence: 7))
          }
          let found = try await other.read { try $0.zones.find(zone)?.incarnation }
          try expectEqual(found, 7, "incarnation")
          try await other.write(in: .database(.sample())) { transaction in
            try expectEqual(try transaction.zones.find(zone)?.incarnation, 7, "for a writer")
            try transaction.putNext("r", in: zone)
          }
        }
        try await one.read { transaction in
          try expectEqual(try transaction.zones.all(in: .sample()).count, 5, "zones")
        }
      },
      SharedCase("databases and zones that both make at once are the same ones") { one, other in
        try await eachWriter(of: one, other) { writer, store in
          for place in 0..<10 {
            let zone = ZoneKey.sample("Z", owner: "_u\(place)")
            try await store.write(in: .database(zone.database)) { transaction in
              try transaction.zones.put(Zone(key: zone, incarnation: 1, lastSequence: 1))
              try transaction.putNext("r\(writer)", in: zone)
            }
          }
        }
        for store in [one, other] {
          try await store.read { transaction in
            for place in 0..<10 {
              let zone = ZoneKey.sample("Z", owner: "_u\(place)")
              let zones = try transaction.zones.all(in: zone.database)
              try expectEqual(zones.map(\.key), [zone], "zones of user \(place)")
              let feed = try transaction.changes.page(in: zone, after: 0, through: .max, limit: 99)
              try expectEqual(feed.map(\.sequence), Array(1...8), "feed of user \(place)")
              try expectEqual(Set(feed.map(\.name)).count, 8, "records of user \(place)")
            }
          }
        }
      },
    ] + attempts

  /// By itself, so that a test can show that an engine without locks breaks it.
  package static let oneOrder = SharedCase(
    "writers on both count one sequence and one log, without gaps, in one order"
  ) { one, other in
    try await eachWriter(of: one, other) { writer, store in
      for round in 0..<25 {
        try await store.write(in: .database(.sample())) { transaction in
          let name = "\(writer)-\(round)"
          try transaction.putNext(name)
          let change = RecordChange(
            record: RecordKey(zone: .sample(), name: name), recordType: "Trail", kind: .created,
            image: nil)
          try transaction.log.append(.record(change), in: .sample(), origin: .sample)
        }
      }
    }
    let (feed, log) = try await one.read { transaction in
      (
        try transaction.changes.page(in: .sample(), after: 0, through: .max, limit: 999),
        try transaction.log.entries(
          in: transaction.log.bucket(of: .sample()), after: 0, limit: 999)
      )
    }
    try expectEqual(feed.map(\.sequence), Array(1...200), "sequences")
    try expectEqual(log.map(\.position), Array(1...200), "log positions")
    try expectEqual(log.map(\.recordName), feed.map(\.name), "the order of log and feed")
  }

  /// Eight writers, half of them on each store.
  static func eachWriter(
    of one: any Store, _ other: any Store,
    _ write: @escaping @Sendable (_ writer: Int, any Store) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<8 {
        group.addTask(operation: { try await write(writer, writer % 2 == 0 ? one : other) })
      }
      try await group.waitForAll()
    }
  }
}

extension LogEntry {
  /// The record whose change the entry is.
  package var recordName: String? {
    if case .record(let change) = event { change.record.name } else { nil }
  }
}
