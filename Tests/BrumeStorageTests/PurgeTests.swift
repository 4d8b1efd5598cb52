// An operator purges a default zone, which stays, while its user saves.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@Suite struct PurgeTests {
  private static let zone = ZoneID(name: ZoneID.defaultName)

  private func purge(_ server: CascadeServer) async throws {
    try await server.engine.zoneAdministration.purge(
      Self.zone.name, of: try #require(server.alice.user), in: server.alice.containerEnvironment)
  }

  private func rows(_ server: CascadeServer) async throws -> Int {
    let database = try server.alice.databaseKey(.private)
    return try await server.store.read {
      try $0.changes.page(
        in: ZoneKey(database: database, name: Self.zone.name), after: 0, through: .max,
        limit: 2 * CascadeServer.holders
      ).count
    }
  }

  @Test(arguments: [StoreEngine.memoryTwice, .sqlite])
  func
    `ZON-12 a purge takes what came since it looked, so that nothing stays without what it goes with`(
      engine: StoreEngine
    ) async throws
  {
    let folder = try TemporaryFolder()
    let store = try engine.open(folder)
    let server = try await CascadeServer(store, in: Self.zone)
    try await purge(server)
    #expect(try await rows(server) == 0, "more than one step removes")
    try await server.save([.create("parent")], Self.zone)
    server.store.overtake {
      try await server.save([CascadeServer.hold("late", of: "parent")], Self.zone)
    }
    try await purge(server)
    #expect(try await rows(server) == 0)
    try await server.save([.create("after")], Self.zone)
    #expect(try await rows(server) == 1)
    try await store.close()
  }
}
