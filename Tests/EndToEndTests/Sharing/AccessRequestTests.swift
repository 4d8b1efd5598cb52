// Taking part by a one-time URL, and asking for access (docs/differences.md).

import BrumeKit
import BrumeModel
import BrumeServer
import Foundation
import Testing

/// A zone of alice's with one record, shared as a whole.
private struct SharedZone {
  let owner: Device
  let guest: Device
  let share: CKShare

  init(_ fixture: EndToEndFixture, _ prepare: (CKShare) -> Void = { _ in }) async throws {
    owner = try await fixture.device("alice", "phone")
    guest = try await fixture.device("bob", "phone")
    try await owner.makeZone("Z")
    try await owner.save("a")
    let share = CKShare(recordZoneID: .named("Z"))
    prepare(share)
    try await owner.database.save(share)
    self.share = share
  }

  /// The share as its owner finds it now.
  func current() async throws -> CKShare {
    try #require(try await owner.database.record(for: share.recordID) as? CKShare)
  }

  func ask() async throws {
    let url = try #require(share.url)
    let answers = try await guest.container.requestShareAccess(for: [url])
    _ = try #require(answers[url]).get()
  }

  func join(_ url: URL?) async throws {
    let metadata = try await guest.container.shareMetadata(for: try #require(url))
    try await guest.container.accept(metadata)
  }
}

@Suite(.timeLimit(.minutes(10)))
struct AccessRequestTests {
  @Test(arguments: StorageEngine.allCases)
  func `a one-time URL lets in one person, and nobody else learns it`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (place, other) = (
        CKShare.Participant.oneTimeURLParticipant(), CKShare.Participant.oneTimeURLParticipant()
      )
      place.permission = .readWrite
      let zone = try await SharedZone(fixture) {
        $0.addParticipant(place)
        $0.addParticipant(other)
      }
      let url = try #require(zone.share.oneTimeURL(for: place.participantID))
      #expect(url != zone.share.url)
      let closed = try await failure {
        _ = try await zone.guest.container.shareMetadata(for: try #require(zone.share.url))
      }
      #expect(closed.code == .unknownItem, "the plain URL invites nobody")

      try await zone.join(url)
      let share = try await zone.current()
      let taken = try #require(
        share.participants.first { $0.participantID == place.participantID })
      #expect(taken.acceptanceStatus == .accepted && taken.permission == .readWrite)
      #expect(taken.userIdentity.userRecordID != nil && taken.dateAddedToShare != nil)
      #expect(share.oneTimeURL(for: place.participantID) == nil, "it was used")
      #expect(share.oneTimeURL(for: other.participantID) != nil)

      let zoneID = CKRecordZone.ID(
        zoneName: "Z", ownerName: try await zone.owner.container.userRecordID().recordName)
      let seen = try #require(
        try await zone.guest.shared.record(
          for: CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: zoneID)) as? CKShare)
      #expect(seen.oneTimeURL(for: other.participantID) == nil, "only managers see URLs")
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `a share that takes no requests notes none and does not say so`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let zone = try await SharedZone(fixture)
      #expect(!zone.share.allowsAccessRequests)
      try await zone.ask()
      let nowhere = try #require(URL(string: "https://brume.test/share/nothing"))
      let answers = try await zone.guest.container.requestShareAccess(for: [nowhere])
      #expect(answers[nowhere]?.failure == nil)
      let share = try await zone.current()
      #expect(share.requesters.isEmpty)
      #expect(share.recordChangeTag == zone.share.recordChangeTag)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `who asks is seen by the owner and let in by being added`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let zone = try await SharedZone(fixture) { $0.allowsAccessRequests = true }
      try await zone.ask()
      try await zone.ask()
      let share = try await zone.current()
      let requester = try #require(share.requesters.first)
      #expect(share.requesters.count == 1 && share.allowsAccessRequests)
      let bob = try await zone.guest.container.userRecordID()
      #expect(requester.userIdentity.userRecordID == bob)
      #expect(requester.contact.identifier == bob.recordName)

      let info = requester.participantLookupInfo
      let found = try await zone.owner.container.shareParticipants(for: [info])
      share.addParticipant(try #require(found[info]).get())
      try await zone.owner.database.save(share)
      #expect(share.requesters.isEmpty)
      #expect(share.participants.last?.isApprovedRequester == true)
      try await zone.join(share.url)
      #expect(try await zone.current().participants.last?.acceptanceStatus == .accepted)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `who is denied may ask again, who is blocked may not until unblocked`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let zone = try await SharedZone(fixture) { $0.allowsAccessRequests = true }
      try await zone.ask()
      var share = try await zone.current()
      share.denyRequesters(share.requesters)
      try await zone.owner.database.save(share)
      #expect(share.requesters.isEmpty && share.blockedIdentities.isEmpty)

      try await zone.ask()
      share = try await zone.current()
      share.blockRequesters(share.requesters)
      try await zone.owner.database.save(share)
      #expect(share.requesters.isEmpty && share.blockedIdentities.count == 1)
      try await zone.ask()
      #expect(try await zone.current().requesters.isEmpty)

      share = try await zone.current()
      share.unblockIdentities(share.blockedIdentities)
      try await zone.owner.database.save(share)
      try await zone.ask()
      #expect(try await zone.current().requesters.count == 1)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `an API token is exchanged for a token of the current user`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let phone = try await fixture.device("alice", "phone")
      func exchange(_ apiToken: String?) async -> Result<String, any Error>? {
        let operation = CKFetchWebAuthTokenOperation()
        operation.apiToken = apiToken
        var result: Result<String, any Error>?
        operation.fetchWebAuthTokenResultBlock = { result = $0 }
        await phone.run(operation, on: phone.database)
        return result
      }
      let ready = try await fixture.server.development.prepare(
        in: EndToEndFixture.containerEnvironment)
      let token = try #require(await exchange(ready.apiToken)).get()
      let page = Brume.container(
        Brume.Configuration(
          url: fixture.url, container: EndToEndFixture.containerName, apiToken: ready.apiToken,
          userToken: token, deviceID: "page"))
      #expect(try await page.userRecordID() == phone.container.userRecordID())
      #expect(await exchange("0000")?.failure?.code == .invalidArguments)
      #expect(await exchange(nil)?.failure?.code == .invalidArguments)
    }
  }
}
