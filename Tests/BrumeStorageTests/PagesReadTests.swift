// How many pages of the file a query reads. That is what it costs on a large zone, and it is the same on
// every machine.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeSQLite

@Suite struct PagesReadTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private static let records = 8000
  private static func query(_ value: Int64) -> EngineQuery {
    EngineQuery(
      database: .sample(), zone: "Trails",
      query: Query(recordType: "Trail", filters: [Filter(.equals, .field("n"), .int64(value))]),
      after: nil, limit: 50, candidateLimit: .max)
  }

  /// Records of about 1 KB with names in no order, so that no two matches share a page.
  private func fill() async throws {
    let store = try folder.openSQLite()
    try await store.write(in: .database(.sample())) { transaction in
      try transaction.zones.put(Zone(key: .sample(), incarnation: 1, lastSequence: 0))
      var random = SeededRandom(seed: 11)
      for number in 0..<Self.records {
        try transaction.putNext(
          "\(random.next())-\(random.next())",
          fields: [
            "n": .int64(Int64(number % 40)), "b": .bytes(Array(repeating: 1, count: 700)),
          ])
      }
    }
    // The first query asks for the index and waits for it.
    _ = try await store.read { try $0.queries.matching(Self.query(7)) }
    try await store.close()
  }

  @Test func `an equality reads little more than one page for each record of its answer`()
    async throws
  {
    try await fill()
    let store = try folder.openSQLite()
    let (found, pages) = try await store.read { transaction in
      let connection = try #require(transaction as? SQLiteTransaction).connection
      // What leads to the pages of records is in memory after some queries.
      for value in 20..<24 { _ = try transaction.queries.matching(Self.query(Int64(value))) }
      let before = connection.pagesRead
      let found = try transaction.queries.matching(Self.query(7)).records.count
      return (found, connection.pagesRead - before)
    }
    #expect(found == 50)
    // Those of the records and one or two of the index.
    #expect(pages <= 60, "\(pages) pages")
    try await store.close()
  }
}
