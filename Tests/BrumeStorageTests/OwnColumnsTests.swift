// Folders of the version before: what stood packed in one column is found in columns of its own.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Foundation
import GRDB
import Testing

@testable import BrumeSQLite

@Suite struct OwnColumnsTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  @Test func `a folder of before the step keeps the shares of what was deleted`() async throws {
    try makeOldFolder(
      """
      INSERT INTO records (zone, name, deleted_type, sequence) VALUES
        (1, 'both', 'Trail' || char(10) || 'S 1' || char(10) || 'S 2', 1),
        (1, 'one', 'Hut' || char(10) || 'cloudkit.zoneshare', 2), (1, 'none', 'Trail', 3);
      INSERT INTO records (zone, name, type, sequence, content) VALUES (1, 'there', 'Trail', 4, x'01');
      """)
    let store = try folder.openSQLite()
    let found = try await store.read {
      try $0.changes.page(in: .sample(), after: 0, through: .max, limit: 9)
    }
    let deletions = found.compactMap { if case .deleted(let gone) = $0 { gone } else { nil } }
    #expect(
      deletions == [
        StoredDeletion(name: "both", type: "Trail", coveringShares: ["S 1", "S 2"], sequence: 1),
        StoredDeletion(
          name: "one", type: "Hut", coveringShares: ["cloudkit.zoneshare"], sequence: 2),
        StoredDeletion(name: "none", type: "Trail", coveringShares: [], sequence: 3),
      ])
    #expect(found.map(\.sequence) == [1, 2, 3, 4])
    try await store.close()
  }

  @Test func `a folder of before the step keeps its log`() async throws {
    try makeOldFolder(
      """
      INSERT INTO log (position, database, kind, name, type, subject, shares, request, time) VALUES
        (1, 1, 5, 'café/1', 'private', '_a1',
         'iCloud.org.example.trails' || char(10) || 'production' || char(10), 'R', 5);
      INSERT INTO log
        (position, database, kind, zone, name, type, subject, shares, request, time) VALUES
        (2, 1, 1, 1, 'a', 'Trail', '2', 'S 1' || char(10) || 'S 2' || char(10), 'R', 6);
      """)
    let store = try folder.openSQLite()
    let entries = try await store.read { try $0.log.entries(in: .only, after: 0, limit: 9) }
    let scope = SubscriptionScope(
      in: ContainerEnvironment(ContainerID("iCloud.org.example.trails"), .production),
      scope: .private, user: UserID("_a1"))
    guard case .subscription(let found, let id)? = entries.first?.event,
      case .record(let change)? = entries.last?.event
    else {
      Issue.record("\(entries)")
      return
    }
    #expect(found == scope && id == "café/1")
    #expect(change.coveringShares == ["S 1", "S 2"] && change.record.name == "a")
    #expect(entries.map(\.origin.time) == [5, 6])
    try await store.close()
  }

  /// A data folder as the version before the step left it, with one zone and these rows.
  private func makeOldFolder(_ rows: String) throws {
    let data = folder.path + "/data"
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: false)
    let queue = try DatabaseQueue(path: data + "/brume.sqlite")
    let steps = try #require(Migrations.steps.firstIndex(of: Migrations.ownColumns))
    let zone = ZoneKey.sample()
    try queue.writeWithoutTransaction { database in
      try Migrations.run(Array(Migrations.steps[..<steps]), on: database)
      try database.execute(
        sql: "INSERT INTO databases (id, container, environment, owner) VALUES (1, ?, ?, ?)",
        arguments: [
          zone.database.container.name, zone.database.environment.rawValue,
          zone.database.owner?.name,
        ])
      try database.execute(
        sql: "INSERT INTO zones (id, database, name, incarnation) VALUES (1, 1, ?, 1)",
        arguments: [zone.name])
      try database.execute(sql: rows)
    }
    try queue.close()
  }
}
