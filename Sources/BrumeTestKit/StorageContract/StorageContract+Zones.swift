// Zones, databases, and their isolation from each other.

import BrumeModel
import BrumeStorage

extension StorageContract {
  static let zones: [Case] = [
    Case("a zone comes back as it was put, live or deleted") { store in
      let deletions: [Zone.Deletion?] = [nil, .deleted, .purged, .encryptedDataReset]
      for (index, deletion) in deletions.enumerated() {
        let zone = Zone(
          key: .sample("Z\(index)"), incarnation: Int64(index + 3), lastSequence: Int64(index + 7),
          deletion: deletion, hasShares: index == 1)
        try await store.write(in: .everything(of: store)) { try $0.zones.put(zone) }
        let found = try await store.read { try $0.zones.find(zone.key) }
        try expectEqual(found, zone, "zone")
      }
      let unknown = try await store.read { try $0.zones.find(.sample("Unknown")) }
      try expectEqual(unknown, nil, "a zone that never existed")
      let live = try await store.read { try $0.zones.all(in: .sample()).map(\.key.name) }
      try expectEqual(live, ["Z0"], "live zones")
    },
    Case("a record in a zone that was never put does not make the zone") { store in
      try await store.write(in: .everything(of: store)) { try $0.putNext("a") }
      try await store.read { transaction in
        try expectEqual(try transaction.zones.find(.sample()), nil, "zone")
        try expectEqual(try transaction.zones.all(in: .sample()), [], "zones")
        try expect(transaction.zones.changed(in: .sample(), after: 0, limit: 9).isEmpty, "changed")
      }
    },
    Case("zones come in name order, changed zones in sequence order") { store in
      try await store.write(in: .everything(of: store)) { transaction in
        for (name, sequence) in [("b", 3), ("a", 9), ("C", 4), ("_defaultZone", 1)] {
          let key = ZoneKey.sample(name)
          try transaction.zones.put(Zone(key: key, incarnation: 1, lastSequence: Int64(sequence)))
        }
      }
      try await store.read { transaction in
        try expectEqual(
          try transaction.zones.all(in: .sample()).map(\.key.name),
          ["C", "_defaultZone", "a", "b"],
          "zones")
        try expectEqual(
          try transaction.zones.changed(in: .sample(), after: 1, limit: 2).map(\.key.name),
          ["b", "C"], "changed zones")
        try expectEqual(
          try transaction.zones.changed(in: .sample(), after: 4, limit: 9).map(\.key.name), ["a"],
          "changed zones after 4")
      }
    },
    Case("zones are counted, live and deleted, as far as asked") { store in
      let names = ["A", "B", "C"]
      try await store.write(in: .everything(of: store)) { transaction in
        for name in names {
          try transaction.zones.put(
            Zone(
              key: .sample(name), incarnation: 1, lastSequence: 1,
              deletion: name == "B" ? .deleted : nil))
        }
        try expectEqual(
          try transaction.zones.count(in: .sample(), limit: 9), 3, "in the body that puts them")
      }
      try await store.read { transaction in
        for limit in 0...4 {
          let count = try transaction.zones.count(in: .sample(), limit: limit)
          try expectEqual(count, min(limit, 3), "up to \(limit)")
        }
        try expectEqual(
          try transaction.zones.count(in: .sample(owner: "_b2"), limit: 9), 0, "of another")
      }
    },
    Case("databases are found by owner and by container, and counted") { store in
      let other = ContainerEnvironment(ContainerID("iCloud.org.example.other"), .development)
      let databases = [
        DatabaseKey.sample(owner: nil), .sample(), .sample(owner: "_b2"),
        DatabaseKey(in: .sampleProduction, owner: UserID("_a1")),
        DatabaseKey(in: other, owner: UserID("_a1")),
      ]
      try await store.write(in: .everything(of: store)) { transaction in
        for database in databases.reversed() {
          let key = ZoneKey(database: database, name: "Z")
          try transaction.zones.put(
            Zone(
              key: key, incarnation: 1, lastSequence: try transaction.sequences.next(in: database)))
        }
      }
      try await store.read { transaction in
        try expectEqual(
          try transaction.zones.databases(of: UserID("_a1")),
          [databases[1], databases[3], databases[4]].sorted {
            $0.containerEnvironment < $1.containerEnvironment
          }, "of an owner")
        try expectEqual(try transaction.zones.databases(of: UserID("_x9")), [], "of nobody")
        try expectEqual(
          try transaction.zones.databases(in: .sample), Array(databases.prefix(3)),
          "of a container")
        try expectEqual(
          try transaction.zones.databaseCounts(), [.sample: 3, .sampleProduction: 1, other: 1],
          "counts")
      }
    },
    Case("databases know nothing of each other") { store in
      let databases = [
        DatabaseKey.sample(), .sample(owner: nil), .sample(owner: "_b2"),
        DatabaseKey(in: .sampleProduction, owner: UserID("_a1")),
        DatabaseKey(
          in: ContainerEnvironment(ContainerID("iCloud.org.example.other"), .development),
          owner: UserID("_a1")),
      ]
      for (index, database) in databases.enumerated() {
        try await store.write(in: .database(database)) { transaction in
          let zone = ZoneKey(database: database, name: "Trails")
          for _ in 0...index { try transaction.putNext("r\(index)", in: zone) }
          try transaction.zones.put(Zone(key: zone, incarnation: 1, lastSequence: 1))
        }
      }
      try await store.read { transaction in
        for (index, database) in databases.enumerated() {
          try expectEqual(
            try transaction.sequences.last(in: database), Int64(index + 1), "sequence")
          let zone = ZoneKey(database: database, name: "Trails")
          let names = try transaction.changes.page(in: zone, after: 0, through: .max, limit: 99)
            .map(\.name)
          try expectEqual(names, ["r\(index)"], "records")
          try expectEqual(try transaction.zones.all(in: database).map(\.key), [zone], "zones")
        }
      }
    },
    Case("raised sequences are above all that were given before, in every database") { store in
      let other = DatabaseKey(in: .sampleProduction, owner: nil)
      try await store.write(in: .everything(of: store)) { transaction in
        try transaction.zones.put(
          Zone(
            key: .sample(), incarnation: 1,
            lastSequence: transaction.sequences.next(in: .sample())))
      }
      try await store.write(in: .everything(of: store)) { try $0.sequences.raise(above: 5000) }
      try await store.write(in: .everything(of: store)) { transaction in
        try expectEqual(try transaction.sequences.last(in: .sample()), 1, "the last one given")
        try expectEqual(try transaction.sequences.next(in: .sample()), 5001, "the next")
        try expectEqual(try transaction.sequences.next(in: .sample()), 5002, "the one after")
        try expectEqual(try transaction.sequences.next(in: other), 5001, "another database")
        try transaction.sequences.raise(above: 4000)
        try expectEqual(try transaction.sequences.next(in: other), 5002, "never lowered")
      }
    },
    Case("a deleted zone is found as long as it has rows, which may go one by one") { store in
      func left() async throws -> [ZoneKey] {
        try await store.read { try $0.zones.unfinishedDeletions(limit: 9) }
      }
      try await store.write(in: .everything(of: store)) { transaction in
        for zone in [ZoneKey.sample(), .sample("Other"), .sample("Third")] {
          if zone != .sample("Third") {
            try transaction.putNext("a", in: zone, fields: ["n": .int64(1)])
          }
          let deletion: Zone.Deletion? = zone == .sample("Other") ? nil : .deleted
          try transaction.zones.put(
            Zone(key: zone, incarnation: 1, lastSequence: 9, deletion: deletion))
        }
      }
      try expectEqual(try await left(), [.sample()], "deleted, with rows")
      let query = EngineQuery(
        database: .sample(), zone: nil, query: Query(recordType: "Trail"), after: nil, limit: 9,
        candidateLimit: 99)
      let found = try await store.read { try $0.queries.matching(query).records.map(\.name) }
      try expectEqual(found, ["a"], "found in all zones but the deleted one")
      try await store.write(in: .everything(of: store)) { transaction in
        let key = RecordKey(zone: .sample(), name: "a")
        guard let stored = try transaction.records.find(key) else {
          throw StorageContract.Violation(description: "the record is not there")
        }
        try transaction.records.remove(key, type: stored.type, sequence: stored.sequence)
        let count = try transaction.records.forgetDeletions(
          of: ["a"], in: .sample(), through: .max)
        try expectEqual(count, 1, "rows that went")
      }
      try expectEqual(try await left(), [], "nothing is left")
      let rows = try await store.read {
        try $0.changes.page(in: .sample(), after: 0, through: .max, limit: 9).count
      }
      try expectEqual(rows, 0, "lines of the feed")
    },
    Case("removing a zone's contents leaves no record, no line, no trace in queries") { store in
      try await store.write(in: .everything(of: store)) { transaction in
        for name in ["a", "b", "c"] {
          try transaction.putNext(
            name,
            fields: ["n": .int64(1), "r": .reference(Reference(recordName: "a"))],
            parent: name == "a" ? nil : "a")
          try transaction.putNext(name, in: .sample("Other"), fields: ["n": .int64(1)])
        }
        try transaction.records.remove(
          RecordKey(zone: .sample(), name: "c"), type: "Trail",
          sequence: transaction.sequences.next(in: .sample()))
      }
      try await store.write(in: .everything(of: store)) { try $0.records.removeAll(in: .sample()) }
      try await store.write(in: .everything(of: store)) { transaction in
        try expect(!transaction.hasRecord("a"), "a record is left")
        let changes = try transaction.changes.page(in: .sample(), after: 0, through: .max, limit: 9)
        try expectEqual(changes.map(\.name), [], "lines of the feed")
        let root = RecordKey(zone: .sample(), name: "a")
        try expectEqual(try transaction.records.children(of: root, limit: 9), [], "children")
        try expectEqual(
          try transaction.records.referrers(to: root, by: .none, limit: 9), [], "referrers")
        let query = EngineQuery(
          database: .sample(), zone: nil,
          query: Query(
            recordType: "Trail", filters: [Filter(.equals, .field("n"), .int64(1))],
            sorts: [Sort(.field("n"))]),
          after: nil, limit: 9, candidateLimit: 99)
        try expectEqual(
          try transaction.queries.matching(query).records.count, 3, "records elsewhere")
        // The zone exists again.
        try transaction.putNext("a", fields: ["n": .int64(1)])
        try expectEqual(
          try transaction.queries.matching(query).records.count, 4, "records after rebirth")
      }
    },
  ]
}

extension StoredChange {
  var name: String {
    switch self {
    case .changed(let record): record.name
    case .deleted(let deletion): deletion.name
    }
  }
}
