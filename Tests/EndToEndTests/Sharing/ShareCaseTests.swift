// What the module says of shares that are refused, of conflicts, and of who takes part no longer:
// SHR-04, SHR-05, SHR-14, SHR-18, SHR-19, SHR-21, SHR-23 to SHR-26, SHR-29, SHR-33, QRY-20, PSH-11.

import BrumeKit
import BrumeModel
import Foundation
import Testing

/// Alice's record "hike" with "stop" below it, and a share of them with bob, who may write.
private struct JoinedHike {
  let owner: Device
  let guest: Device
  let share: CKShare
  /// The owner's zone as the guest names it.
  let theirs: CKRecordZone.ID

  init(_ fixture: EndToEndFixture) async throws {
    owner = try await fixture.device("alice", "phone")
    guest = try await fixture.device("bob", "phone")
    try await owner.makeZone("Z")
    let (root, stop) = (owner.record("hike"), owner.record("stop"))
    stop.setParent(root)
    let share = CKShare(rootRecord: root)
    let participant = try await owner.participant(try await guest.container.userRecordID())
    participant.permission = .readWrite
    share.addParticipant(participant)
    let results = try await owner.database.modifyRecords(saving: [root, stop, share], deleting: [])
    for result in results.saveResults.values { _ = try result.get() }
    self.share = share
    theirs = CKRecordZone.ID(
      zoneName: "Z", ownerName: try await owner.container.userRecordID().recordName)
  }

  func accept() async throws {
    let metadata = try await guest.container.shareMetadata(for: try #require(share.url))
    try await guest.container.accept(metadata)
  }

  /// The share as its owner finds it now.
  func current() async throws -> CKShare {
    try #require(try await owner.database.record(for: share.recordID) as? CKShare)
  }

  func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: theirs) }
}

@Suite(.timeLimit(.minutes(10)))
struct ShareCaseTests {
  /// The error of a new share of a record, saved together with it.
  private static func refusal(
    of root: CKRecord, in database: CKDatabase, with guests: [CKShare.Participant] = []
  ) async throws -> CKError? {
    let share = CKShare(rootRecord: root)
    for guest in guests { share.addParticipant(guest) }
    let results = try await database.modifyRecords(saving: [root, share], deleting: [])
    return try #require(results.saveResults[share.recordID]).failure
  }

  @Test(arguments: StorageEngine.allCases)
  func `SHR-04 SHR-05 SHR-33 what cannot be shared says so by its own code`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let hike = try await JoinedHike(fixture)
      let owner = hike.owner
      let standard = try await Self.refusal(of: owner.record("a", zone: nil), in: owner.database)
      #expect(standard?.code == .invalidArguments)
      let open = try await Self.refusal(of: owner.record("a", zone: nil), in: owner.everybodys)
      #expect(open?.code == .badDatabase)
      for name in ["hike", "stop"] {
        let again = try await Self.refusal(of: try await owner.fetch(name), in: owner.database)
        #expect(again?.code == .alreadyShared, "\(name)")
        #expect(again?.localizedDescription.contains(hike.share.recordID.recordName) == true)
      }
      let above = owner.record("above")
      let moved = try await owner.fetch("hike")
      moved.setParent(above)
      _ = try await owner.database.modifyRecords(saving: [above, moved], deleting: [])
      let over = try await Self.refusal(of: try await owner.fetch("above"), in: owner.database)
      #expect(over?.code == .alreadyShared)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SHR-23 SHR-24 a zone and its records take part in one share, each refusal with its code`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let hike = try await JoinedHike(fixture)
      let owner = hike.owner
      let overRecords = try await failure {
        try await owner.database.save(CKShare(recordZoneID: .named("Z")))
      }
      #expect(overRecords.code == .invalidArguments)
      try await owner.makeZone("Whole")
      try await owner.save("a", zone: "Whole")
      let first = CKShare(recordZoneID: .named("Whole"))
      try await owner.database.save(first)
      let second = try await failure {
        try await owner.database.save(CKShare(recordZoneID: .named("Whole")))
      }
      #expect(second.code == .serverRecordChanged)
      #expect((second.serverRecord as? CKShare)?.recordChangeTag == first.recordChangeTag)
      let inside = try await Self.refusal(
        of: try await owner.fetch("a", zone: "Whole"), in: owner.database)
      #expect(inside?.code == .serverRejectedRequest)
      #expect(try await owner.database.recordZone(for: .named("Z")).share == nil)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SHR-26 too many participants are tooManyParticipants`(_ engine: StorageEngine) async throws
  {
    try await EndToEndFixture.run(engine, limits: { $0.participants = 2 }) { fixture in
      let owner = try await fixture.device("alice", "phone")
      try await owner.makeZone("Z")
      let guests = [
        try await owner.container.shareParticipant(forEmailAddress: "bob@example.org"),
        try await owner.container.shareParticipant(forEmailAddress: "eve@example.org"),
      ]
      let error = try await Self.refusal(of: owner.record("a"), in: owner.database, with: guests)
      #expect(error?.code == .tooManyParticipants)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SHR-25 a share with an old tag is a conflict, and the server's share can be saved instead`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let hike = try await JoinedHike(fixture)
      // Who joins changes the share.
      try await hike.accept()
      hike.share[CKShare.SystemFieldKey.title] = "Ours"
      let conflict = try await failure { try await hike.owner.database.save(hike.share) }
      #expect(conflict.code == .serverRecordChanged && conflict.clientRecord === hike.share)
      let theirs = try #require(conflict.serverRecord as? CKShare)
      #expect(theirs.participants.map(\.acceptanceStatus) == [.accepted, .accepted])
      theirs[CKShare.SystemFieldKey.title] = "Ours"
      try await hike.owner.database.save(theirs)
      #expect(try await hike.current()[CKShare.SystemFieldKey.title] == "Ours")
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SHR-29 a guest's old tag is a conflict of that record, with the owner's version`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let hike = try await JoinedHike(fixture)
      try await hike.accept()
      let late = try await hike.guest.shared.record(for: hike.id("stop"))
      let stop = try await hike.owner.fetch("stop")
      stop["title"] = "by the owner"
      try await hike.owner.database.save(stop)
      late["title"] = "by the guest"
      let new = CKRecord(recordType: "Note", recordID: hike.id("new"))
      new.setParent(hike.id("hike"))
      let results = try await hike.guest.shared.modifyRecords(
        saving: [late, new], deleting: [], atomically: false)
      let conflict = try #require(results.saveResults[late.recordID]?.failure)
      #expect(conflict.code == .serverRecordChanged && conflict.clientRecord === late)
      #expect(conflict.serverRecord?.recordID == hike.id("stop"))
      #expect(conflict.serverRecord?["title"] == "by the owner")
      _ = try #require(results.saveResults[new.recordID]).get()
      #expect(try await hike.owner.fetch("stop")["title"] == "by the owner")
    }
  }

  /// What is behind a share's URL.
  private static func metadata(
    of share: CKShare, for device: Device, withRoot: Bool
  ) async throws -> CKShare.Metadata {
    let operation = CKFetchShareMetadataOperation(shareURLs: [try #require(share.url)])
    operation.shouldFetchRootRecord = withRoot
    operation.rootRecordDesiredKeys = ["two"]
    var found: CKShare.Metadata?
    operation.perShareMetadataResultBlock = { found = try? $1.get() }
    await device.run(operation)
    return try #require(found)
  }

  @Test(arguments: StorageEngine.allCases)
  func `SHR-21 the root comes with a share's metadata only if it is asked for`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let hike = try await JoinedHike(fixture)
      let root = try await hike.owner.fetch("hike")
      root["one"] = 1
      root["two"] = 2
      try await hike.owner.database.save(root)
      let plain = try await Self.metadata(of: hike.share, for: hike.guest, withRoot: false)
      #expect(plain.rootRecord == nil && plain.participantStatus == .pending)
      #expect(plain.hierarchicalRootRecordID == hike.id("hike"))
      #expect(plain.participantPermission == .readWrite)
      let whole = try await Self.metadata(of: hike.share, for: hike.guest, withRoot: true)
      #expect(whole.rootRecord?.recordID == hike.id("hike"))
      #expect(whole.rootRecord?.allKeys() == ["two"])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SHR-14 SHR-19 lowered rights count at once, and who is removed loses the zone`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let hike = try await JoinedHike(fixture)
      try await hike.accept()
      let before = try await hike.guest.shared.databaseChanges(since: nil)
      let known = try await hike.guest.shared.record(for: hike.id("stop"))
      let share = try await hike.current()
      let bob = try #require(share.participants.last)
      bob.permission = .readOnly
      try await hike.owner.database.save(share)
      known["title"] = "by the guest"
      let refused = try await failure { try await hike.guest.shared.save(known) }
      #expect(refused.code == .permissionFailure)
      #expect(try await hike.owner.fetch("stop")["title"] as String? == nil)

      share.removeParticipant(bob)
      try await hike.owner.database.save(share)
      let after = try await hike.guest.shared.databaseChanges(since: before.changeToken)
      #expect(after.modifications.isEmpty && after.deletions.map(\.zoneID) == [hike.theirs])
      #expect(after.deletions.map(\.reason) == [.deleted])
      let gone = try await failure { try await hike.guest.shared.record(for: hike.id("stop")) }
      #expect(gone.code == .zoneNotFound)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SHR-18 with the root go its share and what is below it, and guests lose the zone`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let hike = try await JoinedHike(fixture)
      try await hike.accept()
      let before = try await hike.guest.shared.databaseChanges(since: nil)
      let token = try await hike.owner.changes().token
      try await hike.owner.database.deleteRecord(withID: .named("hike"))
      let gone = ["hike", "stop", hike.share.recordID.recordName].map { "-\($0)" }
      #expect(try await hike.owner.changes(since: token).summary == gone.sorted())
      let after = try await hike.guest.shared.databaseChanges(since: before.changeToken)
      #expect(after.deletions.map(\.zoneID) == [hike.theirs])
      #expect(try await hike.guest.shared.allRecordZones().isEmpty)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `QRY-20 a query in the shared database needs a zone`(_ engine: StorageEngine) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let hike = try await JoinedHike(fixture)
      try await hike.owner.save("private")
      try await hike.accept()
      let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
      let error = try await failure { _ = try await hike.guest.shared.records(matching: query) }
      #expect(error.code == .invalidArguments && error.localizedDescription.contains("zone"))
      let (matches, _) = try await hike.guest.shared.records(
        matching: query, inZoneWith: hike.theirs)
      #expect(Set(matches.map(\.0)) == [hike.id("hike"), hike.id("stop")])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `PSH-11 when a guest accepts, the owner is notified, and so is the guest's other device`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let hike = try await JoinedHike(fixture)
      let tablet = try await fixture.device("bob", "tablet")
      let inboxes = (owner: try await Inbox(hike.owner), tablet: try await Inbox(tablet))
      try await hike.owner.database.save(
        CKRecordZoneSubscription(zoneID: .named("Z"), subscriptionID: "zone").silent())
      try await tablet.shared.save(CKDatabaseSubscription(subscriptionID: "shared").silent())
      try await hike.accept()
      #expect(try await inboxes.owner.nextZone().subscriptionID == "zone")
      #expect(try await inboxes.tablet.next().subscriptionID == "shared")
    }
  }
}
