// Many writers and readers at once. Nothing here waits for a time; tasks run as they come.

import BrumeModel
import BrumeStorage

extension StorageContract {
  private struct Refusal: Error {}

  static let concurrency: [Case] = [
    Case("readers see whole transactions, in sequence order, without gaps") { store in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<8 {
          group.addTask(operation: {
            for round in 0..<25 {
              try await store.write(in: .database(.sample())) { transaction in
                for half in ["a", "b"] {
                  try transaction.putNext("\(writer)-\(round)-\(half)")
                  try transaction.log.append(
                    .zoneCreated(.sample()), in: .sample(), origin: .sample)
                }
              }
            }
          })
        }
        for _ in 0..<4 {
          group.addTask(operation: {
            var last: Int64 = 0
            while last < 400 {
              last = try await store.read { [last] in try $0.checkFeed(after: last) }
              await Task.yield()
            }
          })
        }
        try await group.waitForAll()
      }
      let (records, entries) = try await store.read { transaction in
        (
          try transaction.changes.page(in: .sample(), after: 0, through: .max, limit: 1000),
          try transaction.log.entries(in: store.sampleBucket, after: 0, limit: 1000)
        )
      }
      try expectEqual(records.map(\.sequence), Array(1...400), "sequences")
      try expectEqual(entries.map(\.position), Array(1...400), "log positions")
    },
    Case("one body of many that throws undoes its own work only") { store in
      let outcomes = await withTaskGroup(of: (Int, Bool).self) { group in
        for number in 0..<120 {
          group.addTask(operation: {
            let result: Void? = try? await store.write(in: .database(.sample())) { transaction in
              try transaction.putNext("r\(number)", in: .sample("Z\(number % 7)"))
              try transaction.log.append(.zoneCreated(.sample()), in: .sample(), origin: .sample)
              if number % 3 == 0 { throw Refusal() }
            }
            return (number, result != nil)
          })
        }
        return await group.reduce(into: [Int: Bool]()) { $0[$1.0] = $1.1 }
      }
      try await store.read { transaction in
        for number in 0..<120 {
          let isKept = try transaction.hasRecord("r\(number)", in: .sample("Z\(number % 7)"))
          try expectEqual(isKept, number % 3 != 0, "record \(number)")
          try expectEqual(outcomes[number], number % 3 != 0, "answer \(number)")
        }
        try expectEqual(try transaction.sequences.last(in: .sample()), 80, "last sequence")
        let positions = try transaction.log.entries(in: store.sampleBucket, after: 0, limit: 999)
          .map(\.position)
        try expectEqual(positions, Array(1...80), "log positions")
      }
    },
    Case("one read sees one state while writers go on") { store in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask(operation: {
          for number in 0..<200 {
            try await store.write(in: .database(.sample())) { try $0.putNext("r\(number)") }
          }
        })
        group.addTask(operation: {
          for _ in 0..<20 {
            try await store.read { transaction in
              let first = try transaction.sequences.last(in: .sample())
              for _ in 0..<50 {
                let changes = try transaction.changes.page(
                  in: .sample(), after: 0, through: .max, limit: 999)
                try expectEqual(Int64(changes.count), first, "records in one read")
              }
            }
          }
        })
        try await group.waitForAll()
      }
    },
    Case("writers of many databases do not mix their sequences") { store in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for user in 0..<16 {
          group.addTask(operation: {
            let zone = ZoneKey.sample(owner: "_u\(user)")
            for round in 1...20 {
              let sequence = try await store.write(in: .database(zone.database)) {
                try $0.putNext("r\(round)", in: zone)
              }
              try expectEqual(sequence, Int64(round), "sequence of user \(user)")
            }
          })
        }
        try await group.waitForAll()
      }
    },
    Case("writes in two databases that both change a schema lose neither change") { store in
      let schema = SettingKey.schema(.sample)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for user in 0..<8 {
          group.addTask(operation: {
            for round in 0..<10 {
              try await store.write(in: .database(.sample(owner: "_u\(user)"))) { transaction in
                let before = try transaction.settings.value(schema) ?? []
                try transaction.settings.set(schema, to: before + Array("\(user).\(round) ".utf8))
              }
            }
          })
        }
        try await group.waitForAll()
      }
      let text = try await store.read { try $0.settings.value(schema) } ?? []
      let words = String(decoding: text, as: UTF8.self).split(separator: " ")
      try expectEqual(Set(words).count, 80, "changes that are there")
      try expectEqual(words.count, 80, "changes, each once")
    },
  ]
}

extension ReadTransaction {
  /// Checks that what is visible after `last` is gapless and has both halves of each transaction.
  fileprivate func checkFeed(after last: Int64) throws -> Int64 {
    let newest = try sequences.last(in: .sample())
    let changes = try self.changes.page(in: .sample(), after: last, through: newest, limit: 1000)
    if changes.isEmpty { return last }
    try expectEqual(changes.map(\.sequence), Array(last + 1...newest), "a feed with a gap")
    let halves = Dictionary(grouping: changes) { $0.name.dropLast(2) }
    try expect(halves.values.allSatisfy { $0.count == 2 }, "half a transaction is visible")
    let positions = try log.lastPosition(in: log.bucket(of: .sample()))
    try expectEqual(positions, newest, "log and records of one state")
    return newest
  }
}
