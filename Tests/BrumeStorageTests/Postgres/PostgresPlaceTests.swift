// Where a store's tables are, and databases that cannot hold one.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Foundation
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(2)))
struct PostgresPlaceTests {
  @Test func `a store in a later schema of the search path is not taken for one's own`()
    async throws
  {
    let server = try PostgresServer.shared.get()
    let (first, later) = (try server.emptySchema(), try server.emptySchema())
    try await PostgresStore.forTest(url: later).close()
    let both = first + "%2C" + Self.schema(of: later)
    #expect(try Self.refusal(both).contains("a table 'store' is in a later one"))
    // Beside one of its own it is nobody's business.
    try await PostgresStore.forTest(url: first).close()
    try await PostgresStore.forTest(url: both).close()
    #expect(try Self.checkup(both, "tables").isWell)
  }

  @Test func `a database that does not have all letters is refused, and the checkup names it`()
    throws
  {
    let server = try PostgresServer.shared.get()
    let name = "latin_\(UUID().uuidString.prefix(8).lowercased())"
    try server.run(
      "CREATE DATABASE \(name) ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    let url = server.url.replacing("/postgres", with: "/\(name)")
    #expect(url != server.url)
    #expect(try Self.refusal(url).contains("encoding is LATIN1"))
    #expect(try !Self.checkup(url, "encoding").isWell)
  }

  @Test func `an inspection of a database that no server has opened says what to do`() throws {
    let url = try PostgresServer.shared.get().emptySchema()
    let error = try #require(throws: StoreError.self) {
      _ = try PostgresInspection(url: url, coders: .wireForm).run()
    }
    #expect(error.description.contains("start its server once"), "\(error)")
  }

  @Test func `the doctor counts connections for all servers that are there`() async throws {
    let url = try PostgresServer.shared.get().emptySchema()
    let store = try PostgresStore.forTest(url: url)
    #expect(try Self.checkup(url, "connections").isWell)
    let connection = try Connection(try ConnectionSettings(url))
    try connection.send(
      SQL(
        "INSERT INTO nodes (name, seen, files) SELECT 'n' || n, now(), '' FROM generate_series(1, 100) n"
      ),
      [])
    _ = try connection.exchange()
    let finding = try Self.checkup(url, "connections")
    #expect(
      !finding.isWell && finding.text.contains("there are 101 servers now"), "\(finding.text)")
    try await store.close()
  }

  @Test func `a store has one name for its server and for the doctor, and no other store has it`()
    async throws
  {
    let server = try PostgresServer.shared.get()
    var found: [String] = []
    for seed in [1, 2] as [UInt64] {
      let url = try server.emptySchema()
      let store = try PostgresStore.forTest(url: url)
      let checkup = try PostgresCheckup(url: url, now: { 0 }, nanoseconds: { 0 })
      #expect(try checkup.storeID() == nil, "no server has begun with it")
      _ = try await Engine(
        store: store, assets: MemoryAssetStore(), limits: .apple,
        host: .test(clock: ManualClock(), seed: seed))
      let id = try #require(try await store.read { try $0.storeID() })
      #expect(try checkup.storeID() == id)
      found.append(id)
      try await store.close()
    }
    #expect(Set(found).count == 2 && found.allSatisfy { $0.count == 16 }, "\(found)")
  }

  private static func schema(of url: String) -> String {
    String(url.split(separator: "%3D").last ?? "")
  }

  private static func refusal(_ url: String) throws -> String {
    let error = #expect(throws: StoreError.self) { _ = try PostgresStore.forTest(url: url) }
    return error?.description ?? ""
  }

  private static func checkup(_ url: String, _ subject: String) throws -> PostgresCheckup.Finding {
    let checkup = try PostgresCheckup(url: url, now: { 0 }, nanoseconds: { 0 })
    return try #require(try checkup.findings().first { $0.subject == subject })
  }
}
