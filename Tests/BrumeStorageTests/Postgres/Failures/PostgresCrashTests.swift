// The server dies, again and again, while many save: what was acknowledged is there, once, in order.

import BrumeStorage
import BrumeTestKit
import Foundation
import Testing

@testable import BrumePostgres

@Suite struct PostgresCrashTests {
  /// More of them for `make soak`.
  private static let deaths =
    Int(ProcessInfo.processInfo.environment["BRUME_SOAK_POSTGRES"] ?? "") ?? 5

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
        for death in 0..<Self.deaths {
          await saver.waitForSaves(30)
          try await server.perform(death % 2 == 0 ? .kill : .stop)
          try await server.perform(.start())
        }
        await saver.waitForSaves(30)
      }
      for store in stores { try await store.close() }
      let later = try PostgresStore.forTest(url: url)
      #expect(try await saver.faults(in: later) == [])
      #expect(saver.savedCount >= 30 * Self.deaths)
      try await later.close()
    }
  }
}
