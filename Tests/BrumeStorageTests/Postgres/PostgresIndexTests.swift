// Indexes that queries build themselves, on PostgreSQL.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumePostgres

@Suite struct PostgresIndexTests {
  private static func query(_ type: String) -> EngineQuery {
    EngineQuery(
      database: .sample(), zone: "Trails",
      query: Query(recordType: type, filters: [Filter(.equals, .field("n"), .int64(1))]),
      after: nil, limit: 1000, candidateLimit: .max)
  }

  private func count(_ type: String, in store: PostgresStore) async throws -> Int {
    try await store.read { try $0.queries.matching(Self.query(type)).records.count }
  }

  private func fill(_ store: PostgresStore) async throws {
    try await store.write(in: .database(.sample())) { transaction in
      for number in 0..<300 {
        try transaction.putNext("b\(number)", type: "Big", fields: ["n": .int64(1)])
      }
      try transaction.putNext("s", type: "Small", fields: ["n": .int64(1)])
      let last = try transaction.sequences.last(in: .sample())
      try transaction.zones.put(Zone(key: .sample(), incarnation: 1, lastSequence: last))
    }
  }

  /// What a query leaves that was given up after one step.
  private func begin(_ type: String, in store: PostgresStore) async throws {
    try await store.write(in: .database(.sample())) { transaction in
      let writer = try #require(transaction as? PostgresTransaction)
      let zone = try writer.session.first(SQL("SELECT id FROM zones")) { $0.integer(0) }
      var wanted = IndexWanted(for: Self.query(type))
      wanted.look(at: TypeKeys(), inZone: try #require(zone))
      let build = writer.indexes[DatabaseKey.sample()].indexBuild
      try build.want(wanted)
      _ = try build.advance(for: wanted, limit: 10)
    }
  }

  @Test func `a query builds its own index, and leaves what others asked for to them`()
    async throws
  {
    let store = try PostgresStore.forTest()
    try await fill(store)
    try await begin("Big", in: store)
    #expect(try await count("Small", in: store) == 1)
    #expect(store.indexProgress == IndexProgress(fields: 1, records: 1))
    #expect(try await count("Big", in: store) == 300)
    #expect(store.indexProgress == IndexProgress(fields: 0, records: 291))
    try await store.close()
  }
}
