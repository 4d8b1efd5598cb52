// A server that answers, and lets nobody in: at the start that is the end, later it may pass.

import BrumeStorage
import BrumeTestKit
import Foundation
import Synchronization
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(5))) struct PostgresRefusedTests {
  /// What the start of a store ends with, and how often it waited to try again.
  private func start(_ url: String) -> (error: StoreError?, pauses: Int) {
    let pauses = Mutex(0)
    let error = #expect(throws: StoreError.self) {
      _ = try PostgresStore.forTest(url: url) { _ in pauses.withLock { $0 += 1 } }
    }
    return (error, pauses.withLock { $0 })
  }

  enum Refusal: String, CaseIterable {
    case password = "28P01"
    case role = "28000"
    case database = "3D000"
    case right = "42501"

    func url(on server: PostgresServer) throws -> String {
      switch self {
      case .password:
        return server.url.replacing("brume@", with: "guarded:wrong@")
      case .role: return server.url.replacing("brume@", with: "nobody@")
      case .database: return server.url.replacing("/postgres", with: "/nowhere")
      case .right:
        try server.execute("CREATE ROLE stranger LOGIN")
        try server.execute("CREATE DATABASE closed")
        try server.execute("REVOKE CONNECT ON DATABASE closed FROM PUBLIC")
        return server.url.replacing("brume@", with: "stranger@")
          .replacing("/postgres", with: "/closed")
      }
    }

    var nextStep: String {
      switch self {
      case .password: "PGPASSWORD"
      case .role: "CREATE ROLE"
      case .database: "CREATE DATABASE"
      case .right: "GRANT CONNECT"
      }
    }
  }

  @Test func `a start ends at once when the answer will not change, with the next step`()
    async throws
  {
    try await Self.withPassword { server in
      for refusal in Refusal.allCases {
        let (error, pauses) = start(try refusal.url(on: server))
        #expect(pauses == 0, "\(refusal)")
        #expect(error?.code == .unreachable)
        let text = error?.description ?? ""
        #expect(text.contains(refusal.rawValue) && text.contains(refusal.nextStep), "\(text)")
        #expect(!text.contains("wrong"))
      }
      let without = start(server.url.replacing("brume@", with: "guarded@"))
      #expect(without.pauses == 0)
      #expect(without.error?.description.contains("PGPASSWORD") == true)
    }
  }

  @Test func `a start waits for a server that is not there, or has no connection free`() throws {
    let server = try PostgresServer.shared.get()
    try server.execute("CREATE ROLE late LOGIN CONNECTION LIMIT 0")
    for url in [
      "postgres://brume@127.0.0.1:1/postgres", server.url.replacing("brume@", with: "late@"),
    ] {
      #expect(start(url).pauses > 10)
    }
  }

  @Test func `while a store is open, a password that is changed is waited for`() async throws {
    try await Self.withPassword { server in
      let url = try server.emptySchema()
      let schema = try #require(url.split(separator: "%3D").last)
      try server.execute("GRANT ALL ON SCHEMA \(schema) TO guarded")
      let pauses = Mutex(0)
      let store = try PostgresStore.forTest(
        url: url.replacing("brume@", with: "guarded:right@"), writers: 1, readers: 1
      ) { _ in
        // Others wait too: the thread that follows other processes.
        let count = pauses.withLock { pauses in
          pauses += 1
          return pauses
        }
        if count == 6 { try? server.execute("ALTER ROLE guarded PASSWORD 'right'") }
      }
      try server.execute("ALTER ROLE guarded PASSWORD 'other'")
      try server.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'guarded'")
      try await store.write(in: .server) { try $0.settings.set(.secret, to: [1]) }
      #expect(pauses.withLock { $0 } >= 6)
      try await store.close()
    }
  }

  /// A server that asks the role 'guarded' for its password, which is 'right'.
  private static func withPassword(_ body: (PostgresServer) async throws -> Void) async throws {
    try await PostgresServer.with { server in
      try server.execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
      try server.execute(
        """
        DO $$ BEGIN
          EXECUTE format('COPY (VALUES (%L), (%L)) TO %L',
            'host all guarded all scram-sha-256', 'host all all all trust',
            current_setting('hba_file'));
          PERFORM pg_reload_conf();
        END $$
        """)
      // Whoever connects meanwhile may still get in without.
      while (try? Connection.forTest(server.url.replacing("brume@", with: "guarded@"))) != nil {}
      try await body(server)
    }
  }
}
