// The server dies, again and again, while many save: what was acknowledged is there, once, in order.

import BrumeStorage
import BrumeTestKit
import Foundation
import Testing

@testable import BrumePostgres

/// More of them for `make soak`.
private let deaths = Int(ProcessInfo.processInfo.environment["BRUME_SOAK_POSTGRES"] ?? "") ?? 5

@Suite(.timeLimit(.minutes(10 + deaths))) struct PostgresCrashTests {
  @Test func `saves survive the death of the server, each once, in one order`() async throws {
    try await PostgresServer.with(["fsync=on"]) { server in
      let url = try server.emptySchema()
      let stores = try (0..<2).map { _ in
        try PostgresStore.forTest(buckets: 4, url: url, acceptsLoss: false) {
          // Less patient than the product, so that some are refused as well.
          Thread.sleep(forTimeInterval: Double(min($0, 100)) / 1000)
        }
      }
      let saver = Saver()
      try await saver.run(writers: 8, on: stores) {
        for death in 0..<deaths {
          await saver.waitForSaves(30)
          try await server.perform(death % 2 == 0 ? .kill : .stop)
          try await server.perform(.start())
        }
        await saver.waitForSaves(30)
      }
      #expect(saver.savedCount >= 30 * deaths)
      try await Self.check(saver, stores, url)
    }
  }

  @Test func `sessions that an administrator ends lose nothing`() async throws {
    try await PostgresServer.with { server in
      let url = try server.emptySchema()
      let stores = try (0..<2).map { _ in try PostgresStore.forTest(buckets: 4, url: url) }
      let saver = Saver()
      try await saver.run(writers: 8, on: stores) {
        for _ in 0..<20 {
          await saver.waitForSaves(5)
          try server.execute(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
            """)
        }
        await saver.waitForSaves(5)
      }
      try await Self.check(saver, stores, url)
    }
  }

  /// By a store that has seen nothing of it.
  private static func check(
    _ saver: Saver, _ stores: [PostgresStore], _ url: String
  ) async throws {
    for store in stores { try await store.close() }
    let later = try PostgresStore.forTest(url: url)
    #expect(try await saver.faults(in: later) == [])
    try await later.close()
  }
}
