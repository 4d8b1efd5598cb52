// Folders of every version of the tables so far: each is opened with all that it has, and a start that dies in the
// middle of its migrations leaves a folder that the next start takes up.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Foundation
import GRDB
import Testing

@testable import BrumeSQLite

@Suite struct OldFoldersTests {
  let folder: TemporaryFolder
  private var data: String { folder.path + "/data" }
  private var file: String { data + "/brume.sqlite" }

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: false)
  }

  @Test(arguments: Array(1...Migrations.steps.count))
  func `a folder of each version is opened with all that it has`(version: Int) async throws {
    try folder.onFile { try Self.make(version: version, $0) }
    let store = try folder.openSQLite()
    try await OldContents.expect(in: store)
    // And it is a store like any other from then on.
    try await store.write(in: .database(.sample())) { _ = try $0.putNext("new") }
    try await store.close()
    let again = try folder.openSQLite()
    try await OldContents.expect(in: again)
    try await again.close()
  }

  /// What is on the disk while a statement begins is what a death of the process at that place leaves.
  @Test
  func `a migration that dies at any statement leaves a whole version, and the next start goes on`()
    async throws
  {
    try folder.onFile { try Self.make(version: 1, $0) }
    let states = try statesOnDisk { try Migrations.run(on: $0) }
    #expect(states.count > 20)
    var versions: Set<Int> = []
    for state in states {
      try put(state)
      let (version, tables) = try folder.onFile {
        (try Int.fetchOne($0, sql: "PRAGMA user_version") ?? 0, try Self.tables(in: $0))
      }
      versions.insert(version)
      #expect(try tables == Self.tables(ofVersion: version))
      try put(state)
      let store = try folder.openSQLite()
      try await OldContents.expect(in: store)
      try await store.close()
    }
    #expect(versions == Set(1...Migrations.steps.count))
  }

  @Test func `a folder of a later version is refused with a sentence, and stays as it is`() throws {
    try folder.onFile {
      try Self.make(version: Migrations.steps.count, $0)
      try $0.execute(sql: "PRAGMA user_version = \(Migrations.steps.count + 1)")
    }
    let before = try folder.onFile { try Self.tables(in: $0) }
    let error = #expect(throws: StoreError.self) { try folder.openSQLite() }
    #expect(error?.code == .tooNew)
    #expect(error?.description.contains("run the version that wrote it, or a newer one") == true)
    let (version, after) = try folder.onFile {
      (try Int.fetchOne($0, sql: "PRAGMA user_version"), try Self.tables(in: $0))
    }
    #expect(version == Migrations.steps.count + 1 && after == before)
  }

  @Test(arguments: [true, false])
  func `an older folder that a move is to read or to fill is refused, and stays as it is`(
    isNew: Bool
  ) throws {
    try folder.onFile { try Self.make(version: 1, $0) }
    let before = try folder.onFile { try Self.tables(in: $0) }
    let error = #expect(throws: StoreError.self) {
      try SQLiteMoving.run(folder: data, isNew: isNew, logger: Mover.logger) { _ in }
    }
    #expect(error?.description.contains("schema version 1, this program knows") == true)
    #expect(try folder.onFile { try Self.tables(in: $0) } == before)
  }

  // MARK: Old folders

  /// A database as a server of this version of the tables left it, with rows in the forms of the time.
  private static func make(version: Int, _ database: Database) throws {
    _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
    try Migrations.run(Array(Migrations.steps.prefix(version)), on: database)
    let key = DatabaseKey.sample()
    try database.execute(
      sql: "INSERT INTO databases (id, container, environment, owner) VALUES (1, ?, ?, ?)",
      arguments: [key.container.name, key.environment.rawValue, key.owner?.name])
    let ownColumns = Migrations.steps.firstIndex(of: Migrations.ownColumns) ?? 0
    let gone = version <= ownColumns ? "'Trail' || char(10) || 'S'" : "'Trail'"
    try database.execute(
      sql: """
        INSERT INTO zones (id, database, name, incarnation, last_sequence) VALUES (1, 1, 'Trails', 1, 3);
        INSERT INTO records (zone, name, deleted_type, sequence) VALUES (1, 'gone', \(gone), 3);
        INSERT INTO users (id, name, email, token_epoch) VALUES ('_a1', 'alice', 'A@example.org', 2);
        INSERT INTO settings (name, value) VALUES ('port/secret', x'07');
        INSERT INTO log (position, database, kind, zone, name, type, subject, request, time)
          VALUES (1, 1, 1, 1, 'gone', 'Trail', '3', 'R', 6);
        """)
    for (sequence, name) in [(Int64(1), "a"), (2, "b")] {
      let record = Record.sample(name, sequence: sequence, fields: ["n": .int64(sequence)])
      try database.execute(
        sql: "INSERT INTO records (zone, name, type, sequence, content) VALUES (1, ?, ?, ?, ?)",
        arguments: [name, "Trail", sequence, Data(StoreCoders.wireForm.record.encode(record))])
    }
  }

  // MARK: States on the disk

  /// The database file and its log.
  private struct State: Hashable {
    let database: Data
    let log: Data?
  }

  /// Each state of the files that a statement of `body` finds, once, and the last one.
  private func statesOnDisk(_ body: (Database) throws -> Void) throws -> [State] {
    var configuration = Configuration()
    // So small a cache writes pages before the commit.
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = 1") }
    let queue = try DatabaseQueue(path: file, configuration: configuration)
    let found = States(file)
    try queue.inDatabase { database in
      database.trace(options: .statement) { _ in found.look() }
      try body(database)
      database.trace(options: []) { _ in }
      found.look()
    }
    try queue.close()
    return found.all
  }

  private final class States: @unchecked Sendable {
    private let file: String
    private(set) var all: [State] = []
    init(_ file: String) { self.file = file }

    func look() {
      guard let database = FileManager.default.contents(atPath: file) else { return }
      let state = State(
        database: database, log: FileManager.default.contents(atPath: file + "-wal"))
      if all.last != state { all.append(state) }
    }
  }

  private func put(_ state: State) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: data) {
      try FileManager.default.removeItem(atPath: data + "/" + name)
    }
    try state.database.write(to: URL(fileURLWithPath: file))
    try state.log?.write(to: URL(fileURLWithPath: file + "-wal"))
  }

  private static func tables(in database: Database) throws -> [String] {
    try String.fetchAll(
      database, sql: "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
  }

  private static func tables(ofVersion version: Int) throws -> [String] {
    try DatabaseQueue().inDatabase { database in
      try Migrations.run(Array(Migrations.steps.prefix(version)), on: database)
      return try tables(in: database)
    }
  }
}
