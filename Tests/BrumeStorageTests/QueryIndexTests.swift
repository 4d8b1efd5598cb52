// What the query index is for: that a search looks at few records. What it finds is the contract's.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Foundation
import Logging
import Synchronization
import Testing

@testable import BrumeSQLite

@Suite struct QueryIndexTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  /// Counts the records that were decoded.
  private final class Looks: Sendable {
    private let count = Mutex(0)

    func store(_ folder: TemporaryFolder, fewCandidates: Int = 1000) throws -> SQLiteStore {
      let wire = StoreCoders.wireForm
      let record = RecordCoder(encode: wire.record.encode) { bytes in
        self.count.withLock { $0 += 1 }
        return try wire.record.decode(bytes)
      }
      return try SQLiteStore(
        folder: folder.path + "/data",
        coders: StoreCoders(
          record: record, encodeSubscription: wire.encodeSubscription,
          decodeSubscription: wire.decodeSubscription), fewCandidates: fewCandidates,
        runID: UUID().uuidString, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// How many were decoded since the last time.
    func taken() -> Int {
      count.withLock { count in
        defer { count = 0 }
        return count
      }
    }
  }

  private static let records = 3000

  /// A place every hundredth of a degree along the equator, and a text for each.
  private func fill(_ store: SQLiteStore) async throws {
    try await store.write(in: .database(.sample())) { transaction in
      try transaction.zones.put(Zone(key: .sample(), incarnation: 1, lastSequence: 0))
      for number in 0..<Self.records {
        let word = number % 1000 == 0 ? "summit" : "valley"
        try transaction.putNext(
          "r\(number)",
          fields: [
            "s": .string("A \(word), number \(number)"),
            "p": .location(Location(latitude: 0, longitude: Double(number) / 100)),
          ])
      }
    }
  }

  private func query(_ query: Query, limit: Int = 10) -> EngineQuery {
    EngineQuery(
      database: .sample(), zone: "Trails", query: query, after: nil, limit: limit,
      candidateLimit: .max, searchable: { $0 == "s" })
  }

  private func names(_ query: EngineQuery, in store: SQLiteStore) async throws -> [String] {
    try await store.read { try $0.queries.matching(query).records.map(\.name) }
  }

  @Test(arguments: [
    Filter(.containsAllTokens, .field("s"), .string("Summit number")),
    Filter(.containsAnyTokens, .field("s"), .string("summit peak")),
    Filter(.containsAllTokens, nil, .string("SUMMIT")),
  ])
  func `a search for words looks at the records that have the rarest`(filter: Filter) async throws {
    let looks = Looks()
    let store = try looks.store(folder)
    try await fill(store)
    let search = query(Query(recordType: "Trail", filters: [filter]))
    // The first search asks for the index and waits for it.
    #expect(try await names(search, in: store) == ["r0", "r1000", "r2000"])
    _ = looks.taken()
    #expect(try await names(search, in: store) == ["r0", "r1000", "r2000"])
    #expect(looks.taken() == 3)
    // A save keeps it: what it no longer says is not found.
    try await store.write(in: .database(.sample())) { transaction in
      try transaction.putNext("r1000", fields: ["s": .string("A lake")])
      try transaction.putNext("r7", fields: ["s": .string("The summit, number 7")])
    }
    #expect(try await names(search, in: store) == ["r0", "r2000", "r7"])
    try await store.close()
  }

  @Test func `a search for words takes its candidates from the index`() async throws {
    let store = try folder.openSQLite()
    try await fill(store)
    let search = query(
      Query(
        recordType: "Trail",
        filters: [Filter(.containsAllTokens, .field("s"), .string("summit number"))]))
    _ = try await names(search, in: store)
    try await store.read { transaction in
      let reader = try #require(transaction as? SQLiteTransaction)
      let zone = try #require(
        try reader.numbers.number(of: ZoneKey(database: .sample(), name: "Trails")))
      let plan = try #require(try reader.queries.run(search).plan(in: zone))
      guard case .index(let rows) = plan.source else {
        Issue.record("the plan looks at every record")
        return
      }
      // Of the two words, the one that three records have.
      #expect(rows.range == .oneOf([.text("summit"), .text("")]))
      #expect(plan.residual == search.query.filters)
    }
    try await store.close()
  }

  @Test(arguments: [true, false])
  func `the nearest and the farthest are found without a look at all`(ascending: Bool) async throws
  {
    let looks = Looks()
    let store = try looks.store(folder)
    try await fill(store)
    let centre = Location(latitude: 0, longitude: 10.002)
    let search = query(
      Query(
        recordType: "Trail",
        sorts: [Sort(.field("p"), ascending: ascending, relativeLocation: centre)]), limit: 4)
    let expected =
      ascending ? ["r1000", "r1001", "r999", "r1002"] : ["r2999", "r2998", "r2997", "r2996"]
    #expect(try await names(search, in: store) == expected)
    _ = looks.taken()
    #expect(try await names(search, in: store) == expected)
    #expect(looks.taken() < 150)
    try await store.close()
  }

  @Test func `a circle ends the search for the nearest`() async throws {
    let looks = Looks()
    let store = try looks.store(folder, fewCandidates: 0)
    try await fill(store)
    let centre = Location(latitude: 0, longitude: 10)
    let near = Filter(.near, .field("p"), .location(centre), distance: 120_000)
    let search = query(
      Query(
        recordType: "Trail", filters: [near],
        sorts: [Sort(.field("p"), relativeLocation: centre)]), limit: 500)
    #expect(try await names(search, in: store).count == 215)
    _ = looks.taken()
    #expect(try await names(search, in: store).count == 215)
    #expect(looks.taken() < 500)
    try await store.close()
  }
}
