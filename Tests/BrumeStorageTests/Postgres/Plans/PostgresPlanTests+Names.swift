// Rows in the order of names, which the index of values does not have.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumePostgres

extension PostgresPlanTests {
  /// What a walk in the order of names has found.
  private struct Found: Equatable {
    var with: [String] = []
    var without: [String] = []
  }

  @Test
  func `names that no index has in order are read twice for many pages of records`()
    async throws
  {
    let server = try Self.server.get()
    let url = try server.emptySchema() + "%20-cauto_explain.log_min_duration%3D0"
    let store = try PostgresStore.forTest(url: url, writers: 1, readers: 1)
    try await Self.fill(store)
    let log = try await server.perform(.log)
    let before = try Self.size(of: log)
    let found = try await store.read { try Self.found(#require($0 as? PostgresTransaction)) }
    // The last statement is logged when its transaction has ended, for which the next question waits.
    _ = try await store.read { try $0.sequences.last(in: .sample()) }
    #expect(found.with == (0..<30).map { "r\(100 + 2 * $0)" })
    #expect(found.without == (0..<30).map { "r\(101 + 2 * $0)" })
    let statements = try ExplainedStatement.all(in: Self.text(of: log, after: before))
    #expect(statements.count { $0.text.contains("SELECT DISTINCT name") } == 2)
    #expect(statements.count { $0.text.contains("EXCEPT SELECT name") } == 2)
    // Of 22 names each, eight at a time.
    #expect(statements.count { $0.text.contains("WITH ORDINALITY AS found") } == 6)
    for statement in statements where statement.text != Self.keysText {
      #expect(statement.faults == [], "\(statement.text)")
    }
    try await store.close()
  }

  @Test func `records come in pages of so many bytes, and one in any case`() async throws {
    let store = try PostgresStore.forTest(
      url: Self.server.get().emptySchema(), writers: 1, readers: 1)
    try await Self.fill(store)
    for (bytes, exchanges) in [(0, 6), (1, 6), (1 << 20, 1)] {
      let found = try await store.read { transaction in
        let reader = try #require(transaction as? PostgresTransaction)
        return try Self.foundByType(reader, bytes) { store.exchanges }
      }
      #expect(found.names == (155..<160).map { "r\($0)" })
      #expect(found.exchanges == exchanges, "\(bytes) bytes")
    }
    try await store.close()
  }

  @Test func `behind a page that its bytes ended fewer rows are found`() async throws {
    let server = try Self.server.get()
    let url = try server.emptySchema() + "%20-cauto_explain.log_min_duration%3D0"
    let store = try PostgresStore.forTest(url: url, writers: 1, readers: 1)
    try await Self.fill(store)
    let log = try await server.perform(.log)
    let before = try Self.size(of: log)
    let found = try await store.read { transaction in
      let reader = try #require(transaction as? PostgresTransaction)
      return try Self.foundByType(reader, 0, after: "", pageSize: 16) { store.exchanges }
    }
    _ = try await store.read { try $0.sequences.last(in: .sample()) }
    #expect(found.names == (100..<160).map { "r\($0)" })
    #expect(found.exchanges == 61)
    let statements = try ExplainedStatement.all(in: Self.text(of: log, after: before))
      .filter { $0.text.contains("octet_length") && !$0.text.contains("index") }
    let parts = statements.flatMap(\.root.all).filter { $0.relation == "records" }
    // Of 60 pages the first looks at 16 names and at their records, the others at two.
    #expect(statements.count >= 60)
    #expect(parts.reduce(0) { $0 + $1.read } < 600)
    try await store.close()
  }

  @Test func `a page of a database's changes reads as many zones as it has`() async throws {
    let server = try Self.server.get()
    let url = try server.emptySchema() + "%20-cauto_explain.log_min_duration%3D0"
    let store = try PostgresStore.forTest(url: url, writers: 1, readers: 1)
    try await store.write(in: .database(.sample())) { transaction in
      for number in 1...600 {
        try transaction.zones.put(
          Zone(
            key: .sample("Z\(number)"), incarnation: 1, lastSequence: Int64(number),
            deletion: .deleted))
      }
    }
    let log = try await server.perform(.log)
    let before = try Self.size(of: log)
    let names = try await store.read {
      try $0.zones.changed(in: .sample(), after: 300, limit: 3).map(\.key.name)
    }
    _ = try await store.read { try $0.sequences.last(in: .sample()) }
    #expect(names == ["Z301", "Z302", "Z303"])
    let statements = try ExplainedStatement.all(in: Self.text(of: log, after: before))
      .filter { $0.text.contains("last_sequence > ") }
    #expect(statements.count == 1)
    #expect(statements.flatMap(\.root.all).allSatisfy { $0.read < 100 })
    try await store.close()
  }

  private static func foundByType(
    _ reader: PostgresTransaction, _ bytes: Int, after: String = "r154", pageSize: Int = 256,
    _ exchanges: () -> Int
  ) throws -> (names: [String], exchanges: Int) {
    var rows = try #require(reader.queries.rows(.sample()).index as? IndexRows)
    (rows.pageBytes, rows.pageSize) = (bytes, pageSize)
    let zone = try #require(try reader.session.first(keys, []) { $0.integer(0) })
    let before = exchanges()
    var names: [String] = []
    try rows.each(ofType: "Trail", in: zone, after: after, RowNeeds()) { row in
      names.append(row.name)
      return row.stored != nil
    }
    return (names, exchanges() - before)
  }

  /// Every second record has the field.
  private static func fill(_ store: PostgresStore) async throws {
    try await store.write(in: .database(.sample())) { transaction in
      try transaction.zones.put(Zone(key: .sample(), incarnation: 1, lastSequence: 0))
      for number in 0..<60 {
        let fields: [String: FieldValue] = number % 2 == 0 ? ["n": .int64(Int64(number))] : [:]
        try transaction.putNext("r\(100 + number)", fields: fields)
      }
    }
    let sorted = EngineQuery(
      database: .sample(), zone: "Trails",
      query: Query(recordType: "Trail", sorts: [Sort(.field("n"))]), after: nil, limit: 10,
      candidateLimit: .max)
    // It asks for the index.
    _ = try await store.read { try $0.queries.matching(sorted).records.count }
    // A read's last statement may be logged after its answer; the next question waits for that.
    _ = try await store.read { try $0.sequences.last(in: .sample()) }
  }

  private static func found(_ reader: PostgresTransaction) throws -> Found {
    var rows = try #require(reader.queries.rows(.sample()).index as? IndexRows)
    rows.pageSize = 8
    let key = try #require(
      try reader.session.first(keys, []) { row in
        (
          zone: row.integer(0),
          key: IndexKey(id: row.integer(1), kind: .number, isSparse: true, isCut: false)
        )
      })
    var found = Found()
    let range = ValueRange.between(lower: .init(value: .int(-1), isIncluded: false), upper: nil)
    try rows.each(ZonePlan.Rows(key: key.key, range: range), after: nil, RowNeeds()) { row in
      found.with.append(row.name)
      return row.stored != nil
    }
    try rows.each(ofType: "Trail", in: key.zone, without: key.key, RowNeeds()) { row in
      found.without.append(row.name)
      return row.stored != nil
    }
    return found
  }
  private static let keysText = "SELECT zone, id FROM index_keys"
  private static let keys = SQL(keysText)
}
