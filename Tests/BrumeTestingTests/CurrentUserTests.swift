// Who made a record, asked of the server and of the record itself: both answers are the same,
// whichever name the condition has for the current user.

import BrumeKit
import BrumeTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct CurrentUserTests {
  /// Alice's and bob's records in the public database, as alice sees them.
  private struct Fixture {
    let server: LocalServer
    let alice: CKContainer
    let bob: CKContainer
    let mine: CKRecord
    let his: CKRecord

    init() async throws {
      server = try await LocalServer()
      alice = try await server.device("phone", of: "alice")
      bob = try await server.device("tablet", of: "bob")
      for (name, container) in [("mine", alice), ("his", bob)] {
        let record = CKRecord(recordType: "Whistle", recordID: CKRecord.ID(recordName: name))
        record["genre"] = "jazz"
        try await container.publicCloudDatabase.save(record)
      }
      mine = try await alice.publicCloudDatabase.record(for: CKRecord.ID(recordName: "mine"))
      his = try await alice.publicCloudDatabase.record(for: CKRecord.ID(recordName: "his"))
    }

    /// The names that the server finds for alice, and those whose records match on her device.
    func found(_ predicate: NSPredicate) async throws -> (server: [String], device: [String]) {
      let query = CKQuery(recordType: "Whistle", predicate: predicate)
      let answer = try await alice.publicCloudDatabase.records(matching: query)
      let here: [CKRecord] = [mine, his].filter { predicate.evaluate(with: $0) }
      return (
        answer.matchResults.map(\.0.recordName).sorted(), here.map(\.recordID.recordName).sorted()
      )
    }
  }

  @Test(arguments: ["creatorUserRecordID", "___createdBy", "lastModifiedUserRecordID"])
  func `a condition on the user finds one's own records under either name`(
    key: String
  ) async throws {
    let fixture = try await Fixture()
    let me = try await fixture.alice.userRecordID()
    #expect(fixture.mine.creatorUserRecordID?.recordName == CKCurrentUserDefaultName)
    for id in [me, CKRecord.ID(recordName: CKCurrentUserDefaultName)] {
      let reference = CKRecord.Reference(recordID: id, action: .none)
      for argument in [id, reference] as [Any] {
        let equal = try await fixture.found(NSPredicate(format: "\(key) == %@", argument))
        #expect(equal.server == ["mine"] && equal.device == ["mine"])
        let other = try await fixture.found(NSPredicate(format: "\(key) != %@", argument))
        #expect(other.server == ["his"] && other.device == ["his"])
        let any = try await fixture.found(NSPredicate(format: "\(key) IN %@", [argument]))
        #expect(any.server == ["mine"] && any.device == ["mine"])
      }
    }
    let bob = try await fixture.bob.userRecordID()
    let theirs = try await fixture.found(NSPredicate(format: "\(key) == %@", bob))
    #expect(theirs.server == ["his"] && theirs.device == ["his"])
  }

  @Test func `the creator that a record shows can be fetched`() async throws {
    let fixture = try await Fixture()
    let me = try await fixture.alice.userRecordID()
    let creator = try #require(fixture.mine.creatorUserRecordID)
    for database in [fixture.alice.publicCloudDatabase, fixture.alice.privateCloudDatabase] {
      let user = try await database.record(for: creator)
      #expect(user.recordType == CKRecord.SystemType.userRecord)
      #expect(user.recordID.recordName == me.recordName)
    }
    let bob = try #require(fixture.his.creatorUserRecordID)
    #expect(try await fixture.bob.userRecordID().recordName == bob.recordName)
    #expect(
      try await fixture.alice.publicCloudDatabase.record(for: bob).recordID == bob)
    let ghost = CKRecord.ID(
      recordName: CKCurrentUserDefaultName, zoneID: CKRecordZone.ID(zoneName: "Z"))
    try await fixture.alice.privateCloudDatabase.save(CKRecordZone(zoneName: "Z"))
    let missing = try await fixture.alice.privateCloudDatabase.records(for: [ghost])
    #expect(throws: CKError.self) { try missing[ghost]?.get() }
  }

  @Test func `a record from an archive still knows who made it`() async throws {
    let fixture = try await Fixture()
    let coder = NSKeyedArchiver(requiringSecureCoding: true)
    fixture.mine.encodeSystemFields(with: coder)
    coder.finishEncoding()
    let reader = try NSKeyedUnarchiver(forReadingFrom: coder.encodedData)
    let again = try #require(CKRecord(coder: reader))
    let me = try await fixture.alice.userRecordID()
    #expect(NSPredicate(format: "creatorUserRecordID == %@", me).evaluate(with: again))
    let bob = try await fixture.bob.userRecordID()
    #expect(!NSPredicate(format: "creatorUserRecordID == %@", bob).evaluate(with: again))
  }

  @Test func `a subscription on one's own records is kept with the user's own name`()
    async throws
  {
    let fixture = try await Fixture()
    let me = CKRecord.ID(recordName: CKCurrentUserDefaultName)
    let subscription = CKQuerySubscription(
      recordType: "Whistle", predicate: NSPredicate(format: "creatorUserRecordID == %@", me),
      subscriptionID: "mine", options: .firesOnRecordCreation)
    subscription.notificationInfo = CKSubscription.NotificationInfo()
    subscription.notificationInfo?.shouldSendContentAvailable = true
    let database = fixture.alice.publicCloudDatabase
    try await database.save(subscription)
    let kept = try #require(
      try await database.subscription(for: "mine") as? CKQuerySubscription)
    #expect(kept.predicate.evaluate(with: fixture.mine))
    #expect(!kept.predicate.evaluate(with: fixture.his))
  }

  @Test func `a predicate that no server answers still filters the app's own records`() {
    let record = CKRecord(recordType: "Whistle")
    record["genre"] = "jazz"
    record["stars"] = 3
    for format in [
      "genre == 'rock' OR stars > 2", "NOT (genre == 'rock' AND stars > 2)",
      "genre == 'jazz' AND (stars == 1 OR stars == 3)",
    ] {
      #expect(NSPredicate(format: format).evaluate(with: record), "\(format)")
    }
    for format in [
      "genre == 'rock' OR stars > 3", "NOT (genre == 'jazz' OR stars > 3)",
      "NOT (genre LIKE 'ja*' OR stars > 3)",
    ] {
      #expect(!NSPredicate(format: format).evaluate(with: record), "\(format)")
    }
  }
}
