// Which zones changed: CHG-24, CHG-25, CHG-31, ZON-04, ZON-12, ZON-13, ZON-14.

import BrumeKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DatabaseChangeTests {
  /// How calls end that are about a zone, or about what was in it.
  private static func failures(in name: String, of device: Device) async throws -> [CKError] {
    let (database, zone) = (device.database, CKRecordZone.ID.named(name))
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
    let subscription = CKRecordZoneSubscription(zoneID: zone, subscriptionID: "zone").silent()
    return [
      try await failure { try await device.save("b", zone: name) },
      try await failure { try await device.fetch("a", zone: name) },
      try await failure { try await database.deleteRecord(withID: .named("a", zone: name)) },
      try await failure { _ = try await device.changes(in: zone) },
      try await failure { _ = try await database.records(matching: query, inZoneWith: zone) },
      try await failure { try await database.recordZone(for: zone) },
      try await failure { try await database.deleteRecordZone(withID: zone) },
      try await failure { try await database.save(subscription) },
    ]
  }

  @Test(arguments: StorageEngine.allCases)
  func `CHG-24 database changes list changed custom zones and not the default one`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair(zone: "A")
      try await phone.makeZone("B")
      try await phone.save("x", zone: nil)
      let first = try await laptop.database.databaseChanges(since: nil)
      #expect(Set(first.modifications.map(\.zoneID.zoneName)) == ["A", "B"])
      #expect(first.deletions.isEmpty && !first.moreComing)
      try await phone.save("y", zone: nil)
      try await phone.save("x", zone: "B")
      let second = try await laptop.database.databaseChanges(since: first.changeToken)
      #expect(second.modifications.map(\.zoneID) == [.named("B")])
      let third = try await laptop.database.databaseChanges(since: second.changeToken)
      #expect(third.modifications.isEmpty && third.deletions.isEmpty)
      try await phone.database.deleteRecordZone(withID: .named("B"))
      let whole = try await laptop.database.databaseChanges(since: nil)
      #expect(whole.modifications.map(\.zoneID) == [.named("A")])
      #expect(whole.deletions.map(\.zoneID) == [.named("B")])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `CHG-25 ZON-04 ZON-13 a deleted zone is in the list, and calls say that it is missing`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.save("a")
      let token = try await laptop.database.databaseChanges(since: nil).changeToken
      try await phone.database.deleteRecordZone(withID: .named("Z"))
      let changes = try await laptop.database.databaseChanges(since: token)
      #expect(changes.deletions.map(\.zoneID) == [.named("Z")])
      #expect(changes.deletions.map(\.reason) == [.deleted] && changes.modifications.isEmpty)
      for missing in try await Self.failures(in: "Z", of: laptop) {
        #expect(missing.code == .zoneNotFound)
        #expect(!missing.userInfo.keys.contains(CKErrorUserDidResetEncryptedDataKey))
      }
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `CHG-25 ZON-12 ZON-14 a purge and a reset of encrypted data have their own blocks`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair(zone: "Purged")
      try await phone.makeZone("Reset")
      let token = try await laptop.database.databaseChanges(since: nil).changeToken
      try await fixture.purge("Purged", of: "alice")
      try await fixture.resetEncryptedData(of: "alice")
      let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: token)
      var (purged, reset, deleted) = ([String](), [String](), [String]())
      operation.recordZoneWithIDWasPurgedBlock = { purged.append($0.zoneName) }
      operation.recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock = {
        reset.append($0.zoneName)
      }
      operation.recordZoneWithIDWasDeletedBlock = { deleted.append($0.zoneName) }
      await laptop.run(operation)
      #expect(purged == ["Purged"] && reset == ["Reset"] && deleted.isEmpty)
      for gone in try await Self.failures(in: "Purged", of: laptop) {
        #expect(gone.code == .userDeletedZone)
        #expect(!gone.userInfo.keys.contains(CKErrorUserDidResetEncryptedDataKey))
      }
      for lost in try await Self.failures(in: "Reset", of: laptop) {
        #expect(lost.code == .zoneNotFound)
        #expect(lost.userInfo[CKErrorUserDidResetEncryptedDataKey] as? Bool == true)
      }
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `CHG-31 the public database has no changes to fetch, and says badDatabase`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let phone = try await fixture.device("alice", "phone")
      let ofDatabase = try await failure {
        _ = try await phone.everybodys.databaseChanges(since: nil)
      }
      let ofZone = try await failure {
        _ = try await phone.everybodys.recordZoneChanges(inZoneWith: .default, since: nil)
      }
      #expect([ofDatabase.code, ofZone.code] == [.badDatabase, .badDatabase])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `database changes come in pages, and an operation fetches them all`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let phone = try await fixture.device("alice", "phone")
      let zones = (0..<7).map { CKRecordZone(zoneName: "Z\($0)") }
      _ = try await phone.database.modifyRecordZones(saving: zones, deleting: [])
      let page = try await phone.database.databaseChanges(since: nil, resultsLimit: 3)
      #expect(page.modifications.count == 3 && page.moreComing)
      let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: page.changeToken)
      operation.resultsLimit = 3
      var (names, tokens, isMore) = ([String](), 0, true)
      operation.recordZoneWithIDChangedBlock = { names.append($0.zoneName) }
      operation.changeTokenUpdatedBlock = { _ in tokens += 1 }
      operation.fetchDatabaseChangesCompletionBlock = { _, more, _ in isMore = more }
      await phone.run(operation)
      #expect(names.count == 4 && tokens == 2 && !isMore)
    }
  }
}
