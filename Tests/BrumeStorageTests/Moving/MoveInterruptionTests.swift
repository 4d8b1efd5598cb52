// Moves that end before their end.

import BrumeCore
import BrumeModel
import BrumePostgres
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeSQLite

@Suite struct MoveInterruptionTests {
  @Test func `a move that ends after each page goes on where it was`() async throws {
    let mover = try Mover()
    try await mover.withSQLite { try await FilledStore.fill($0) }
    let there = try Self.untilDone { try mover.toPostgres(pageRows: 7, $0) }
    #expect(there.hash == (try Mover.hash(mover.folder)))
    let back = try Self.untilDone { try mover.toSQLite(pageRows: 7, $0) }
    #expect(back.hash == there.hash)
    #expect(try Mover.hash(mover.back) == there.hash)
  }

  /// Each attempt copies one page.
  private static func untilDone(
    _ move: (@escaping Report) throws -> StoreMove.Outcome
  ) throws -> StoreMove.Outcome {
    var attempts = 0
    while true {
      attempts += 1
      var pages = 0
      do {
        let outcome = try move { progress in
          guard progress.step == .copying, !progress.isLast else { return }
          pages += 1
          if pages == 1 { throw Interruption() }
        }
        #expect(attempts > 20)
        #expect(outcome.resumed == outcome.rows)
        return outcome
      } catch is Interruption {}
    }
  }

  @Test func `a move does not go on from a source on which a server ran meanwhile`() async throws {
    let mover = try Mover()
    try await mover.withSQLite { try await FilledStore.fill($0) }
    #expect(throws: Interruption.self) {
      try mover.toPostgres { if $0.table == .records { throw Interruption() } }
    }
    try await mover.withSQLite { _ in }
    let refusal = #expect(throws: StoreError.self) { try mover.toPostgres() }
    #expect(refusal?.description.contains("a server ran on it again") == true)
  }

  @Test(arguments: [
    (
      "UPDATE users SET name = 'x' WHERE id = '_b2'",
      "table users, key '_b2': source and target differ in 'name'"
    ),
    (
      "DELETE FROM records WHERE name = 'Full'",
      "table records, key 'iCloud.org.example.contract' 'development' '' 'Cafe' 'Full': it is missing"
    ),
    (
      "INSERT INTO asset_discards VALUES ('object5')",
      "table asset_discards, key 'object5': it is in the target alone"
    ),
    (
      "UPDATE api_tokens SET token = 'a token' WHERE token = 't1'",
      "table api_tokens, key a to…: it is in the target alone"
    ),
    ("UPDATE subscriptions SET starts = '0:77' WHERE serial = 1", "differ in 'starts'"),
    ("DELETE FROM memberships", "table memberships, key"),
  ])
  func `a wrong row in the target is found and named`(change: String, complaint: String)
    async throws
  {
    let mover = try Mover()
    try await mover.withSQLite { try await FilledStore.fill($0) }
    var isChanged = false
    let error = #expect(throws: StoreError.self) {
      try mover.toPostgres { progress in
        guard progress.step == .copying, progress.table == .log, !isChanged else { return }
        isChanged = true
        try PostgresServer.shared.get().run(change, at: mover.url)
      }
    }
    #expect(error?.code == .corrupt)
    #expect(error?.description.contains(complaint) == true, "\(error?.description ?? "")")
  }

  @Test(arguments: [
    ("UPDATE users SET token_epoch = 'x' WHERE id = '_b2'", "table users, key '_b2': the column"),
    ("UPDATE zones SET name = x'ff00' WHERE id = 1", "table zones, key"),
    ("UPDATE devices SET detail = '?' WHERE channel = 'webpush'", "its push keys cannot be read"),
    ("UPDATE databases SET environment = 'x'", "its environment is unknown"),
  ])
  func `a row of the source that cannot be read is named`(change: String, complaint: String)
    async throws
  {
    let mover = try Mover()
    try await mover.withSQLite { store in
      try await FilledStore.fill(store)
      try await store.onWriter { try $0.run(SQL(change)) }
    }
    let error = #expect(throws: StoreError.self) { try mover.toPostgres() }
    #expect(error?.code == .corrupt)
    #expect(error?.description.contains(complaint) == true, "\(error?.description ?? "")")
  }
}
