// Queries: every engine finds what evaluating every record finds, in the same order, cut into the
// same pages.

import BrumeModel
import BrumePredicate
import BrumeStorage

extension StorageContract {
  static let queries: [Case] =
    [
      Case("pages go on where the last ended, whatever was written between") { store in
        try await store.write(in: .sample()) { transaction in
          for name in ["a", "c", "e", "g"] { try transaction.putNext(name) }
        }
        func page(_ after: QueryPosition?) async throws -> EngineQueryPage {
          try await store.read { transaction in
            try transaction.matching(
              EngineQuery(
                database: .sample(), zone: "Trails", query: Query(recordType: "Trail"),
                after: after, limit: 2, candidateLimit: 99))
          }
        }
        let first = try await page(nil)
        try expectEqual(first.records.map(\.name), ["a", "c"], "first page")
        try expectEqual(first.next, QueryPosition(offset: 2, zone: "Trails", name: "c"), "position")
        try await store.write(in: .sample()) { transaction in
          for name in ["b", "d"] { try transaction.putNext(name) }
        }
        let second = try await page(first.next)
        try expectEqual(second.records.map(\.name), ["d", "e"], "second page")
        let third = try await page(second.next)
        try expectEqual(third.records.map(\.name), ["g"], "third page")
        try expectEqual(third.next, nil, "end")
      },
      Case("a query of an unknown type, zone or database finds nothing") { store in
        try await store.write(in: .sample()) { try $0.putNext("a") }
        for (database, zone, type) in [
          (DatabaseKey.sample(), "Trails", "Hut"), (.sample(), "Unknown", "Trail"),
          (.sample(owner: "_x"), nil as String?, "Trail"),
        ] {
          for sorts in [[], [Sort(.field("n"))]] {
            let page = try await store.read { transaction in
              try transaction.matching(
                EngineQuery(
                  database: database, zone: zone, query: Query(recordType: type, sorts: sorts),
                  after: nil, limit: 9, candidateLimit: 99))
            }
            try expectEqual(page.records.map(\.name), [], "records")
            try expectEqual(page.next, nil, "position")
          }
        }
      },
    ]
    + (1...8).map { seed in
      Case("random queries find what plain evaluation finds, seed \(seed)") { store in
        try await compare(store, seed: UInt64(seed))
      }
    }

  /// 4 states of the store, 60 queries in each.
  private static func compare(_ store: any Store, seed: UInt64) async throws {
    var world = QueryWorld(seed: seed)
    for round in 0..<4 {
      for _ in 0..<4 {
        world = try await store.write(in: .sample()) { [world] transaction in
          var next = world
          for _ in 0..<25 { try next.change(transaction) }
          return next
        }
      }
      for number in 0..<60 {
        let query = world.query()
        let zone = world.random.one(in: 3) ? nil : world.random.pick(QueryWorld.zones).name
        let comparison = QueryComparison(
          query: query, zone: zone, limit: 1 + world.random.next(below: 12),
          records: Array(world.records.values),
          label: "seed \(seed), round \(round), query \(number)")
        try await comparison.check(store, candidateLimit: .max)
        try await comparison.check(store, candidateLimit: 1 + world.random.next(below: 9))
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
  private var expected: [Record] {
    records.filter { record in
      record.type == query.recordType && (zone ?? record.zone.name) == record.zone.name
        && Evaluate.matches(query.filters, record, searchable: Self.searchable)
    }
    .sorted { Evaluate.precedes($0, $1, query.sorts) }
  }

  private static let searchable: @Sendable (String) -> Bool = { $0 != "ls" }

  func check(_ store: any Store, candidateLimit: Int) async throws {
    let expected = expected
    var found: [Record] = []
    var position: QueryPosition?
    var pages = 0
    repeat {
      let page = try await page(store, after: position, candidateLimit)
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
    _ store: any Store, after: QueryPosition?, _ candidateLimit: Int
  ) async throws -> EngineQueryPage {
    let request = EngineQuery(
      database: .sample(), zone: zone, query: query, after: after, limit: limit,
      candidateLimit: candidateLimit, searchable: Self.searchable)
    return try await store.read { try $0.matching(request) }
  }
}

extension Record {
  fileprivate var place: String { "\(zone.name)/\(name)" }
}
