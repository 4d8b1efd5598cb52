// Records: what is put comes back, and who points at whom.

import BrumeModel
import BrumeStorage

extension StorageContract {
  static let records: [Case] = [
    Case("a record comes back byte for byte") { store in
      let fields = FieldSamples.oneOfEach
      let sequence = try await store.write(in: .database(.sample())) {
        try $0.putNext("Full", fields: fields, parent: "root")
      }
      try await store.read { transaction in
        let stored = try transaction.records.find(RecordKey(zone: .sample(), name: "Full"))
        try expectEqual(stored?.name, "Full")
        try expectEqual(stored?.type, "Trail")
        try expectEqual(stored?.sequence, sequence)
        let record = try stored?.record()
        try expectEqual(
          record,
          .sample("Full", sequence: sequence, fields: fields, parent: "root"), "record")
        for (name, value) in fields {
          try expectEqual(record?.fields[name], value, "field \(name)")
        }
      }
    },
    Case("names are distinguished by their bytes") { store in
      let names = ["a", "A", "a ", "a%", "a_", "aa", "'", "\"", "--", ";", "~"]
      try await store.write(in: .database(.sample())) { transaction in
        for name in names { try transaction.putNext(name, fields: ["own": .string(name)]) }
      }
      try await store.read { transaction in
        for name in names {
          let record = try transaction.records.find(RecordKey(zone: .sample(), name: name))?
            .record()
          try expectEqual(record?.fields["own"], .string(name), "record '\(name)'")
        }
      }
    },
    Case("of a deleted record its type and shares stay, and in the public database who made it") {
      store in
      let (open, own) = (ZoneKey.sample(owner: nil), ZoneKey.sample())
      for zone in [open, own] {
        try await store.write(in: .database(zone.database)) { transaction in
          try transaction.putNext("gone", in: zone)
          try transaction.putNext("back", in: zone)
          try transaction.putNext("there", in: zone)
          for name in ["gone", "back"] {
            let sequence = try transaction.sequences.next(in: zone.database)
            try transaction.records.remove(
              RecordKey(zone: zone, name: name), type: "Trail", coveringShares: ["s1", "s2"],
              sequence: sequence)
          }
          try expectEqual(
            try transaction.records.deleted(RecordKey(zone: zone, name: "back"))?.coveringShares,
            ["s1", "s2"], "in the body")
          try transaction.putNext("back", in: zone)
          try expectEqual(
            try transaction.records.deleted(RecordKey(zone: zone, name: "back")), nil, "made again")
        }
        // Another body has not seen the rows.
        let gone = try await store.write(in: .database(zone.database)) {
          try $0.records.deleted(RecordKey(zone: zone, name: "gone"))
        }
        try expectEqual(gone?.coveringShares, ["s1", "s2"], "in another body")
      }
      try await store.read { transaction in
        func deleted(_ name: String, _ zone: ZoneKey) throws -> DeletedRecord? {
          try transaction.records.deleted(RecordKey(zone: zone, name: name))
        }
        try expectEqual(
          try deleted("gone", open),
          DeletedRecord(type: "Trail", creator: UserID("_a1"), coveringShares: ["s1", "s2"]),
          "public")
        try expectEqual(
          try deleted("gone", own),
          DeletedRecord(type: "Trail", creator: nil, coveringShares: ["s1", "s2"]), "private")
        for name in ["back", "there", "never"] {
          try expectEqual(try deleted(name, open), nil, name)
        }
      }
    },
    Case("what put answers is what is stored") { store in
      let (answer, inside) = try await store.write(in: .database(.sample())) { transaction in
        let record = Record.sample(
          "a", sequence: try transaction.sequences.next(in: .sample()),
          fields: FieldSamples.oneOfEach)
        let answer = try transaction.records.put(record, in: .sample(), sequence: 1)
        let inside = try transaction.records.find(RecordKey(zone: .sample(), name: "a"))
        return (try answer.record(), try inside?.record())
      }
      let later = try await store.read {
        try $0.records.find(RecordKey(zone: .sample(), name: "a"))?.record()
      }
      try expectEqual(answer, later, "answer of put")
      try expectEqual(inside, later, "read in the same body")
    },
    Case("what a read has found is taken over as long as it is the same") { store in
      let target = RecordKey(zone: .sample(), name: "target")
      try await store.write(in: .database(.sample())) { transaction in
        for name in ["changed", "gone", "same"] {
          let reference = Reference(recordName: "target", action: .deleteSelf)
          try transaction.putNext(name, fields: ["to": .reference(reference)])
        }
      }
      let found = try await store.read { transaction in
        try ["changed", "gone", "same"].compactMap { name in
          try transaction.records.find(RecordKey(zone: .sample(), name: name))
        }
      }
      try await store.write(in: .database(.sample())) { transaction in
        try expect(
          try transaction.records.takeOver(found, in: .sample()), "not the same at first")
        try expect(
          try !transaction.records.takeOver(found, in: .sample("Other")), "the same elsewhere")
        try transaction.putNext("changed", fields: ["n": .int64(1)])
        try transaction.records.remove(
          RecordKey(zone: .sample(), name: "gone"), type: "Trail",
          sequence: transaction.sequences.next(in: .sample()))
      }
      try await store.write(in: .database(.sample())) { transaction in
        try expect(
          try !transaction.records.takeOver(found, in: .sample()), "the same when all changed")
        func stored(_ name: String) throws -> Record? {
          try transaction.records.find(RecordKey(zone: .sample(), name: name))?.record()
        }
        try expectEqual(try stored("changed")?.fields["n"], .int64(1), "what is stored")
        try expectEqual(try stored("gone"), nil, "what is gone")
        try expectEqual(try stored("same"), try found.last?.record(), "what is the same")
        try transaction.records.remove(
          RecordKey(zone: .sample(), name: "same"), type: "Trail",
          sequence: transaction.sequences.next(in: .sample()))
      }
      try await store.read { transaction in
        let left = try transaction.records.referrers(to: target, by: .deleteSelf, limit: 9)
        try expectEqual(left, [], "what was removed is found by its reference")
        try expect(try !transaction.hasRecord("same"), "what was removed is there")
      }
    },
    Case("descendants are all records below, however deep, each once") { store in
      try await store.write(in: .database(.sample())) { transaction in
        for name in ["root", "other", "apart"] { try transaction.putNext(name) }
        for name in ["a", "b"] { try transaction.putNext(name, parent: "root") }
        for (name, parent) in [("a1", "a"), ("a2", "a1"), ("o1", "other")] {
          try transaction.putNext(name, parent: parent)
        }
        try transaction.putNext("elsewhere", in: .sample("Other"), parent: "root")
      }
      try await store.read { transaction in
        func below(_ roots: [String], limit: Int = 99) throws -> [String] {
          try transaction.records.descendants(of: roots, in: .sample(), limit: limit).sorted()
        }
        try expectEqual(try below(["root"]), ["a", "a1", "a2", "b"], "below one")
        try expectEqual(
          try below(["root", "a", "other"]), ["a", "a1", "a2", "b", "o1"], "below some")
        try expectEqual(try below(["a2", "nobody"]), [], "below none")
        try expectEqual(try below(["root", "other"], limit: 2).count, 2, "no more than asked for")
      }
    },
    Case("the depth below a record is counted in levels, and in records") { store in
      try await store.write(in: .database(.sample())) { transaction in
        for name in ["root", "alone"] { try transaction.putNext(name) }
        for (name, parent) in [
          ("a", "root"), ("b", "root"), ("a1", "a"), ("a2", "a1"), ("b1", "b"),
        ] {
          try transaction.putNext(name, parent: parent)
        }
        try transaction.putNext("elsewhere", in: .sample("Other"), parent: "a2")
      }
      try await store.read { transaction in
        func depth(_ name: String, _ levels: Int = 9, _ limit: Int = 99) throws -> [Int] {
          let found = try transaction.records.depth(
            below: RecordKey(zone: .sample(), name: name), levels: levels, limit: limit)
          return [found.levels, found.records]
        }
        try expectEqual(try depth("root"), [3, 5], "all")
        try expectEqual(try depth("a"), [2, 2], "a part")
        try expectEqual(try depth("alone"), [0, 0], "nothing below")
        try expectEqual(try depth("nobody"), [0, 0], "a record that is not there")
        try expectEqual(try depth("root", 2), [2, 4], "two levels")
        try expectEqual(try depth("root", 0), [0, 0], "no level")
        try expectEqual(try depth("root", 9, 3), [2, 3], "three records")
      }
    },
    Case("a feed ends with the change that fills its bytes") { store in
      try await store.write(in: .database(.sample())) { transaction in
        for name in ["a", "b", "c"] { try transaction.putNext(name) }
      }
      try await store.read { transaction in
        func names(_ bytes: Int, newestFirst: Bool) throws -> Int {
          try transaction.changes.page(
            in: .sample(), after: 0, through: .max, limit: 9, byteLimit: bytes,
            newestFirst: newestFirst
          ).count
        }
        for newestFirst in [false, true] {
          try expectEqual(try names(1, newestFirst: newestFirst), 1, "one that is more")
          try expectEqual(try names(.max, newestFirst: newestFirst), 3, "all")
        }
      }
    },
    Case("a feed brings records of any size, planned or not, in order and whole") { store in
      let sizes = [10, 20_000, 40, 300_000, 9_000]
      try await store.write(in: .database(.sample())) { transaction in
        for (number, size) in sizes.enumerated() {
          let text = String(repeating: "x", count: size)
          try transaction.putNext("r\(number)", fields: ["text": .string(text)])
        }
      }
      for plan in [ReadPlan.none, ReadPlan { [.changes(.sample(), after: 0, limit: 9)] }] {
        try await store.read(plan) { transaction in
          func texts(_ bytes: Int, newestFirst: Bool = false) throws -> [Int] {
            let page = try transaction.changes.page(
              in: .sample(), after: 0, through: .max, limit: 9, byteLimit: bytes,
              newestFirst: newestFirst)
            return try page.compactMap { change in
              guard case .changed(let stored) = change else { return nil }
              guard case .string(let text) = try stored.record().fields["text"] else { return nil }
              return text.utf8.count
            }
          }
          try expectEqual(try texts(.max), sizes, "all")
          try expectEqual(try texts(.max, newestFirst: true), sizes.reversed(), "all, newest first")
          try expectEqual(try texts(15_000), [10, 20_000], "until they have the bytes")
        }
      }
    },
    Case("children come in name order, and only children") { store in
      try await store.write(in: .database(.sample())) { transaction in
        try transaction.putNext("root")
        for name in ["b", "a", "c", "B"] { try transaction.putNext(name, parent: "root") }
        try transaction.putNext("x", parent: "a")
        try transaction.putNext("elsewhere", in: .sample("Other"), parent: "root")
        try transaction.putNext("b")
        try transaction.records.remove(
          RecordKey(zone: .sample(), name: "c"), type: "Trail",
          sequence: transaction.sequences.next(in: .sample()))
      }
      try await store.read { transaction in
        let root = RecordKey(zone: .sample(), name: "root")
        try expectEqual(
          try transaction.records.children(of: root, limit: 9), ["B", "a"], "children")
        try expectEqual(try transaction.records.children(of: root, limit: 1), ["B"], "first child")
      }
    },
    Case("referrers follow every change of a reference") { store in
      @Sendable func reference(_ action: Reference.Action, zone: ZoneID? = nil) -> FieldValue {
        .reference(Reference(recordName: "target", zone: zone, action: action))
      }
      let own = ZoneKey.sample().id
      try await store.write(in: .database(.sample())) { transaction in
        try transaction.putNext("plain", fields: ["r": reference(.none)])
        try transaction.putNext("b", fields: ["r": reference(.deleteSelf)])
        try transaction.putNext("a", fields: ["r": reference(.deleteSelf, zone: own)])
        try transaction.putNext(
          "listed",
          fields: ["r": .list([reference(.validate), reference(.deleteSelf)], of: .reference)])
        try transaction.putNext(
          "foreign", fields: ["r": reference(.deleteSelf, zone: ZoneID(name: "Other"))])
        try transaction.putNext("changed", fields: ["r": reference(.deleteSelf)])
        try transaction.putNext("changed", fields: ["r": reference(.validate)])
        try transaction.putNext("gone", fields: ["r": reference(.deleteSelf)])
        try transaction.records.remove(
          RecordKey(zone: .sample(), name: "gone"), type: "Trail",
          sequence: transaction.sequences.next(in: .sample()))
      }
      try await store.read { transaction in
        let target = RecordKey(zone: .sample(), name: "target")
        func referrers(_ action: Reference.Action, limit: Int = 9) throws -> [String] {
          try transaction.records.referrers(to: target, by: action, limit: limit)
        }
        try expectEqual(try referrers(.deleteSelf), ["a", "b", "listed"], "delete-self")
        try expectEqual(try referrers(.deleteSelf, limit: 2), ["a", "b"], "first two")
        try expectEqual(try referrers(.validate), ["changed", "listed"], "validate")
        try expectEqual(try referrers(.none), ["plain"], "plain")
      }
    },
  ]
}

/// One value of every type, hard ones where there are any.
enum FieldSamples {
  static let oneOfEach: [String: FieldValue] = [
    "string": .string("caf\u{e9} cafe\u{301} 🥾 \u{10ffff} 'quoted' \"and\" \\ \n"),
    "empty": .string(""),
    "int": .int64(.min),
    "double": .double(0.1),
    "bytes": .bytes(Array(0...255)),
    "time": .timestamp(-1),
    "place": .location(Location(latitude: -89.5, longitude: 179.25, altitude: 12)),
    "reference": .reference(
      Reference(recordName: "x", zone: ZoneID(name: "Trails", ownerName: "_a1"), action: .validate)),
    "texts": .list([.string("b"), .string("a"), .string("b")], of: .string),
    "numbers": .list([.int64(.max), .int64(0)], of: .int64),
    "nothing": .list([], of: .string),
  ]
}
