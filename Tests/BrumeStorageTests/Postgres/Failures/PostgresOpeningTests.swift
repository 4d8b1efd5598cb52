// Which error an operator gets whose database will not do.

import BrumeStorage
import BrumeTestKit
import Foundation
import Testing

@testable import BrumePostgres

@Suite struct PostgresOpeningTests {
  private func refusal(_ url: String, acceptsLoss: Bool = true) -> StoreError? {
    let error = #expect(throws: StoreError.self) {
      _ = try PostgresStore.forTest(url: url, acceptsLoss: acceptsLoss) { _ in }
    }
    #expect(error?.description.contains("secret") == false)
    return error
  }

  /// The URL for a role that is made for it.
  private func url(as role: String, _ rights: String, on server: PostgresServer) throws -> String {
    let url = try server.emptySchema()
    let schema = try #require(url.split(separator: "%3D").last)
    try server.execute("CREATE ROLE \(role) LOGIN PASSWORD 'secret'; \(rights)")
    try server.execute("GRANT USAGE ON SCHEMA \(schema) TO \(role)")
    return url.replacing("brume@", with: "\(role):secret@")
  }

  @Test func `a server that is not there cannot be reached`() {
    let error = refusal("postgres://brume:secret@127.0.0.1:1/postgres")
    #expect(error?.code == .unreachable)
    #expect(error?.description.contains("127.0.0.1") == true)
  }

  @Test(arguments: [
    "postgres://brume:secret@[/postgres", "postgres://brume:a@secret@127.0.0.1/postgres",
    "postgres://brume:secret@127.0.0.1/postgres?unknown=1",
  ])
  func `a URL that cannot be read is not shown`(url: String) {
    #expect(refusal(url)?.code == .unavailable)
  }

  @Test(arguments: [
    ("127.0.0.1", false), ("127.0.0.1:1,localhost:2", false), ("db.example.org", true),
    ("127.0.0.1,db.example.org", true), ("db.example.org,localhost", true),
  ])
  func `a server has to prove its name if one of the hosts is another machine:`(
    hosts: String, proves: Bool
  ) throws {
    let settings = try ConnectionSettings("postgres://brume@\(hosts)/postgres")
    let mode = settings.parameters.first { $0.keyword == "sslmode" }?.value
    #expect(mode == (proves ? "verify-full" : "prefer"))
  }

  @Test func `a server before PostgreSQL 15 is too old`() throws {
    try Opening.check(serverVersion: 15_00_00)
    let error = #expect(throws: StoreError.self) { try Opening.check(serverVersion: 14_00_21) }
    #expect(error?.code == .unreachable)
    #expect(error?.description.contains("14") == true)
  }

  @Test func `a database that can only be read is refused`() throws {
    let server = try PostgresServer.shared.get()
    let error = refusal(
      try url(
        as: "reader", "ALTER ROLE reader SET default_transaction_read_only = on", on: server))
    #expect(error?.code == .unreachable)
    #expect(error?.description.contains("read-only") == true)
    #expect(error?.description.contains("connect to the primary") == true)
  }

  @Test func `a role that may not make tables is refused`() throws {
    let server = try PostgresServer.shared.get()
    let error = refusal(try url(as: "guest", "", on: server))
    #expect(error?.code == .unreachable)
    #expect(error?.description.contains("CREATE") == true)
  }

  @Test func `a database without a free connection is refused, with what to raise`() throws {
    let server = try PostgresServer.shared.get()
    let error = refusal(try url(as: "many", "ALTER ROLE many CONNECTION LIMIT 0", on: server))
    #expect(error?.code == .unreachable)
    #expect(error?.description.contains("max_connections") == true)
  }

  @Test func `a schema that is not there is refused`() throws {
    let url = try PostgresServer.shared.get().url + "?options=-csearch_path%3Dnowhere"
    #expect(refusal(url)?.description.contains("schema") == true)
  }

  @Test func `tables of a newer version are refused and stay as they are`() async throws {
    let server = try PostgresServer.shared.get()
    let url = try server.emptySchema()
    try await PostgresStore.forTest(url: url).close()
    let connection = try Connection.forTest(url)
    try connection.simple("UPDATE store SET version = 99")
    #expect(refusal(url)?.code == .tooNew)
    try connection.simple("SELECT 1 / (SELECT (version = 99)::int FROM store)")
  }

  @Test(arguments: ["fsync", "synchronous_commit", "full_page_writes"])
  func `a server that may lose what it confirms is refused:`(setting: String) async throws {
    try await PostgresServer.with(["fsync=on", "\(setting)=off"]) { server in
      let error = refusal(try server.emptySchema(), acceptsLoss: false)
      #expect(error?.code == .notDurable)
      #expect(error?.description.contains(setting) == true)
    }
  }

  @Test func `a server whose commits do not wait for its synchronous standby is refused`()
    async throws
  {
    let settings = ["fsync=on", "synchronous_commit=local"]
    try await PostgresServer.with(settings + ["synchronous_standby_names=*"]) { server in
      let error = refusal(try server.emptySchema(), acceptsLoss: false)
      #expect(error?.code == .notDurable)
      #expect(error?.description.contains("'synchronous_commit' is local") == true)
      #expect(error?.description.contains("set it to on") == true)
    }
    // Without one there is nothing to wait for.
    try await PostgresServer.with(settings) { server in
      try await PostgresStore.forTest(on: server, acceptsLoss: false).close()
    }
  }

  @Test func `many processes may open a new database at once`() async throws {
    let url = try PostgresServer.shared.get().emptySchema()
    let stores = try await withThrowingTaskGroup(of: PostgresStore.self) { group in
      for _ in 0..<4 {
        group.addTask(operation: { try PostgresStore.forTest(buckets: 8, url: url) })
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(stores.map(\.bucketCount) == [8, 8, 8, 8])
    for store in stores { try await store.close() }
  }
}
