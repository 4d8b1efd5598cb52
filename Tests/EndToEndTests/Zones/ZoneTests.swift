// Zones: ZON-01 to ZON-10.

import BrumeKit
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ZoneTests {
  @Test(arguments: StorageEngine.allCases)
  func `ZON-01 ZON-02 a zone is made with its capabilities; again, it keeps its records`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let phone = try await fixture.device("alice", "phone")
      let zone = try await phone.makeZone("Z")
      #expect(zone.capabilities.isSuperset(of: [.atomic, .fetchChanges, .sharing]))
      #expect(zone.zoneID == .named("Z") && zone.zoneID.ownerName == CKCurrentUserDefaultName)
      try await phone.save("a")
      #expect(try await phone.makeZone("Z").zoneID == .named("Z"))
      #expect(try await phone.changes().summary == ["+a"])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `ZON-03 one bad zone does not keep the other from being made`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let phone = try await fixture.device("alice", "phone")
      let operation = CKModifyRecordZonesOperation(
        recordZonesToSave: [CKRecordZone(zoneName: "_bad"), CKRecordZone(zoneName: "Good")])
      var (saved, overall) = ([String](), nil as CKError?)
      operation.modifyRecordZonesCompletionBlock = { zones, _, error in
        saved = (zones ?? []).map(\.zoneID.zoneName)
        overall = error as? CKError
      }
      await phone.run(operation)
      #expect(saved == ["Good"] && overall?.code == .partialFailure)
      let items = overall?.partialErrorsByItemID ?? [:]
      #expect(items.count == 1)
      let bad = items[CKRecordZone.ID.named("_bad")] as? CKError
      #expect(bad?.code == .invalidArguments)
      #expect(try await phone.database.recordZone(for: .named("Good")).zoneID == .named("Good"))
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `ZON-04 a deleted zone takes records and zone subscriptions along`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.save("a")
      try await phone.database.save(
        CKRecordZoneSubscription(zoneID: .named("Z"), subscriptionID: "zone").silent())
      try await laptop.database.deleteRecordZone(withID: .named("Z"))
      let gone = try await failure { try await phone.fetch("a") }
      #expect(gone.code == .zoneNotFound)
      #expect(try await phone.database.allSubscriptions().isEmpty)
      try await phone.makeZone("Z")
      #expect(try await phone.changes().summary.isEmpty)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `ZON-05 ZON-06 a missing zone can be neither deleted nor fetched`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let phone = try await fixture.device("alice", "phone")
      let zone = CKRecordZone.ID.named("Nowhere")
      let single = try await failure { try await phone.database.deleteRecordZone(withID: zone) }
      #expect(single.code == .zoneNotFound)
      let operation = CKModifyRecordZonesOperation(recordZoneIDsToDelete: [zone])
      var overall: CKError?
      operation.modifyRecordZonesCompletionBlock = { overall = $2 as? CKError }
      await phone.run(operation)
      #expect(overall?.code == .partialFailure)
      #expect((overall?.partialErrorsByItemID?[zone] as? CKError)?.code == .zoneNotFound)
      let fetched = try await phone.database.recordZones(for: [zone])
      #expect(fetched[zone]?.failure?.code == .zoneNotFound)
      let fetch = CKFetchRecordZonesOperation(recordZoneIDs: [zone, .default])
      var (found, missing) = ([CKRecordZone.ID](), nil as CKError?)
      fetch.fetchRecordZonesCompletionBlock = { zones, error in
        found = Array((zones ?? [:]).keys)
        missing = error as? CKError
      }
      await phone.run(fetch)
      #expect(found == [.default] && missing?.code == .partialFailure)
      #expect((missing?.partialErrorsByItemID?[zone] as? CKError)?.code == .zoneNotFound)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `ZON-07 ZON-08 the zones asked for, and all of them with the default one`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let phone = try await fixture.device("alice", "phone")
      #expect(try await phone.database.allRecordZones().map(\.zoneID) == [.default])
      let ids = (0..<5).map { CKRecordZone.ID.named("Z\($0)") }
      _ = try await phone.database.modifyRecordZones(
        saving: ids.map { CKRecordZone(zoneID: $0) }, deleting: [])
      let three = try await phone.database.recordZones(for: Array(ids.prefix(3)))
      #expect(Set(three.keys) == Set(ids.prefix(3)))
      #expect(three.values.allSatisfy { $0.failure == nil })
      let all = try await phone.database.allRecordZones().map(\.zoneID)
      #expect(Set(all) == Set(ids + [.default]) && all.count == 6)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `ZON-09 ZON-10 zones are made in the private database only`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let phone = try await fixture.device("alice", "phone")
      let inPublic = try await failure {
        try await phone.everybodys.save(CKRecordZone(zoneName: "Z"))
      }
      #expect(inPublic.code == .badDatabase)
      let inShared = try await failure { try await phone.shared.save(CKRecordZone(zoneName: "Z")) }
      #expect(inShared.code == .badDatabase)
    }
  }
}
