// The calls with completion handlers and the pages of queries that `APIStyleTests` does not go
// through: many records at once, cursors, single zones, many subscriptions, many shares.

import BrumeKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct HandlerTests {
  private typealias Records = [CKRecord.ID: Result<CKRecord, any Error>]
  private typealias Page = (
    matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
    queryCursor: CKQueryOperation.Cursor?
  )

  @Test func `many records are saved, fetched and deleted with one handler each`() async throws {
    try await EndToEndFixture.run(.memory) { fixture in
      let phone = try await fixture.pair().phone
      let database = phone.database
      let records = ["a", "b"].map { phone.record($0, ["n": 1, "m": 2]) }
      let saved: Records = try await waited { done in
        database.modifyRecords(saving: records, deleting: [.named("none")]) { result in
          done(
            result.map { both in
              #expect(both.deleteResults[.named("none")]?.failure == nil)
              return both.saveResults
            })
        }
      }
      #expect(Set(saved.keys) == [.named("a"), .named("b")])
      let ids: [CKRecord.ID] = [.named("a"), .named("ghost")]
      let fetched: Records = try await waited {
        database.fetch(withRecordIDs: ids, desiredKeys: ["n"], completionHandler: $0)
      }
      #expect(try fetched[.named("a")]?.get().allKeys() == ["n"])
      #expect(fetched[.named("ghost")]?.failure?.code == .unknownItem)

      let stale = phone.record("a", ["n": 3])
      let atomic: Records = try await waited { done in
        database.modifyRecords(
          saving: [stale, phone.record("c")], deleting: [], savePolicy: .ifServerRecordUnchanged,
          atomically: true
        ) { result in done(result.map(\.saveResults)) }
      }
      #expect(atomic[.named("a")]?.failure?.code == .serverRecordChanged)
      #expect(atomic[.named("c")]?.failure?.code == .batchRequestFailed)
      let forced: Records = try await waited { done in
        database.modifyRecords(
          saving: [stale], deleting: [], savePolicy: .allKeys, atomically: false
        ) { result in done(result.map(\.saveResults)) }
      }
      #expect(forced[.named("a")]?.failure == nil)
      #expect(try await phone.fetch("a")["n"] == 3)
    }
  }

  @Test(arguments: [APIStyle.handlers, .async])
  func `a query is gone through page by page`(_ style: APIStyle) async throws {
    try await EndToEndFixture.run(.memory) { fixture in
      let phone = try await fixture.pair().phone
      for number in 0..<5 { try await phone.save("r\(number)", ["n": number]) }
      let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
      query.sortDescriptors = [NSSortDescriptor(key: "n", ascending: true)]
      func next(_ cursor: CKQueryOperation.Cursor?) async throws -> Page {
        switch (style, cursor) {
        case (.handlers, nil):
          return try await waited {
            phone.database.fetch(
              withQuery: query, inZoneWith: .named("Z"), desiredKeys: ["n"], resultsLimit: 2,
              completionHandler: $0)
          }
        case (.handlers, .some(let cursor)):
          return try await waited {
            phone.database.fetch(
              withCursor: cursor, desiredKeys: ["n"], resultsLimit: 2, completionHandler: $0)
          }
        case (_, nil):
          return try await phone.database.records(
            matching: query, inZoneWith: .named("Z"), desiredKeys: ["n"], resultsLimit: 2)
        case (_, .some(let cursor)):
          return try await phone.database.records(
            continuingMatchFrom: cursor, desiredKeys: ["n"], resultsLimit: 2)
        }
      }
      var (names, sizes, cursor) = ([String](), [Int](), nil as CKQueryOperation.Cursor?)
      repeat {
        let page = try await next(cursor)
        names += page.matchResults.map(\.0.recordName)
        sizes.append(page.matchResults.count)
        cursor = page.queryCursor
      } while cursor != nil
      #expect(names == ["r0", "r1", "r2", "r3", "r4"])
      #expect(sizes.prefix(3) == [2, 2, 1])
    }
  }

  @Test func `one zone is saved, fetched and deleted with handlers`() async throws {
    try await EndToEndFixture.run(.memory) { fixture in
      let database = try await fixture.device("alice", "phone").database
      let saved: CKRecordZone = try await waited { done in
        database.save(CKRecordZone(zoneName: "Z")) { done(either($0, $1)) }
      }
      #expect(saved.zoneID == .named("Z") && saved.capabilities.contains(.atomic))
      let fetched: CKRecordZone = try await waited { done in
        database.fetch(withRecordZoneID: .named("Z")) { done(either($0, $1)) }
      }
      #expect(fetched.zoneID == .named("Z"))
      let many: [CKRecordZone.ID: Result<CKRecordZone, any Error>] = try await waited {
        database.fetch(withRecordZoneIDs: [.named("Z"), .named("X")], completionHandler: $0)
      }
      #expect(many[.named("Z")]?.failure == nil)
      #expect(many[.named("X")]?.failure?.code == .zoneNotFound)
      let gone: CKRecordZone.ID = try await waited { done in
        database.delete(withRecordZoneID: .named("Z")) { done(either($0, $1)) }
      }
      #expect(gone == .named("Z"))
      let missing = try await failure {
        let _: CKRecordZone = try await waited { done in
          database.fetch(withRecordZoneID: .named("Z")) { done(either($0, $1)) }
        }
      }
      #expect(missing.code == .zoneNotFound)
    }
  }

  @Test(arguments: [APIStyle.handlers, .async])
  func `many subscriptions are saved and deleted in one call`(_ style: APIStyle) async throws {
    typealias Answer = (
      saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
      deleteResults: [CKSubscription.ID: Result<Void, any Error>]
    )
    try await EndToEndFixture.run(.memory) { fixture in
      let database = try await fixture.device("alice", "phone").database
      func modify(
        _ subscriptions: [CKSubscription], deleting ids: [CKSubscription.ID]
      ) async throws -> Answer {
        if style == .async {
          return try await database.modifySubscriptions(saving: subscriptions, deleting: ids)
        }
        return try await waited {
          database.modifySubscriptions(
            saving: subscriptions, deleting: ids, completionHandler: $0)
        }
      }
      func silent(_ subscription: CKSubscription) -> CKSubscription {
        subscription.notificationInfo = CKSubscription.NotificationInfo()
        subscription.notificationInfo?.shouldSendContentAvailable = true
        return subscription
      }
      let all = silent(CKDatabaseSubscription(subscriptionID: "all"))
      let nowhere = silent(
        CKRecordZoneSubscription(zoneID: .named("X"), subscriptionID: "nowhere"))
      let first = try await modify([all, nowhere], deleting: [])
      #expect(first.saveResults["all"]?.failure == nil)
      #expect(first.saveResults["nowhere"]?.failure?.code == .zoneNotFound)
      let second = try await modify([], deleting: ["all", "none"])
      #expect(second.deleteResults["all"]?.failure == nil)
      #expect(second.deleteResults["none"]?.failure?.code == .unknownItem)
      #expect(try await database.allSubscriptions().isEmpty)
    }
  }

  @Test(arguments: [APIStyle.handlers, .async])
  func `several shares are accepted in one call, each with its own answer`(_ style: APIStyle)
    async throws
  {
    try await EndToEndFixture.run(.memory) { fixture in
      let (alice, bob) = (
        try await fixture.device("alice", "phone"), try await fixture.device("bob", "phone")
      )
      try await alice.makeZone("Z")
      var metadatas: [CKShare.Metadata] = []
      var shares: [CKShare] = []
      for name in ["a", "b"] {
        let root = alice.record(name)
        let share = CKShare(rootRecord: root)
        share.publicPermission = .readOnly
        _ = try await alice.database.modifyRecords(saving: [root, share], deleting: [])
        metadatas.append(
          try await bob.container.shareMetadata(for: try #require(share.url)))
        shares.append(share)
      }
      try await alice.database.deleteRecord(withID: shares[1].recordID)
      let answers: [CKShare.Metadata: Result<CKShare, any Error>]
      if style == .async {
        answers = try await bob.container.accept(metadatas)
      } else {
        answers = try await waited { bob.container.accept(metadatas, completionHandler: $0) }
      }
      #expect(try answers[metadatas[0]]?.get().currentUserParticipant?.role == .publicUser)
      #expect(answers[metadatas[1]]?.failure?.code == .unknownItem)
    }
  }

  @Test func `a share's metadata is the same after it was archived, and still opens the share`()
    async throws
  {
    try await EndToEndFixture.run(.memory) { fixture in
      let (alice, bob) = (
        try await fixture.device("alice", "phone"), try await fixture.device("bob", "phone")
      )
      try await alice.makeZone("Z")
      let root = alice.record("hike", ["n": 1])
      let share = CKShare(rootRecord: root)
      share.publicPermission = .readWrite
      _ = try await alice.database.modifyRecords(saving: [root, share], deleting: [])
      let url = try #require(share.url)
      let fetched: CKShare.Metadata = try await waited { done in
        let operation = CKFetchShareMetadataOperation(shareURLs: [url])
        operation.shouldFetchRootRecord = true
        operation.perShareMetadataResultBlock = { done($1) }
        bob.container.add(operation)
      }
      let data = try NSKeyedArchiver.archivedData(
        withRootObject: fetched, requiringSecureCoding: true)
      let read = try #require(
        try NSKeyedUnarchiver.unarchivedObject(ofClass: CKShare.Metadata.self, from: data))
      #expect(read.containerIdentifier == EndToEndFixture.containerName)
      #expect(read.hierarchicalRootRecordID == fetched.hierarchicalRootRecordID)
      #expect(read.rootRecord?["n"] == 1 && read.share.url == url)
      #expect(read.ownerIdentity.userRecordID == fetched.ownerIdentity.userRecordID)
      #expect(read.participantRole == fetched.participantRole)
      #expect(read.participantStatus == fetched.participantStatus)
      #expect(read.participantPermission == fetched.participantPermission)
      #expect(read.copy() as? CKShare.Metadata === read)
      try await bob.container.accept(read)
      let id = try #require(read.hierarchicalRootRecordID)
      #expect(try await bob.shared.record(for: id)["n"] == 1)
    }
  }

  @Test func `changes of a database come with a handler`() async throws {
    try await EndToEndFixture.run(.memory) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.makeZone("Y")
      typealias Changes = (
        modifications: [CKDatabase.DatabaseChange.Modification],
        deletions: [CKDatabase.DatabaseChange.Deletion], changeToken: CKServerChangeToken,
        moreComing: Bool
      )
      let first: Changes = try await waited {
        laptop.database.fetchDatabaseChanges(since: nil, completionHandler: $0)
      }
      #expect(Set(first.modifications.map(\.zoneID)) == [.named("Z"), .named("Y")])
      try await phone.database.deleteRecordZone(withID: .named("Y"))
      let second: Changes = try await waited {
        laptop.database.fetchDatabaseChanges(
          since: first.changeToken, resultsLimit: 5, completionHandler: $0)
      }
      #expect(second.modifications.isEmpty && !second.moreComing)
      #expect(second.deletions.map(\.zoneID) == [.named("Y")])
      #expect(second.deletions.allSatisfy { $0.reason == .deleted && !$0.purged })
    }
  }

  @Test func `a record is made in a zone without a name of its own`() async throws {
    try await EndToEndFixture.run(.memory) { fixture in
      let phone = try await fixture.pair().phone
      let saved = try await phone.database.save(CKRecord(recordType: "Note", zoneID: .named("Z")))
      #expect(UUID(uuidString: saved.recordID.recordName) != nil)
      #expect(saved.recordID.zoneID == .named("Z"))
    }
  }
}
