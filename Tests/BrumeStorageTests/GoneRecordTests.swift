// Many rows of the query index go later, step by step: answers are right all the while, `brume doctor --deep` finds nothing
// between the steps, and the next process goes on where the last one ended.

import BrumeCore
import BrumeModel
import BrumeQueryPlan
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeSQLite

@Suite struct GoneRecordTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private static let large = 2 * IndexDelay.bytesAtOnce / 8

  private static func list(from first: Int, _ count: Int = large) -> [String: FieldValue] {
    ["n": .list((first..<first + count).map { .int64(Int64($0)) }, of: .int64)]
  }

  /// The names of records whose list has the number.
  private func names(with number: Int, _ store: SQLiteStore) async throws -> [String] {
    let query = EngineQuery(
      database: .sample(), zone: "Trails",
      query: Query(
        recordType: "Trail", filters: [Filter(.listContains, .field("n"), .int64(Int64(number)))]),
      after: nil, limit: 99, candidateLimit: .max)
    return try await store.read { try $0.queries.matching(query).records.map(\.name) }
  }

  private func save(
    _ names: [String], from first: Int, in store: SQLiteStore, _ count: Int = large
  ) async throws {
    try await store.write(in: .database(.sample())) { transaction in
      for name in names { try transaction.putNext(name, fields: Self.list(from: first, count)) }
      try Self.putZone(transaction)
    }
  }

  private func remove(_ names: [String], in store: SQLiteStore) async throws {
    try await store.write(in: .database(.sample())) { transaction in
      for name in names {
        try transaction.records.remove(
          RecordKey(zone: .sample(), name: name), type: "Trail",
          sequence: try transaction.sequences.next(in: .sample()))
      }
      try Self.putZone(transaction)
    }
  }

  private static func putZone(
    _ transaction: any WriteTransaction, _ deletion: Zone.Deletion? = nil
  ) throws {
    try transaction.zones.put(
      Zone(
        key: .sample(), incarnation: 1, lastSequence: transaction.sequences.last(in: .sample()),
        deletion: deletion))
  }

  private func count(_ table: String, _ store: SQLiteStore) async throws -> Int {
    try await store.onWriter { connection in
      var count = 0
      try connection.each(composed: "SELECT count(*) FROM \(table)") { row in
        count = Int(row.int(0))
        return true
      }
      return count
    }
  }

  /// A store whose index has all of three large records.
  private func filled() async throws -> SQLiteStore {
    let store = try folder.openSQLite(growsIndexes: false)
    try await save(["a", "b", "c"], from: 0, in: store)
    #expect(try await names(with: 7, store) == ["a", "b", "c"])
    while try await store.buildIndexes(400) {}
    #expect(try await count("query_index", store) == 3 * Self.large)
    return store
  }

  /// Closes the store, reads all of it, and opens it again.
  private func inspected(_ store: SQLiteStore) async throws -> SQLiteStore {
    try await store.close()
    let inspection = try SQLiteInspection(folder: folder.path + "/data", coders: .wireForm).run()
    #expect(inspection.findings == [])
    return try folder.openSQLite(growsIndexes: false)
  }

  @Test func `many rows go later, in whichever process, and no query finds what is gone`()
    async throws
  {
    var store = try await filled()
    try await remove(["a", "b"], in: store)
    #expect(try await count("gone_records", store) == 2)
    #expect(try await count("query_index", store) == 3 * Self.large)
    repeat {
      #expect(try await names(with: 7, store) == ["c"])
      store = try await inspected(store)
    } while try await store.buildIndexes(400)
    #expect(try await count("gone_records", store) == 0)
    #expect(try await count("query_index", store) == Self.large)
    #expect(try await names(with: 7, store) == ["c"])
    try await store.close()
  }

  @Test func `a record is made again and changed while its old rows are still there`() async throws
  {
    var store = try await filled()
    try await remove(["a", "b"], in: store)
    try await save(["a"], from: 100_000, in: store, 3)
    try await save(["c"], from: 200_000, in: store)
    repeat {
      #expect(try await names(with: 7, store) == [])
      #expect(try await names(with: 100_001, store) == ["a"])
      #expect(try await names(with: 200_001, store) == ["c"])
      store = try await inspected(store)
    } while try await store.buildIndexes(400)
    #expect(try await count("query_index", store) == Self.large + 3)
    #expect(try await count("gone_records", store) == 0)
    try await store.close()
  }

  @Test func `the index thread takes away what is gone, and who queries waits for it`() async throws
  {
    try await filled().close()
    let store = try folder.openSQLite()
    try await remove(["a", "b"], in: store)
    #expect(try await names(with: 7, store) == ["c"])
    #expect(try await count("gone_records", store) == 0)
    #expect(try await count("query_index", store) == Self.large)
    try await store.close()
  }

  @Test func `words of large texts come and go beside the writes of others`() async throws {
    var store = try folder.openSQLite()
    let many = (0..<15_000).map { "w\($0)" }.joined(separator: " ")
    for (text, found) in [("x", []), (many, ["a"]), ("w7 x", ["a"]), (many, ["a"]), ("x", [])] {
      try await store.write(in: .database(.sample())) {
        try $0.putNext("a", fields: ["text": .string(text)])
        try Self.putZone($0)
      }
      let query = EngineQuery(
        database: .sample(), zone: "Trails",
        query: Query(
          recordType: "Trail",
          filters: [Filter(.containsAllTokens, .field("text"), .string("w7"))]),
        after: nil, limit: 9, candidateLimit: .max)
      let names = try await store.read { try $0.queries.matching(query).records.map(\.name) }
      #expect(names == found)
    }
    #expect(try await count("gone_records", store) == 0)
    #expect(try await count("query_index", store) == 1)
    store = try await inspected(store)
    try await store.close()
  }

  @Test func `a note that is damaged is said, and its type is evaluated record by record`()
    async throws
  {
    let store = try await filled()
    try await remove(["a", "b"], in: store)
    try await store.onWriter { try $0.run(SQL("UPDATE gone_records SET row = row + 1")) }
    await #expect(throws: BrumeError.self) { try await store.buildIndexes(400) }
    #expect(try await names(with: 7, store) == ["c"])
    #expect(store.damagedRows?.reads ?? 0 > 0)
    try await store.close()
  }

  @Test func `the index of a deleted zone goes in pieces, with what was to go from it later`()
    async throws
  {
    var store = try await filled()
    try await remove(["a"], in: store)
    try await store.write(in: .database(.sample())) { try Self.putZone($0, .deleted) }
    var (pieces, piece) = (0, Int?.none)
    while piece == nil {
      piece = try await store.write(in: .database(.sample())) {
        try $0.records.removeIndex(of: .sample(), limit: Self.large)
      }
      pieces += 1
      store = try await inspected(store)
      #expect(try await !store.buildIndexes(400), "nothing is built in a zone that is gone")
    }
    #expect(pieces == 3 && piece == Self.large)
    for table in ["query_index", "index_keys", "wanted_fields", "gone_records"] {
      #expect(try await count(table, store) == 0, "\(table)")
    }
    let unfinished = try await store.read { try $0.zones.unfinishedDeletions(limit: 9) }
    #expect(unfinished == [.sample()], "its records are left")
    try await store.close()
  }

  @Test func `ZON-12 a purge of a default zone leaves rows of large lists to the steps`()
    async throws
  {
    let server = try await TestServer(store: try folder.openSQLite(growsIndexes: false))
    let alice = try await server.device(of: "alice")
    let zone = ZoneID(name: ZoneID.defaultName)
    func save(_ name: String) async throws {
      let request = ModifyRecordsRequest(
        zone: zone, operations: [.create(name, Self.list(from: 0), type: "Trail")])
      let results = try await server.engine.records.modify(request, in: .private, as: alice)
      for result in results { _ = try result.get() }
    }
    for name in ["a", "b", "c"] { try await save(name) }
    let filter = Filter(.listContains, .field("n"), .int64(7))
    func found() async throws -> [String] {
      let request = QueryRequest(query: Query(recordType: "Trail", filters: [filter]), zone: zone)
      let page = try await server.engine.queries.run(request, in: .private, as: alice)
      return page.records.map(\.name).sorted()
    }
    #expect(try await found() == ["a", "b", "c"])
    var store = try #require(server.store as? SQLiteStore)
    while try await store.buildIndexes(400) {}
    #expect(try await count("query_index", store) == 3 * Self.large)
    try await server.engine.zoneAdministration.purge(
      zone.name, of: try #require(alice.user), in: alice.containerEnvironment)
    #expect(try await count("records", store) == 0)
    #expect(try await count("gone_records", store) == 3)
    #expect(try await count("query_index", store) == 3 * Self.large)
    // It takes a number that is free again.
    try await save("d")
    #expect(try await found() == ["d"])
    store = try await inspected(store)
    while try await store.buildIndexes(400) {}
    #expect(try await count("gone_records", store) == 0)
    #expect(try await count("query_index", store) == Self.large)
    store = try await inspected(store)
    try await store.close()
  }

  @Test func `a deleted zone of which nothing but rows of the index is left is found`() async throws
  {
    let store = try await filled()
    try await store.write(in: .database(.sample())) { try Self.putZone($0, .deleted) }
    try await store.onWriter { try $0.run(SQL("DELETE FROM records")) }
    let unfinished = try await store.read { try $0.zones.unfinishedDeletions(limit: 9) }
    #expect(unfinished == [.sample()])
    try await store.write(in: .database(.sample())) { try $0.records.removeAll(in: .sample()) }
    #expect(try await store.read { try $0.zones.unfinishedDeletions(limit: 9) } == [])
    try await store.close()
  }
}
