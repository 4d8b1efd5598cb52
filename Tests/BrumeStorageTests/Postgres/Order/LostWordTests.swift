// Word of a commit that never arrives: the other store looks by itself. On servers of their own, because word is heard in
// all of a database.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumePostgres

@Suite struct LostWordTests {
  @Test func `commits are seen by a store that hears of none of them`() async throws {
    try await PostgresServer.with { server in
      let words = try await Self.words(at: server.silentSchema())
      #expect(words == 0)
    }
  }

  @Test func `where word arrives, the same listener hears it`() async throws {
    try await PostgresServer.with { server in
      let words = try await Self.words(at: server.emptySchema())
      #expect(words > 0)
    }
  }

  /// How often word was sent while one store saved and the other was told of it: until it was sent, or of ten
  /// saves.
  private static func words(at url: String) async throws -> Int {
    let other = try PostgresStore.forTest(url: url)
    // Nobody sends word who knows of nobody else: the second one does from its start.
    let one = try PostgresStore.forTest(url: url)
    #expect(one.leases.processes == 2)
    let listener = try Connection(ConnectionSettings(url))
    try listener.simple("LISTEN brume")
    let hints = other.commits()
    var words = 0
    for number in 0..<10 where words == 0 {
      try await one.write(in: .database(.sample())) { _ = try $0.save("save-\(number)") }
      for await _ in hints { break }
      try listener.send(Self.nothing)
      _ = try listener.exchange()
      words += try listener.notifications().count
    }
    try await one.close()
    try await other.close()
    return words
  }

  private static let nothing = SQL("SELECT 1::bigint")
}
