// A store that goes to another engine and back is the one that it was.

import BrumeCore
import BrumeModel
import BrumePostgres
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeSQLite

@Suite struct StoreMoveTests {
  @Test(arguments: [1, 16, 256])
  func `a filled store goes to PostgreSQL and back, and every hash is equal`(buckets: Int)
    async throws
  {
    let mover = try Mover(buckets: buckets)
    try await mover.withSQLite { try await FilledStore.fill($0) }
    var tables: [MovedTable: Int] = [:]
    let there = try mover.toPostgres { tables[$0.table] = $0.rows }
    #expect(MovedTable.allCases.filter { tables[$0] ?? 0 == 0 } == [])
    let back = try mover.toSQLite()
    #expect(back == there)
    #expect(try Mover.hash(mover.back) == there.hash)
  }

  @Test(arguments: StorageContract.all)
  func `whatever the contract leaves in a store is moved there and back:`(
    promise: StorageContract.Case
  ) async throws {
    let mover = try Mover(buckets: 1)
    try await mover.withSQLite { try await promise.run($0) }
    let there = try mover.toPostgres()
    #expect(try mover.toSQLite() == there)
  }

  @Test func `a store that PostgreSQL has filled goes to SQLite and back`() async throws {
    let mover = try Mover(buckets: 16)
    try await mover.withPostgres { try await FilledStore.fill($0) }
    let there = try mover.toSQLite()
    #expect(try Mover.hash(mover.back) == there.hash)
  }

  @Test func `a store with one more row has another hash`() async throws {
    let mover = try Mover()
    try await mover.withSQLite { try await FilledStore.fill($0) }
    let before = try Mover.hash(mover.folder)
    try await mover.withSQLite { store in
      try await store.write(in: .all) {
        try $0.notifications.setBadge(9, of: UserID("_a1"), in: .sample)
      }
    }
    #expect(try Mover.hash(mover.folder) != before)
  }

  @Test func `a server refuses what a move has not finished`() async throws {
    let mover = try Mover()
    try await mover.withSQLite { try await FilledStore.fill($0) }
    #expect(throws: Interruption.self) { try mover.toPostgres { _ in throw Interruption() } }
    let refusal = #expect(throws: StoreError.self) {
      try PostgresStore.forTest(url: mover.url)
    }
    #expect(refusal?.code == .inUse)
    try mover.toPostgres()
    #expect(throws: Interruption.self) { try mover.toSQLite { _ in throw Interruption() } }
    #expect(throws: StoreError.self) { try mover.back.openSQLite() }
  }

  @Test func `a move refuses stores that a server uses`() async throws {
    let mover = try Mover()
    try await mover.withSQLite { store in
      let refusal = #expect(throws: StoreError.self) { try mover.toPostgres() }
      #expect(refusal?.code == .inUse)
      try await FilledStore.fill(store)
    }
    try await mover.withPostgres { store in
      try await store.write(in: .server) { try $0.settings.set(.secret, to: [1]) }
      let refusal = #expect(throws: StoreError.self) { try mover.toSQLite() }
      #expect(refusal?.code == .inUse)
      #expect(throws: StoreError.self) { try mover.toPostgres() }
    }
  }

  @Test func `a move refuses a target that is not empty`() async throws {
    let mover = try Mover()
    try await mover.withSQLite { try await FilledStore.fill($0) }
    try await mover.withPostgres { store in
      try await store.write(in: .server) { try $0.settings.set(.secret, to: [1]) }
    }
    let refusal = #expect(throws: StoreError.self) { try mover.toPostgres() }
    #expect(refusal?.description.contains("not empty (table settings)") == true)
  }
}
