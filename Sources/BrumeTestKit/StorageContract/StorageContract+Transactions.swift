// All or nothing, and what a closed store says.

import BrumeModel
import BrumeStorage

extension StorageContract {
  private struct Refusal: Error, Equatable {}

  static let transactions: [Case] = [
    Case("a body that throws leaves nothing behind") { store in
      try await store.write(in: .everything(of: store)) { transaction in
        try transaction.putNext("kept")
        try transaction.zones.put(Zone(key: .sample(), incarnation: 1, lastSequence: 1))
      }
      do {
        try await store.write(in: .everything(of: store)) { transaction in
          try transaction.putNext("lost")
          try transaction.putNext("kept", fields: ["title": .string("changed")])
          try transaction.zones.put(Zone(key: .sample("Other"), incarnation: 9, lastSequence: 9))
          try transaction.log.append(.zoneCreated(.sample("Other")), in: .sample(), origin: .sample)
          try transaction.settings.set(.secret, to: [1])
          throw Refusal()
        }
        throw Violation(description: "the error of the body was not passed on")
      } catch is Refusal {}
      try await store.read { transaction in
        try expect(!transaction.hasRecord("lost"), "a record of an undone write is there")
        let kept = try transaction.records.find(RecordKey(zone: .sample(), name: "kept"))?.record()
        try expectEqual(kept?.fields, [:], "fields of a record whose change was undone")
        try expectEqual(try transaction.zones.find(.sample("Other")), nil, "an undone zone")
        try expectEqual(try transaction.log.lastPosition(in: store.sampleBucket), 0, "log position")
        try expectEqual(try transaction.sequences.last(in: .sample()), 1, "last sequence")
        try expectEqual(try transaction.settings.value(.secret), nil, "an undone setting")
      }
      // What the failed body had looked up or counted must not mislead the next one.
      let (sequence, position) = try await store.write(in: .everything(of: store)) { transaction in
        let sequence = try transaction.putNext("lost")
        try transaction.zones.put(Zone(key: .sample("Other"), incarnation: 2, lastSequence: 2))
        let event = LogEntry.Event.zoneCreated(.sample("Other"))
        return (sequence, try transaction.log.append(event, in: .sample(), origin: .sample))
      }
      try expectEqual(sequence, 2, "the sequence after an undone write")
      try expectEqual(position, 1, "the log position after an undone write")
      try await store.read { transaction in
        try expect(transaction.hasRecord("lost"), "the repeated write is missing")
        try expectEqual(try transaction.zones.find(.sample("Other"))?.incarnation, 2, "incarnation")
      }
    },
    Case(
      "a body that throws after many records leaves none of them, and the next has its last word"
    ) {
      store in
      let names = (0..<120).map { "r\($0)" }
      do {
        try await store.write(in: .everything(of: store)) { transaction in
          for name in names { try transaction.putNext(name, fields: ["title": .string("lost")]) }
          throw Refusal()
        }
        throw Violation(description: "the error of the body was not passed on")
      } catch is Refusal {}
      let left = try await store.read { transaction in
        try names.filter { try transaction.hasRecord($0) }
      }
      try expectEqual(left, [], "records of an undone write")
      try await store.write(in: .everything(of: store)) { transaction in
        for name in names { try transaction.putNext(name) }
        try transaction.putNext("r0", fields: ["title": .string("last")])
      }
      try await store.read { transaction in
        let first = try transaction.records.find(RecordKey(zone: .sample(), name: "r0"))
        try expectEqual(first?.sequence, 121, "the sequence of a record that was put twice")
        try expectEqual(try first?.record().fields, ["title": .string("last")], "its fields")
        try expectEqual(try names.filter { try transaction.hasRecord($0) }, names, "records")
      }
    },
    Case("a body whose caller has gone before its turn does not run") { store in
      let gone = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await store.writeIfWanted(in: .everything(of: store)) { try $0.putNext("lost") }
      }
      if case .success = await gone.result {
        throw Violation(description: "a write was answered that nobody waited for")
      }
      let waited = try await store.writeIfWanted(in: .everything(of: store)) {
        (try $0.putNext("kept"), try $0.hasRecord("lost"))
      }
      try expectEqual(waited.0, 1, "the sequence of the first write that was waited for")
      try expect(!waited.1, "a body ran that nobody waited for")
    },
    Case("a body sees its own writes") { store in
      try await store.write(in: .everything(of: store)) { transaction in
        try transaction.putNext("a", fields: ["title": .string("one")])
        try expect(transaction.hasRecord("a"), "a record just put is missing")
        try transaction.records.remove(
          RecordKey(zone: .sample(), name: "a"), type: "Trail",
          sequence: transaction.sequences.next(in: .sample()))
        try expect(!transaction.hasRecord("a"), "a record just removed is there")
        try transaction.putNext("a", fields: ["title": .string("two")])
        let page = try transaction.queries.matching(
          EngineQuery(
            database: .sample(), zone: "Trails",
            query: Query(
              recordType: "Trail",
              filters: [Filter(.equals, .field("title"), .string("two"))]),
            after: nil, limit: 5, candidateLimit: 100))
        try expectEqual(page.records.map(\.name), ["a"], "found in the same body")
        try expectEqual(try transaction.sequences.last(in: .sample()), 3, "last sequence")
      }
    },
    Case("a write returns the body's value, and a read after it sees the write") { store in
      for number in 1...20 {
        let sequence = try await store.write(in: .everything(of: store)) {
          try $0.putNext("r\(number)")
        }
        try expectEqual(sequence, Int64(number), "sequence")
        let seen = try await store.read { try $0.hasRecord("r\(number)") }
        try expect(seen, "a read does not see a write that returned before it")
      }
    },
    Case("a closed store refuses") { store in
      try await store.write(in: .everything(of: store)) { try $0.settings.set(.secret, to: [7]) }
      try await store.close()
      for operation in ["read", "write"] {
        do {
          if operation == "read" {
            _ = try await store.read { try $0.settings.value(.secret) }
          } else {
            try await store.write(in: .everything(of: store)) {
              try $0.settings.set(.secret, to: [8])
            }
          }
          throw Violation(description: "a closed store took a \(operation)")
        } catch let error as StoreError {
          try expectEqual(error.code, .closed, "code of a \(operation) after closing")
        }
      }
    },
  ]
}
