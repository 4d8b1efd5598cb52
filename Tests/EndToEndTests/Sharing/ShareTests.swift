// Sharing between two users: SHR-01, SHR-03, SHR-10 to SHR-13, SHR-15 to SHR-17, SHR-21, SHR-22,
// SHR-34, SHR-35, SAV-40.

import BrumeKit
import Foundation
import Testing

/// An owner who shared a hike with a guest.
private struct Hike {
  let owner: Device
  let guest: Device
  var share: CKShare
  /// The owner's zone as the guest names it.
  let theirs: CKRecordZone.ID
  var ownerName: String { theirs.ownerName }

  /// A root record "hike" with a child "stop", shared; the guest has not accepted yet.
  init(_ fixture: EndToEndFixture, _ permission: CKShare.ParticipantPermission) async throws {
    owner = try await fixture.device("alice", "phone")
    guest = try await fixture.device("bob", "phone")
    try await owner.makeZone("Z")
    let (root, stop) = (owner.record("hike", type: "Hike"), owner.record("stop", type: "Stop"))
    stop.setParent(root)
    let share = CKShare(rootRecord: root)
    share[CKShare.SystemFieldKey.title] = "Our hike"
    let participant = try await owner.participant(try await guest.container.userRecordID())
    participant.permission = permission
    share.addParticipant(participant)
    let results = try await owner.database.modifyRecords(
      saving: [root, stop, share, owner.record("private", type: "Hike")], deleting: [])
    for result in results.saveResults.values { _ = try result.get() }
    self.share = share
    theirs = CKRecordZone.ID(
      zoneName: "Z", ownerName: try await owner.container.userRecordID().recordName)
  }

  func accept() async throws {
    let url = try #require(share.url)
    let metadata = try await guest.container.shareMetadata(for: url)
    try await guest.container.accept(metadata)
  }

  func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: theirs) }
}

extension Device {
  /// Somebody to invite.
  func participant(_ user: CKRecord.ID) async throws -> CKShare.Participant {
    let operation = CKFetchShareParticipantsOperation(
      userIdentityLookupInfos: [CKUserIdentity.LookupInfo(userRecordID: user)])
    var found: CKShare.Participant?
    operation.perShareParticipantResultBlock = { found = try? $1.get() }
    await run(operation)
    return try #require(found)
  }
}

@Suite(.timeLimit(.minutes(10)))
struct ShareTests {
  @Test(arguments: StorageEngine.allCases)
  func `SHR-01 SHR-03 a share saved with its root links both; later it is saved alone`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let hike = try await Hike(fixture, .readWrite)
      #expect(hike.share.url != nil && hike.share.recordChangeTag != nil)
      let root = try await hike.owner.fetch("hike")
      #expect(root.share?.recordID == hike.share.recordID)
      let fetched = try #require(
        try await hike.owner.database.record(for: hike.share.recordID) as? CKShare)
      #expect(fetched[CKShare.SystemFieldKey.title] == "Our hike")
      #expect(fetched.participants.count == 2 && fetched.owner.role == .owner)
      #expect(fetched.currentUserParticipant?.role == .owner)
      #expect(fetched.participants.last?.acceptanceStatus == .pending)
      fetched[CKShare.SystemFieldKey.title] = "New title"
      try await hike.owner.database.save(fetched)
      let again = try await hike.owner.database.record(for: hike.share.recordID)
      #expect(again[CKShare.SystemFieldKey.title] == "New title")
      #expect((again as? CKShare)?.participants.count == 2)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SAV-40 a share is compared by its tag whatever the policy`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let hike = try await Hike(fixture, .readWrite)
      let stale = try await hike.owner.database.record(for: hike.share.recordID)
      hike.share[CKShare.SystemFieldKey.title] = "one"
      try await hike.owner.database.save(hike.share)
      stale[CKShare.SystemFieldKey.title] = "two"
      for policy in [CKModifyRecordsOperation.RecordSavePolicy.changedKeys, .allKeys] {
        let results = try await hike.owner.database.modifyRecords(
          saving: [stale], deleting: [], savePolicy: policy)
        #expect(results.saveResults[stale.recordID]?.failure?.code == .serverRecordChanged)
      }
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SHR-10 SHR-21 who accepts finds root, share and descendants and nothing else`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let hike = try await Hike(fixture, .readOnly)
      #expect(try await hike.guest.shared.allRecordZones().isEmpty)
      let url = try #require(hike.share.url)
      let metadata = try await hike.guest.container.shareMetadata(for: url)
      #expect(metadata.hierarchicalRootRecordID?.recordName == "hike")
      #expect(metadata.participantStatus == .pending && metadata.participantPermission == .readOnly)
      #expect(metadata.share[CKShare.SystemFieldKey.title] == "Our hike")
      #expect(metadata.containerIdentifier == EndToEndFixture.containerName)
      try await hike.guest.container.accept(metadata)

      #expect(try await hike.guest.shared.allRecordZones().map(\.zoneID) == [hike.theirs])
      let changes = try await hike.guest.changes(in: hike.theirs, of: hike.guest.shared)
      let expected = ["hike", "stop", hike.share.recordID.recordName].map { "+\($0)" }
      #expect(changes.summary == expected.sorted())
      #expect(changes.changed.allSatisfy { $0.recordID.zoneID == hike.theirs })
      let share = changes.changed.compactMap { $0 as? CKShare }.first
      #expect(share?.currentUserParticipant?.acceptanceStatus == .accepted)
      let hidden = try await failure {
        try await hike.guest.shared.record(for: hike.id("private"))
      }
      #expect(hidden.code == .unknownItem)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SHR-11 SHR-12 a guest's child lands with the owner, a record without a parent does not`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let hike = try await Hike(fixture, .readWrite)
      try await hike.accept()
      let child = CKRecord(recordType: "Stop", recordID: hike.id("lake"))
      child.setParent(hike.id("hike"))
      try await hike.guest.shared.save(child)
      let seen = try await hike.owner.fetch("lake")
      #expect(seen.parent?.recordID == .named("hike"))
      #expect(seen.creatorUserRecordID == (try await hike.guest.container.userRecordID()))
      let alone = CKRecord(recordType: "Stop", recordID: hike.id("alone"))
      let error = try await failure { try await hike.guest.shared.save(alone) }
      #expect(error.code == .permissionFailure)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SHR-13 a read-only guest inserts, edits and deletes nothing`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let hike = try await Hike(fixture, .readOnly)
      try await hike.accept()
      let child = CKRecord(recordType: "Stop", recordID: hike.id("lake"))
      child.setParent(hike.id("hike"))
      let edit = try await hike.guest.shared.record(for: hike.id("stop"))
      edit["title"] = "mine now"
      for record in [child, edit] {
        let error = try await failure { try await hike.guest.shared.save(record) }
        #expect(error.code == .permissionFailure)
      }
      let error = try await failure {
        try await hike.guest.shared.deleteRecord(withID: hike.id("stop"))
      }
      #expect(error.code == .permissionFailure)
      #expect(try await hike.owner.fetch("stop")["title"] as String? == nil)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SHR-15 anybody with the address of an open share joins and writes`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let owner = try await fixture.device("alice", "phone")
      let guest = try await fixture.device("bob", "phone")
      try await owner.makeZone("Z")
      let root = owner.record("root")
      let share = CKShare(rootRecord: root)
      share.publicPermission = .readWrite
      _ = try await owner.database.modifyRecords(saving: [root, share], deleting: [])
      let metadata = try await guest.container.shareMetadata(for: try #require(share.url))
      try await guest.container.accept(metadata)
      let zone = try #require(try await guest.shared.allRecordZones().first).zoneID
      let record = try await guest.shared.record(
        for: CKRecord.ID(recordName: "root", zoneID: zone))
      record["title"] = "by the guest"
      try await guest.shared.save(record)
      #expect(try await owner.fetch("root")["title"] == "by the guest")
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SHR-16 when the owner ends a share, guests lose the zone and the records stay`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let hike = try await Hike(fixture, .readWrite)
      try await hike.accept()
      let before = try await hike.guest.shared.databaseChanges(since: nil)
      #expect(before.modifications.map(\.zoneID) == [hike.theirs])
      try await hike.owner.database.deleteRecord(withID: hike.share.recordID)
      let after = try await hike.guest.shared.databaseChanges(since: before.changeToken)
      #expect(after.deletions.map(\.zoneID) == [hike.theirs])
      #expect(try await hike.guest.shared.allRecordZones().isEmpty)
      #expect(try await hike.owner.fetch("hike").share == nil)
      #expect(try await hike.owner.fetch("stop").parent?.recordID == .named("hike"))
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SHR-17 a guest leaves by deleting the share, and the owner keeps everything`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let hike = try await Hike(fixture, .readWrite)
      try await hike.accept()
      try await hike.guest.shared.deleteRecord(
        withID: hike.id(hike.share.recordID.recordName))
      #expect(try await hike.guest.shared.allRecordZones().isEmpty)
      let root = try await hike.owner.fetch("hike")
      #expect(root.share?.recordID == hike.share.recordID)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SHR-22 SHR-34 SHR-35 a zone-wide share brings the guest a new zone with all its records`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let owner = try await fixture.device("alice", "phone")
      let guest = try await fixture.device("bob", "phone")
      try await owner.makeZone("Trip")
      try await owner.save("a", zone: "Trip")
      let share = CKShare(recordZoneID: .named("Trip"))
      share.publicPermission = .readWrite
      try await owner.database.save(share)
      #expect(share.recordID == .named(CKRecordNameZoneWideShare, zone: "Trip"))
      let zone = try await owner.database.recordZone(for: .named("Trip"))
      #expect(zone.share?.recordID == share.recordID)
      let before = try await guest.shared.databaseChanges(since: nil)
      let metadata = try await guest.container.shareMetadata(for: try #require(share.url))
      #expect(metadata.hierarchicalRootRecordID == nil)
      try await guest.container.accept(metadata)
      let after = try await guest.shared.databaseChanges(since: before.changeToken)
      let theirs = try #require(after.modifications.first).zoneID
      #expect(theirs.zoneName == "Trip" && theirs.ownerName != CKCurrentUserDefaultName)
      let changes = try await guest.changes(in: theirs, of: guest.shared)
      #expect(changes.summary == ["+a", "+\(CKRecordNameZoneWideShare)"])
      try await guest.shared.save(
        CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "b", zoneID: theirs)))
      #expect(try await owner.fetch("b", zone: "Trip").recordChangeTag != nil)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `both sides of a share are notified of each other's changes`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let hike = try await Hike(fixture, .readWrite)
      try await hike.accept()
      let inboxes = (owner: try await Inbox(hike.owner), guest: try await Inbox(hike.guest))
      try await hike.owner.database.save(CKDatabaseSubscription(subscriptionID: "own").silent())
      try await hike.guest.shared.save(CKDatabaseSubscription(subscriptionID: "shared").silent())
      let stop = try await hike.owner.fetch("stop")
      stop["title"] = "new"
      try await hike.owner.database.save(stop)
      let toGuest = try #require(try await inboxes.guest.next() as? CKDatabaseNotification)
      #expect(toGuest.subscriptionID == "shared" && toGuest.databaseScope == .shared)
      let theirs = try await hike.guest.shared.record(for: hike.id("stop"))
      #expect(theirs["title"] == "new")
      theirs["title"] = "newer"
      try await hike.guest.shared.save(theirs)
      let toOwner = try #require(try await inboxes.owner.next() as? CKDatabaseNotification)
      #expect(toOwner.subscriptionID == "own" && toOwner.databaseScope == .private)
    }
  }
}
