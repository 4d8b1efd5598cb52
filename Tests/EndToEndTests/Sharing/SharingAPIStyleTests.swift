// Inviting, looking behind a URL, accepting and asking for access, in the three ways in which apps ask.

import BrumeCore
import BrumeKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SharingAPIStyleTests {
  /// Alice with a zone, and Bob with a name and a number.
  private static func people(
    _ body: @escaping @Sendable (Device, Device) async throws -> Void
  ) async throws {
    try await EndToEndFixture.run(.memory) { fixture in
      let (alice, bob) = (
        try await fixture.device("alice", "phone"), try await fixture.device("bob", "phone")
      )
      var (his, hers) = (Accounts.Change(), Accounts.Change())
      (his.givenName, his.phoneNumber) = ("Bob", "+4366012345")
      hers.givenName = "Alice"
      try await fixture.set(his, of: "bob")
      try await fixture.set(hers, of: "alice")
      try await alice.makeZone("Z")
      try await body(alice, bob)
    }
  }

  /// A share of a record that only these may join.
  private static func share(
    _ alice: Device, _ name: String, with guests: [CKShare.Participant]
  ) async throws -> CKShare {
    let root = alice.record(name, type: "Hike")
    let share = CKShare(rootRecord: root)
    guests.forEach { share.addParticipant($0) }
    let results = try await alice.database.modifyRecords(saving: [root, share], deleting: [])
    return try #require(try results.saveResults[share.recordID]?.get() as? CKShare)
  }

  @Test(arguments: APIStyle.allCases)
  func `somebody invited by address, number or record sees who owns what, and joins`(
    _ style: APIStyle
  ) async throws {
    try await Self.people { alice, bob in
      let me = try await bob.container.userRecordID()
      let owner = try await alice.container.userRecordID()
      let ways = [Known.email("bob@example.org"), .phone("+4366012345"), .record(me)]
      for (number, known) in ways.enumerated() {
        let guest = try await style.participant(known, alice.container)
        #expect(guest.userIdentity.userRecordID == me && guest.acceptanceStatus == .pending)
        #expect(guest.userIdentity.nameComponents?.givenName == "Bob")
        #expect(guest.role == .privateUser && guest.userIdentity.lookupInfo == known.info)
        guest.permission = .readWrite
        let share = try await Self.share(alice, "hike\(number)", with: [guest])
        let url = try #require(share.url)
        let metadata = try await style.metadata(url, bob.container)
        #expect(metadata.participantStatus == .pending)
        #expect(metadata.participantPermission == .readWrite)
        #expect(metadata.participantRole == .privateUser)
        #expect(metadata.ownerIdentity.userRecordID == owner)
        #expect(metadata.ownerIdentity.nameComponents?.givenName == "Alice")
        #expect(metadata.hierarchicalRootRecordID?.recordName == "hike\(number)")
        let joined = try await style.accept(metadata, bob.container)
        #expect(joined.currentUserParticipant?.acceptanceStatus == .accepted)
        let root = try #require(metadata.hierarchicalRootRecordID)
        #expect(try await bob.shared.record(for: root).recordType == "Hike")
      }
    }
  }

  @Test(arguments: APIStyle.allCases)
  func `many are invited at once, and one whom nobody knows is invited by the address`(
    _ style: APIStyle
  ) async throws {
    try await Self.people { alice, bob in
      let me = try await bob.container.userRecordID()
      let found = try await style.participants(
        addresses: ["bob@example.org", "stranger@example.org"], numbers: ["+4366012345"],
        records: [me], alice.container)
      #expect(found.map(\.?.userRecordID) == [me, nil, me, me])
      #expect(found[1]?.lookupInfo?.emailAddress == "stranger@example.org")
      #expect(found[1]?.hasiCloudAccount == false)
    }
  }

  @Test(arguments: APIStyle.allCases)
  func `a URL that leads nowhere is unknownItem and does not keep others from being read`(
    _ style: APIStyle
  ) async throws {
    try await Self.people { alice, bob in
      let guest = try await style.participant(.email("bob@example.org"), alice.container)
      let url = try #require(try await Self.share(alice, "hike", with: [guest]).url)
      let nowhere = try #require(URL(string: "https://brume.test/share/nothing"))
      let one = try await failure { _ = try await style.metadata(nowhere, bob.container) }
      #expect(one.code == .unknownItem)
      let all = try await style.metadatas([nowhere, url], bob.container)
      #expect(all[nowhere]?.failure?.code == .unknownItem)
      #expect(try all[url]?.get().hierarchicalRootRecordID?.recordName == "hike")
    }
  }

  @Test(arguments: APIStyle.allCases)
  func `a share that ended before it was accepted is unknownItem`(_ style: APIStyle) async throws {
    try await Self.people { alice, bob in
      let guest = try await style.participant(.email("bob@example.org"), alice.container)
      let share = try await Self.share(alice, "hike", with: [guest])
      let metadata = try await style.metadata(try #require(share.url), bob.container)
      try await alice.database.deleteRecord(withID: share.recordID)
      let late = try await failure { _ = try await style.accept(metadata, bob.container) }
      #expect(late.code == .unknownItem)
    }
  }

  @Test func `access is asked for by an operation, once for each URL`() async throws {
    try await Self.people { alice, bob in
      let root = alice.record("hike", type: "Hike")
      let share = CKShare(rootRecord: root)
      share.allowsAccessRequests = true
      _ = try await alice.database.modifyRecords(saving: [root, share], deleting: [])
      let urls = [try #require(share.url), try #require(URL(string: "https://brume.test/share/x"))]
      let asked: [URL] = try await waited { done in
        let operation = CKShareRequestAccessOperation(shareURLs: urls)
        var asked: [URL] = []
        operation.perShareAccessRequestResultBlock = { url, result in
          if result.failure == nil { asked.append(url) }
        }
        operation.shareAccessRequestResultBlock = { done($0.map { asked }) }
        bob.container.add(operation)
      }
      #expect(asked == urls, "it does not say which of them is a share")
      let now = try #require(try await alice.database.record(for: share.recordID) as? CKShare)
      let me = try await bob.container.userRecordID()
      #expect(now.requesters.map(\.userIdentity.userRecordID) == [me])
    }
  }

  @Test func `an administrator manages who takes part, and ends only his own part`() async throws {
    try await Self.people { alice, bob in
      let guest = try await alice.container.shareParticipant(forEmailAddress: "bob@example.org")
      (guest.role, guest.permission) = (.administrator, .readWrite)
      let made = try await Self.share(alice, "hike", with: [guest])
      let metadata = try await bob.container.shareMetadata(for: try #require(made.url))
      #expect(metadata.participantRole == .administrator)
      let share = try await bob.container.accept(metadata)
      #expect(share.currentUserParticipant?.role == .administrator)

      let friend = try await bob.container.shareParticipant(forEmailAddress: "friend@example.org")
      share.addParticipant(friend)
      try await bob.shared.save(share)
      func current() async throws -> CKShare {
        try #require(try await alice.database.record(for: made.recordID) as? CKShare)
      }
      #expect(
        try await current().participants.map(\.role) == [.owner, .administrator, .privateUser])
      let again = try #require(try await bob.shared.record(for: share.recordID) as? CKShare)
      again.removeParticipant(try #require(again.participants.last))
      try await bob.shared.save(again)
      #expect(try await current().participants.count == 2)

      try await bob.shared.deleteRecord(withID: share.recordID)
      let left = try await current()
      #expect(left.owner.acceptanceStatus == .accepted && left.url != nil)
      let gone = try await failure { _ = try await bob.shared.record(for: share.recordID) }
      #expect(gone.code == .unknownItem || gone.code == .zoneNotFound)
    }
  }

  @Test func `who is no administrator any more manages nobody`() async throws {
    try await Self.people { alice, bob in
      let guest = try await alice.container.shareParticipant(forEmailAddress: "bob@example.org")
      (guest.role, guest.permission) = (.administrator, .readWrite)
      let made = try await Self.share(alice, "hike", with: [guest])
      let url = try #require(made.url)
      _ = try await bob.container.accept(try await bob.container.shareMetadata(for: url))
      let owned = try #require(try await alice.database.record(for: made.recordID) as? CKShare)
      try #require(owned.participants.last).role = .privateUser
      try await alice.database.save(owned)

      let metadata = try await bob.container.shareMetadata(for: url)
      #expect(metadata.participantRole == .privateUser)
      let seen = try #require(
        try await bob.shared.record(for: metadata.share.recordID) as? CKShare)
      seen.addParticipant(
        try await bob.container.shareParticipant(forEmailAddress: "friend@example.org"))
      let refused = try await failure { try await bob.shared.save(seen) }
      #expect(refused.code == .permissionFailure)
    }
  }

  @available(*, deprecated, message: "tests what is deprecated")
  @Test func `the older names of a share's metadata and participants mean the same`() async throws {
    try await Self.people { alice, bob in
      let guest = try await alice.container.shareParticipant(forEmailAddress: "bob@example.org")
      let type: CKShare.Participant.ParticipantType = guest.type
      let role: CKShare.Participant.Role = guest.role
      let status: CKShare.Participant.AcceptanceStatus = guest.acceptanceStatus
      let permission: CKShare_Participant_Permission = guest.permission
      let oldStatus: CKShare_Participant_AcceptanceStatus = status
      let oldType: CKShare_Participant_ParticipantType = type
      let oldRole: CKShare_Participant_Role = role
      #expect(oldType == .privateUser && oldRole == .privateUser && oldStatus == .pending)
      #expect(permission == guest.permission)
      let url = try #require(try await Self.share(alice, "hike", with: [guest]).url)
      let metadata = try await bob.container.shareMetadata(for: url)
      #expect(metadata.rootRecordID == metadata.hierarchicalRootRecordID)
      #expect(metadata.participantType == .privateUser)
    }
  }
}
