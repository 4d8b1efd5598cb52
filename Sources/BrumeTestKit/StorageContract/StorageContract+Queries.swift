// Queries: every engine finds what evaluating every record finds, in the same order, cut into the
// same pages.

import BrumeModel
import BrumePredicate
import BrumeStorage
import Synchronization

extension StorageContract {
  static let queries: [Case] =
    [
      Case("pages go on where the last ended, whatever was written between") { store in
        try await store.write(in: .database(.sample())) { transaction in
          for name in ["a", "c", "e", "g"] { try transaction.putNext(name) }
        }
        func page(_ after: QueryPosition?) async throws -> EngineQueryPage {
          try await store.read { transaction in
            try transaction.queries.matching(
              EngineQuery(
                database: .sample(), zone: "Trails", query: Query(recordType: "Trail"),
                after: after, limit: 2, candidateLimit: 99))
          }
        }
        let first = try await page(nil)
        try expectEqual(first.records.map(\.name), ["a", "c"], "first page")
        try expectEqual(first.next, QueryPosition(offset: 2, zone: "Trails", name: "c"), "position")
        try await store.write(in: .database(.sample())) { transaction in
          for name in ["b", "d"] { try transaction.putNext(name) }
        }
        let second = try await page(first.next)
        try expectEqual(second.records.map(\.name), ["d", "e"], "second page")
        let third = try await page(second.next)
        try expectEqual(third.records.map(\.name), ["g"], "third page")
        try expectEqual(third.next, nil, "end")
      },
      Case("a query of an unknown type, zone or database finds nothing") { store in
        try await store.write(in: .database(.sample())) { try $0.putNext("a") }
        for (database, zone, type) in [
          (DatabaseKey.sample(), "Trails", "Hut"), (.sample(), "Unknown", "Trail"),
          (.sample(owner: "_x"), nil as String?, "Trail"),
        ] {
          for sorts in [[], [Sort(.field("n"))]] {
            let page = try await store.read { transaction in
              try transaction.queries.matching(
                EngineQuery(
                  database: database, zone: zone, query: Query(recordType: type, sorts: sorts),
                  after: nil, limit: 9, candidateLimit: 99))
            }
            try expectEqual(page.records.map(\.name), [], "records")
            try expectEqual(page.next, nil, "position")
          }
        }
      },
      Case("records that are not visible count for nothing, for no bound and no work") { store in
        for visible in [VisibleRecords.made(by: UserID("_me")), .named(HiddenRecords.shown)] {
          for query in HiddenRecords.queries {
            for limits in [(1, 1), (2, 3), (5, 2), (9, 99)] {
              let with = try await HiddenRecords(hidden: 6).pages(query, visible, limits, store)
              let without = try await HiddenRecords(hidden: 0).pages(query, visible, limits, store)
              try expectEqual(with, without, "\(query), \(limits)")
            }
          }
        }
      },
      Case("a sorted query looks at so many visible records, and fails with more") { store in
        func found(
          _ limit: Int, _ zone: String? = nil, _ visible: VisibleRecords = .all
        ) async throws -> [String] {
          // No index answers the condition.
          let query = Query(
            recordType: "Trail", filters: [Filter(.notEquals, .field("n"), .int64(-1))],
            sorts: [Sort(.field("n"), ascending: false)])
          return try await store.read { transaction in
            try transaction.queries.matching(
              EngineQuery(
                database: .sample(), zone: zone, query: query, visible: visible, after: nil,
                limit: 9, candidateLimit: 1, sortedLimit: limit))
          }.records.map(\.name)
        }
        try await store.write(in: .database(.sample())) { transaction in
          for zone in [ZoneKey.sample(), .sample("Other")] {
            try transaction.zones.put(Zone(key: zone, incarnation: 1, lastSequence: 1))
          }
          for (number, name) in ["a", "b"].enumerated() {
            try transaction.putNext(name, fields: ["n": .int64(Int64(number))])
          }
          try transaction.putNext("c", in: .sample("Other"), fields: ["n": .int64(2)])
        }
        try expectEqual(try await found(3), ["c", "b", "a"], "as many as it may look at")
        let seen = VisibleRecords.named([ByteText("a")])
        try expectEqual(try await found(1, "Trails", seen), ["a"], "hidden ones count for nothing")
        do {
          _ = try await found(2)
          throw StorageContract.Violation(description: "a third record was looked at")
        } catch let error as BrumeError {
          try expectEqual(error.code, .limitExceeded, "code")
          try expect(error.reason.contains("'Trail'"), "the type is named")
        }
      },
      Case("a query ends when nobody waits for it, and the store goes on") { store in
        try await store.write(in: .database(.sample())) { transaction in
          for name in ["a", "b"] { try transaction.putNext(name, fields: ["n": .int64(1)]) }
        }
        for sorts in [[], [Sort(.field("n"))]] {
          let query = EngineQuery(
            database: .sample(), zone: "Trails",
            query: Query(
              recordType: "Trail", filters: [Filter(.notEquals, .field("n"), .int64(-1))],
              sorts: sorts), after: nil, limit: 9, candidateLimit: 99)
          let asker = Asker()
          let found = Task {
            await asker.waitUntilKnown()
            return try await store.read { transaction in
              asker.giveUp()
              return try transaction.queries.matching(query).records.count
            }
          }
          asker.know(found)
          do {
            let count = try await found.value
            try expect(false, "a cancelled query found \(count) records")
          } catch is CancellationError {}
          let later = try await store.read { try $0.queries.matching(query).records.count }
          try expectEqual(later, 2, "the same query later")
        }
      },
      Case("a page ends when it has so many bytes, and the next goes on there") { store in
        try await store.write(in: .database(.sample())) { transaction in
          for name in ["a", "b", "c"] { try transaction.putNext(name) }
        }
        for sorts in [[], [Sort(.field("n"))]] {
          var position: QueryPosition?
          var pages: [[String]] = []
          repeat {
            let request = EngineQuery(
              database: .sample(), zone: "Trails", query: Query(recordType: "Trail", sorts: sorts),
              after: position, limit: 9, candidateLimit: 99, byteLimit: 1)
            let page = try await store.read { try $0.queries.matching(request) }
            pages.append(page.records.map(\.name))
            position = page.next
          } while position != nil
          try expectEqual(pages, [["a"], ["b"], ["c"]], "pages of one record each")
        }
      },
    ]
    + (1...8).map { seed in
      Case("random queries find what plain evaluation finds, seed \(seed)", isRandom: true) {
        store in
        try await compare(store, seed: UInt64(seed))
      }
    }

  /// 4 states of the store, 60 queries in each.
  private static func compare(_ store: any Store, seed: UInt64) async throws {
    var generator = QueryGenerator(seed: seed)
    for round in 0..<4 {
      for _ in 0..<4 {
        generator = try await store.write(in: .database(.sample())) { [generator] transaction in
          var next = generator
          for _ in 0..<25 { try next.change(transaction) }
          return next
        }
      }
      for number in 0..<60 {
        let query = generator.query()
        let zone =
          generator.random.one(in: 3) ? nil : generator.random.pick(QueryGenerator.zones).name
        let comparison = QueryComparison(
          query: query, zone: zone, limit: 1 + generator.random.next(below: 12),
          records: Array(generator.records.values),
          label: "seed \(seed), round \(round), query \(number)")
        try await comparison.check(store, candidateLimit: .max)
        try await comparison.check(store, candidateLimit: 1 + generator.random.next(below: 9))
        let visible = generator.visible()
        try await comparison.check(store, visible, candidateLimit: .max)
        try await comparison.check(
          store, visible, candidateLimit: 1 + generator.random.next(below: 9))
      }
    }
  }
}

struct QueryComparison: Sendable {
  let query: Query
  /// Nil: all zones.
  let zone: String?
  let limit: Int
  let records: [Record]
  let label: String

  /// Plain evaluation.
  private func expected(_ visible: VisibleRecords) -> [Record] {
    records.filter { record in
      visible.contains(record) && record.type == query.recordType
        && (zone ?? record.zone.name) == record.zone.name
        && Evaluate.matches(query.filters, record, searchable: Self.searchable)
    }
    .sorted { Evaluate.precedes($0, $1, query.sorts) }
  }

  private static let searchable: @Sendable (String) -> Bool = { $0 != "ls" }

  func check(
    _ store: any Store, _ visible: VisibleRecords = .all, candidateLimit: Int
  ) async throws {
    let expected = expected(visible)
    var found: [Record] = []
    var position: QueryPosition?
    var pages = 0
    repeat {
      let page = try await page(store, visible, after: position, candidateLimit)
      found += try page.records.map { try $0.record() }
      position = page.next
      pages += 1
      if candidateLimit == .max || !query.sorts.isEmpty {
        try checkPage(page, found, expected)
      }
      try expect(pages < 500, "\(label): pages without end, \(query)")
    } while position != nil
    try expectEqual(
      found.map(\.place), expected.map(\.place), "\(label), cut at \(candidateLimit), \(query)")
    try expectEqual(found, expected, "\(label): contents")
  }

  /// A page that no candidate limit cut short is full, and says where it ended.
  private func checkPage(
    _ page: EngineQueryPage, _ found: [Record], _ expected: [Record]
  ) throws {
    guard found.count < expected.count else {
      return try expectEqual(page.next, nil, "\(label): position at the end, \(query)")
    }
    try expectEqual(page.records.count, limit, "\(label): records on a page, \(query)")
    let last = expected[found.count - 1]
    try expectEqual(
      page.next, QueryPosition(offset: found.count, zone: last.zone.name, name: last.name),
      "\(label): position, \(query)")
  }

  private func page(
    _ store: any Store, _ visible: VisibleRecords, after: QueryPosition?, _ candidateLimit: Int
  ) async throws -> EngineQueryPage {
    let request = EngineQuery(
      database: .sample(), zone: zone, query: query, visible: visible, after: after, limit: limit,
      candidateLimit: candidateLimit, searchable: Self.searchable)
    return try await store.read { try $0.queries.matching(request) }
  }
}

extension Record {
  fileprivate var place: String { "\(zone.name)/\(name)" }
}

/// Records of a user among those of another, in a database of its own.
private struct HiddenRecords: Sendable {
  static let shown: Set<ByteText> = Set((0..<4).map { ByteText("b\($0)") })
  static let queries: [Query] = [
    Query(recordType: "Trail"),
    Query(recordType: "Trail", filters: [Filter(.equals, .field("n"), .int64(1))]),
    Query(recordType: "Trail", filters: [Filter(.notEquals, .field("n"), .int64(2))]),
    Query(
      recordType: "Trail",
      filters: [
        Filter(
          .in, .system(.recordName),
          .list(
            ["a0", "b0", "b1", "c2"].map { .reference(Reference(recordName: $0)) }, of: .reference))
      ]),
    Query(recordType: "Trail", sorts: [Sort(.field("n"))]),
  ]
  let hidden: Int

  /// Names on each page, where it ended, and what was looked at for it. A name that is asked for leads to its record,
  /// seen or not, so there that is one more if the record is there.
  func pages(
    _ query: Query, _ visible: VisibleRecords, _ limits: (page: Int, candidates: Int),
    _ store: any Store
  ) async throws -> [String] {
    let database = DatabaseKey.sample(owner: "_hidden\(hidden)")
    let zone = ZoneKey(database: database, name: "Trails")
    try await store.write(in: .database(database)) { [hidden] transaction in
      guard try transaction.zones.find(zone) == nil else { return }
      var names = (0..<4).map { ("b\($0)", "_me") }
      for number in 0..<hidden { names += ["a", "b1-", "c"].map { ("\($0)\(number)", "_other") } }
      for (name, creator) in names { try transaction.put(name, by: creator, in: zone) }
      try transaction.zones.put(Zone(key: zone, incarnation: 1, lastSequence: 100))
    }
    var pages: [String] = []
    var position: QueryPosition?
    repeat {
      let request = EngineQuery(
        database: database, zone: "Trails", query: query, visible: visible, after: position,
        limit: limits.page, candidateLimit: limits.candidates)
      let page = try await store.read { try $0.queries.matching(request) }
      position = page.next
      let work = query.filters.contains { $0.field == .system(.recordName) } ? "" : "\(page.work)"
      pages.append("\(page.records.map(\.name)) \(String(describing: position)) \(work)")
    } while position != nil && pages.count < 50
    return pages
  }
}

extension WriteTransaction {
  fileprivate func put(_ name: String, by creator: String, in zone: ZoneKey) throws {
    let sequence = try sequences.next(in: zone.database)
    let stamp = Stamp(time: 1, user: UserID(creator), device: "1")
    try records.put(
      Record(
        name: name, zone: zone.id, type: "Trail", changeTag: ChangeTag.text(sequence),
        fields: ["n": .int64(1)], created: stamp, modified: stamp),
      in: zone, sequence: sequence)
  }
}

/// Who asks a query, and stops waiting for the answer while it is answered.
private final class Asker: Sendable {
  private let task = Mutex<Task<Int, any Error>?>(nil)
  private let (known, isKnown) = AsyncStream.makeStream(of: Void.self)

  func know(_ task: Task<Int, any Error>) {
    self.task.withLock { $0 = task }
    isKnown.finish()
  }

  func waitUntilKnown() async { for await _ in known {} }

  func giveUp() { task.withLock { $0 }?.cancel() }
}
