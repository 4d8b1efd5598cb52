// One schema for all owners of a container: what saves of two of them bring at once, on every engine.

import BrumeCore
import BrumeModel
import BrumeSchema
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumePostgres

@Suite struct SchemaGrowthTests {
  enum Engine: String, CaseIterable, Sendable { case memory, sqlite, postgres }

  /// Alice and Bob call two servers of one store, so that neither knows what the other has read of the schema.
  private struct Fixture {
    let store: any Store
    let folder: TemporaryFolder
    let servers: [TestServer]
    let owners: [Caller]

    init(_ engine: Engine) async throws {
      folder = try TemporaryFolder()
      let store: any Store =
        switch engine {
        case .memory: MemoryStore(coders: .wireForm, runsTwice: true)
        case .sqlite: try folder.openSQLite()
        case .postgres: try PostgresStore.forTest(buckets: 16)
        }
      self.store = store
      let first = try await TestServer(store: store, seed: 1)
      let second = try await TestServer(store: store, seed: 2)
      servers = [first, second]
      owners = [
        try await first.device("phone", of: "alice"), try await second.device("phone", of: "bob"),
      ]
    }

    /// Saves a record of one type with one field, as the owner of a number.
    func save(_ field: String, by number: Int) async throws {
      let draft = RecordDraft(
        name: field, type: "Hike", fields: [field: DraftField(.int64(Int64(number)))])
      let results = try await servers[number].engine.records.modify(
        .init(zone: ZoneID(name: ZoneID.defaultName), operations: [.init(.create, draft)]),
        in: .private, as: owners[number])
      _ = try #require(results.first).get()
    }
  }

  @Test(arguments: Engine.allCases)
  func `two owners bring a new field each at the same time, and the schema learns both`(
    engine: Engine
  ) async throws {
    let fixture = try await Fixture(engine)
    let rounds = 0..<20
    for round in rounds {
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        for number in fixture.owners.indices {
          tasks.addTask(operation: {
            try await fixture.save("f\(round)_\(number)", by: number)
          })
        }
        try await tasks.waitForAll()
      }
    }
    let schema = try await fixture.servers[0].engine.schemas.current(
      of: fixture.owners[0].containerEnvironment)
    let learned = try #require(schema.recordTypes["Hike"]).fields.filter {
      $0.key.hasPrefix("f")
    }
    #expect(Set(learned.keys) == Set(rounds.flatMap { ["f\($0)_0", "f\($0)_1"] }))
    #expect(learned.values.allSatisfy { $0.type == .int64 })
    try await fixture.store.close()
  }
}
