// A NOTIFY of a commit that never arrives: the other store polls. On servers of their own, because a NOTIFY arrives in
// all of a database.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(5))) struct LostNotifyTests {
  @Test func `commits are seen by a store that no NOTIFY reaches`() async throws {
    try await PostgresServer.with { server in
      let notifications = try await Self.notifications(at: server.silentSchema())
      #expect(notifications == 0)
    }
  }

  @Test func `where a NOTIFY arrives, the same listener receives it`() async throws {
    try await PostgresServer.with { server in
      let notifications = try await Self.notifications(at: server.emptySchema())
      #expect(notifications > 0)
    }
  }

  /// How many NOTIFYs arrived while one store saved and the other saw it: until one arrived, or of ten saves.
  private static func notifications(at url: String) async throws -> Int {
    let other = try PostgresStore.forTest(url: url)
    // Nobody sends a NOTIFY who knows of nobody else: the second one does from its start.
    let one = try PostgresStore.forTest(url: url)
    #expect(one.leases.processes == 2)
    let listener = try Connection.forTest(url)
    try listener.simple("LISTEN brume")
    let hints = other.commits()
    var count = 0
    for number in 0..<10 where count == 0 {
      try await one.write(in: .database(.sample())) { _ = try $0.save("save-\(number)") }
      for await _ in hints { break }
      try listener.send(Self.nothing)
      _ = try listener.exchange()
      count += try listener.notifications().count
    }
    try await one.close()
    try await other.close()
    return count
  }

  private static let nothing = SQL("SELECT 1::bigint")
}
