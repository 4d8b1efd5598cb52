// What only an engine with files promises: durability, reopening, one process at a time, and what
// happens when the storage fails.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Foundation
import Testing

@testable import BrumeSQLite

@Suite struct SQLiteStoreTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  @Test func `D3 the settings that make saves durable are read back at start`() async throws {
    let store = try folder.openSQLite()
    #expect(store.durability == Durability(journalMode: "wal", synchronous: 2))
    // Asked again of the connection that writes.
    let found = try await store.onWriter { connection in
      try connection.first(SQL("PRAGMA synchronous")) { $0.int(0) }
    }
    #expect(found == 2)
    try await store.close()
  }

  @Test func `every feature that remembers something is notified of bodies`() async throws {
    let store = try folder.openSQLite()
    let (features, notified) = try await store.write(in: .all) { transaction in
      // Features are made when they are asked for; these lead to all others.
      try transaction.putNext("one")
      _ = (transaction.log, transaction.mailboxes, transaction.notifications)
      _ = (transaction.credentials, transaction.devices, transaction.subscriptions)
      _ = (transaction.webhooks, transaction.queries, transaction.zones, transaction.settings)
      _ = (transaction.changes, transaction.apnsSenders, transaction.pushLog, transaction.users)
      _ = (transaction.roles, transaction.shares, transaction.assets)
      let parts = Mirror(reflecting: transaction).children.map(\.value)
      let features = parts.compactMap { $0 as? any Remembering }.map { ObjectIdentifier($0) }
      let notified = parts.compactMap { $0 as? [any Remembering] }.first ?? []
      return (Set(features), Set(notified.map { ObjectIdentifier($0) }))
    }
    #expect(features.count > 8)
    #expect(features == notified)
    try await store.close()
  }

  @Test(arguments: [
    Durability(journalMode: "wal", synchronous: 1), .init(journalMode: "delete", synchronous: 2),
  ])
  func `weaker settings are refused with a way out`(settings: Durability) {
    let error = #expect(throws: StoreError.self) { try settings.prove() }
    #expect(error?.code == .notDurable)
    #expect(error?.description.contains("local file system") == true)
  }

  @Test func `E6 a second opener of the folder is refused until the first has closed`() async throws
  {
    let store = try folder.openSQLite()
    let error = #expect(throws: StoreError.self) { try folder.openSQLite() }
    #expect(error?.code == .inUse)
    try await store.close()
    try await folder.openSQLite().close()
  }

  @Test func `a database that cannot be opened is named, with a way out`() async throws {
    let file = folder.path + "/data/brume.sqlite"
    try FileManager.default.createDirectory(
      atPath: folder.path + "/data", withIntermediateDirectories: false)
    try Data(repeating: 7, count: 8192).write(to: URL(fileURLWithPath: file))
    let error = #expect(throws: StoreError.self) { try folder.openSQLite() }
    #expect(error?.description.contains("'\(file)'") == true)
    #expect(error?.description.contains("put a backup") == true)
  }

  @Test func `a data folder that cannot be made is named, with a way out`() {
    // A file is where the folder above it would be.
    let place = folder.path + "/file"
    #expect(FileManager.default.createFile(atPath: place, contents: nil))
    let error = #expect(throws: StoreError.self) { try FolderLock.makeFolder(place + "/data") }
    #expect(error?.description.contains("'\(place)/data'") == true)
    #expect(error?.description.contains("--data") == true)
  }

  @Test func `a folder of a newer version is refused`() async throws {
    let store = try folder.openSQLite()
    try await store.onWriter { try $0.run(SQL("PRAGMA user_version = 99")) }
    try await store.close()
    let error = #expect(throws: StoreError.self) { try folder.openSQLite() }
    #expect(error?.code == .tooNew)
    #expect(error?.description.contains("99") == true)
  }

  @Test func `no place in a mailbox is given twice, whatever a loss of power took back`()
    async throws
  {
    let key = DeviceKey(in: .sample, user: UserID("_a1"), device: DeviceID("d"))
    let entry = MailboxEntry(
      position: 0, notificationID: "n", subscriptionID: "s", collapseID: nil, payload: [1],
      time: 2, requestID: "R")
    var places: [Int64] = []
    for _ in 0..<3 {
      let store = try folder.openSQLite()
      // A cursor from before stays one that was given.
      #expect(try await store.read { try $0.mailboxes.lastPosition(in: .only) } >= places.last ?? 0)
      places.append(
        try await store.writeRepeatable(in: .all) { try $0.mailboxes.enqueue(entry, to: key) })
      // As if the write had never reached the disk: no trace of the place is left.
      try await store.onWriter { connection in
        try connection.run(SQL("DELETE FROM mailbox"))
      }
      try await store.close()
    }
    #expect(places == Array(Set(places)).sorted(), "\(places)")
  }

  @Test func `reopening keeps everything and goes on counting`() async throws {
    var store = try folder.openSQLite()
    let key = DeviceKey(in: .sample, user: UserID("_a1"), device: DeviceID("d"))
    let entry = MailboxEntry(
      position: 0, notificationID: "n", subscriptionID: "s", collapseID: nil, payload: [1],
      time: 2, requestID: "R")
    let position = try await store.write(in: .database(.sample())) { transaction in
      for name in ["a", "b", "c"] {
        try transaction.putNext(name, fields: ["n": .int64(name == "b" ? 2 : 1)])
        try transaction.log.append(.zoneCreated(.sample()), in: .sample(), origin: .sample)
      }
      try transaction.zones.put(Zone(key: .sample(), incarnation: 1, lastSequence: 3))
      try transaction.log.trim(in: .only, through: 3)
      let position = try transaction.mailboxes.enqueue(entry, to: key)
      try transaction.mailboxes.acknowledge(through: position, by: key)
      return position
    }
    try await store.close()
    store = try folder.openSQLite()
    try await store.read { transaction in
      try #expect(transaction.zones.find(.sample())?.lastSequence == 3)
      try #expect(transaction.log.lastPosition(in: .only) == 3)
      try #expect(transaction.queries.matching(.ones).records.map(\.name) == ["a", "c"])
    }
    try await store.write(in: .database(.sample())) { transaction in
      try #expect(transaction.putNext("d", fields: ["n": .int64(1)]) == 4)
      try #expect(
        transaction.log.append(.zoneCreated(.sample()), in: .sample(), origin: .sample) == 4)
      try #expect(transaction.mailboxes.enqueue(entry, to: key) > position)
      try #expect(transaction.queries.matching(.ones).records.map(\.name) == ["a", "c", "d"])
    }
    try await store.close()
  }

  @Test func `an update under a long text's beginning leaves no row behind`() async throws {
    let store = try folder.openSQLite()
    // A query asks for the field, so that saves keep it.
    try await store.write(in: .database(.sample())) {
      try $0.zones.put(Zone(key: .sample(), incarnation: 1, lastSequence: 0))
    }
    _ = try await store.read { try $0.queries.matching(.beginningWith("é")) }
    for text in [String(repeating: "é", count: 100), String(repeating: "é", count: 101), "short"] {
      try await store.write(in: .database(.sample())) {
        try $0.putNext("a", fields: ["s": .string(text)])
      }
      let rows = try await store.onWriter { connection in
        try connection.first(
          SQL(
            """
            SELECT count(*) FROM query_index JOIN index_keys ON index_keys.id = query_index.key
            WHERE field = 's'
            """)
        ) { $0.int(0) }
      }
      #expect(rows == 1)
    }
    try await store.close()
  }
}

extension EngineQuery {
  fileprivate static let ones = EngineQuery(
    database: .sample(), zone: "Trails",
    query: Query(recordType: "Trail", filters: [Filter(.equals, .field("n"), .int64(1))]),
    after: nil, limit: 9, candidateLimit: 99)

  fileprivate static func beginningWith(_ text: String) -> EngineQuery {
    EngineQuery(
      database: .sample(), zone: "Trails",
      query: Query(
        recordType: "Trail", filters: [Filter(.beginsWith, .field("s"), .string(text))]),
      after: nil, limit: 9, candidateLimit: 99)
  }
}

extension SQLiteStore {
  /// Runs statements in a transaction of their own on the writing connection.
  @discardableResult
  func onWriter<Value: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Value
  ) async throws -> Value {
    try await write(in: .all) { transaction in
      try body(#require(transaction as? SQLiteTransaction).connection)
    }
  }
}
