import BrumeKit
import BrumeTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct LocalServerTests {
  private let zone = CKRecordZone.ID(zoneName: "Z")

  private func record(_ name: String, _ text: String = "") -> CKRecord {
    let record = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zone))
    record["text"] = text
    return record
  }

  /// A server with alice's phone, and her zone.
  private func phone() async throws -> (LocalServer, CKContainer, CKDatabase) {
    let server = try await LocalServer()
    let phone = try await server.device("phone", of: "alice")
    try await phone.privateCloudDatabase.save(CKRecordZone(zoneID: zone))
    return (server, phone, phone.privateCloudDatabase)
  }

  @Test func `two devices of a user share data, and two users do not`() async throws {
    let (server, _, database) = try await phone()
    try await database.save(record("a", "hello"))
    let laptop = try await server.device("laptop", of: "alice").privateCloudDatabase
    let bobs = try await server.device("tablet", of: "bob").privateCloudDatabase
    let id = record("a").recordID

    #expect(try await laptop.record(for: id)["text"] as? String == "hello")
    #expect(try await failure { try await bobs.record(for: id) }.code == .zoneNotFound)
  }

  @Test func `a test has as many users and devices as it names`() async throws {
    let server = try await LocalServer()
    var users: Set<CKRecord.ID> = []
    for number in 1...40 {
      let phone = try await server.device("phone-\(number)", of: "user-\(number)")
      try await phone.privateCloudDatabase.save(CKRecordZone(zoneID: zone))
      try await phone.privateCloudDatabase.save(record("\(number)"))
      let laptop = try await server.device("laptop-\(number)", of: "user-\(number)")
      let found = try await laptop.privateCloudDatabase.records(for: [record("\(number)").recordID])
      #expect(found.count == 1)
      users.insert(try await laptop.userRecordID())
    }
    #expect(users.count == 40)
  }

  @Test(arguments: [
    CKError.Code.networkUnavailable, .networkFailure, .serverResponseLost, .serviceUnavailable,
    .requestRateLimited, .notAuthenticated, .accountTemporarilyUnavailable, .quotaExceeded,
    .permissionFailure, .unknownItem, .zoneNotFound, .limitExceeded, .internalError,
    .managedAccountRestricted, .incompatibleVersion, .missingEntitlement, .zoneBusy,
    .userDeletedZone, .invalidArguments, .serverRejectedRequest, .constraintViolation,
    .referenceViolation, .badContainer, .operationCancelled,
  ])
  func `the next save fails with any error, and the one after it works`(
    code: CKError.Code
  ) async throws {
    let (server, _, database) = try await phone()
    server.faults.add(.error(code, on: .saveRecords))
    let error = try await failure { try await database.save(record("a")) }
    #expect(error.code == code)
    try await database.save(record("a"))
  }

  @Test func `a throttled call says how long to wait`() async throws {
    let (server, _, database) = try await phone()
    server.faults.add(.throttled(retryAfter: 3.5, on: .fetchRecords))
    let error = try await failure { try await database.record(for: record("a").recordID) }
    #expect(error.code == .requestRateLimited)
    #expect(error.retryAfterSeconds == 3.5)
  }

  @Test func `LIM-06 a save whose answer is lost was carried out, and trying again is safe`()
    async throws
  {
    let (server, _, database) = try await phone()
    server.faults.add(.lostAnswer(on: .saveRecords))
    let mine = record("a", "one")
    let error = try await failure { try await database.save(mine) }
    #expect(error.code == .serverResponseLost)
    let again = try await failure { try await database.save(mine) }
    #expect(again.code == .serverRecordChanged)
    let theirs = try #require(again.serverRecord)
    #expect(theirs["text"] as? String == "one" && theirs.recordChangeTag != nil)
  }

  @Test func `a conflict is real: the server's record has a tag that the next save needs`()
    async throws
  {
    let (server, _, database) = try await phone()
    let mine = try await database.save(record("a", "one"))
    server.faults.add(.conflict)
    mine["text"] = "two"
    let error = try await failure { try await database.save(mine) }
    #expect(error.code == .serverRecordChanged)
    let again = try await failure { try await database.save(mine) }
    #expect(again.code == .serverRecordChanged)
    let theirs = try #require(error.serverRecord)
    #expect(theirs["text"] as? String == "one")
    theirs["text"] = "two"
    try await database.save(theirs)
  }

  @Test func `a conflict or an expired token at any call waits for a call that can meet it`()
    async throws
  {
    let (server, _, database) = try await phone()
    server.faults.add(.error(.serverRecordChanged), .error(.changeTokenExpired))
    _ = try await database.allRecordZones()
    try await database.deleteRecord(withID: record("none").recordID)
    let token = try await database.databaseChanges(since: nil).changeToken
    #expect(server.faults.waiting == 2)
    let conflict = try await failure { try await database.save(record("a")) }
    #expect(conflict.code == .serverRecordChanged)
    #expect(conflict.serverRecord != nil)
    _ = try await database.databaseChanges(since: nil)
    #expect(server.faults.waiting == 1)
    let expired = try await failure { _ = try await database.databaseChanges(since: token) }
    #expect(expired.code == .changeTokenExpired)
  }

  @Test func `at calls that cannot really meet them, conflicts and expired tokens are said`()
    async throws
  {
    let (server, _, database) = try await phone()
    server.faults.add(
      .error(.serverRecordChanged, on: .deleteRecords),
      .error(.changeTokenExpired, on: .saveRecords), .error(.serverRecordChanged, on: .fetchZones))
    let id = record("a").recordID
    #expect(
      try await failure { try await database.deleteRecord(withID: id) }.code
        == .serverRecordChanged)
    #expect(
      try await failure { try await database.save(record("a")) }.code == .changeTokenExpired)
    #expect(
      try await failure { _ = try await database.allRecordZones() }.code == .serverRecordChanged)
    #expect(server.faults.waiting == 0)
  }

  @Test func `files cannot be sent or fetched when a fault says so`() async throws {
    let (server, _, database) = try await phone()
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let content = Data("the same in every run".utf8)
    try content.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let photo = record("a")
    photo["file"] = CKAsset(fileURL: file)
    server.faults.add(
      .error(.networkFailure, on: .uploadAssets), .error(.assetNotAvailable, on: .fetchAssets))
    #expect(try await failure { try await database.save(photo) }.code == .networkFailure)
    try await database.save(photo)
    // What another device fetched is not there.
    server.faults.clear()
    _ = try await database.record(for: photo.recordID)
    server.faults.add(.error(.assetNotAvailable, on: .fetchAssets))
    let laptop = try await server.device("laptop", of: "alice").privateCloudDatabase
    #expect(
      try await failure { try await laptop.record(for: photo.recordID) }.code
        == .assetNotAvailable)
    let fetched = try await laptop.record(for: photo.recordID)["file"] as? CKAsset
    let url = try #require(fetched?.fileURL)
    #expect(try Data(contentsOf: url) == content)
  }

  @Test func `ATM-01 one record of an atomic batch fails, and takes the others with it`()
    async throws
  {
    let (server, _, database) = try await phone()
    server.faults.add(.error(.permissionFailure).record("b"))
    let results = try await database.modifyRecords(
      saving: [record("a"), record("b")], deleting: []
    ).saveResults
    #expect(results[record("b").recordID]?.code == .permissionFailure)
    #expect(results[record("a").recordID]?.code == .batchRequestFailed)
  }

  @Test func `one record of a batch that is not atomic fails alone`() async throws {
    let (server, _, database) = try await phone()
    server.faults.add(.error(.permissionFailure).record("b"))
    let results = try await database.modifyRecords(
      saving: [record("a"), record("b")], deleting: [], atomically: false
    ).saveResults
    #expect(results[record("a").recordID]?.code == nil)
    #expect(results[record("b").recordID]?.code == .permissionFailure)
  }

  @Test func `one item of a fetch fails, and the others are answered`() async throws {
    let (server, _, database) = try await phone()
    let ids = ["a", "b"].map { record($0).recordID }
    for id in ids { try await database.save(record(id.recordName)) }
    server.faults.add(.error(.serviceUnavailable, on: .fetchRecords).record("a").always)
    let records = try await database.records(for: ids)
    #expect(try await failure { _ = try records[ids[0]]?.get() }.code == .serviceUnavailable)
    #expect(try records[ids[1]]?.get().recordID == ids[1])

    let other = CKRecordZone.ID(zoneName: "Other")
    try await database.save(CKRecordZone(zoneID: other))
    server.faults.clear()
    server.faults.add(.error(.internalError, on: .fetchZones).zone("Z").always)
    let zones = try await database.recordZones(for: [zone, other])
    #expect(try await failure { _ = try zones[zone]?.get() }.code == .internalError)
    #expect(try zones[other]?.get().zoneID == other)
  }

  @Test func `saving and deleting subscriptions fail apart from each other`() async throws {
    let (server, _, database) = try await phone()
    func all() -> CKDatabaseSubscription {
      let all = CKDatabaseSubscription(subscriptionID: "all")
      all.notificationInfo = CKSubscription.NotificationInfo()
      all.notificationInfo?.shouldSendContentAvailable = true
      return all
    }
    server.faults.add(.error(.quotaExceeded, on: .saveSubscriptions))
    #expect(try await failure { try await database.save(all()) }.code == .quotaExceeded)
    try await database.save(all())
    server.faults.add(.error(.internalError, on: .deleteSubscriptions))
    let refused = try await failure { try await database.deleteSubscription(withID: "all") }
    #expect(refused.code == .internalError)
    #expect(try await database.allSubscriptions().count == 1)
    try await database.deleteSubscription(withID: "all")
    #expect(try await database.allSubscriptions().isEmpty)
  }

  @Test func `ZON-11 a zone is reported as saved and is not there`() async throws {
    let (server, _, database) = try await phone()
    server.faults.add(.unmadeZone)
    let other = CKRecordZone(zoneName: "Other")
    try await database.save(other)
    let subscription = CKRecordZoneSubscription(zoneID: other.zoneID, subscriptionID: "other")
    subscription.notificationInfo = CKSubscription.NotificationInfo()
    subscription.notificationInfo?.shouldSendContentAvailable = true
    let failures = [
      try await failure { try await database.recordZone(for: other.zoneID) },
      try await failure {
        _ = try await database.recordZoneChanges(inZoneWith: other.zoneID, since: nil)
      },
      try await failure { try await database.save(subscription) },
    ]
    #expect(failures.map(\.code) == Array(repeating: .zoneNotFound, count: failures.count))
    try await database.save(other)
    try await database.recordZone(for: other.zoneID)
    try await database.save(subscription)
  }

  @Test func `ZON-12 ZON-13 ZON-14 a zone goes, and its reason comes with the changes`()
    async throws
  {
    let (server, _, database) = try await phone()
    let token = try await database.databaseChanges(since: nil).changeToken
    for zone in ["Deleted", "Purged", "Reset"] {
      try await database.save(CKRecordZone(zoneName: zone))
    }
    try await server.deleteZone("Deleted", of: "alice")
    try await server.purgeZone("Purged", of: "alice")
    try await server.resetEncryptedData(of: "alice")
    let deletions = try await database.databaseChanges(since: token).deletions
    let reasons = Dictionary(
      uniqueKeysWithValues: deletions.map { ($0.zoneID.zoneName, $0.reason) })
    #expect(reasons["Deleted"] == .deleted)
    #expect(reasons["Purged"] == .purged)
    #expect(reasons["Reset"] == .encryptedDataReset)
  }

  @Test func `a zone is purged just before a save`() async throws {
    let (server, _, database) = try await phone()
    server.faults.add(.purgedZone)
    #expect(try await failure { try await database.save(record("a")) }.code == .userDeletedZone)
  }

  @Test func `ACC-01 a device signs out, and somebody else signs in`() async throws {
    let (server, phone, database) = try await phone()
    let alice = try await phone.userRecordID()
    try server.signOut("phone")
    #expect(try await failure { try await database.save(record("a")) }.code == .notAuthenticated)
    #expect(try await phone.accountStatus() == .noAccount)
    try await server.signIn("phone", as: "bob")
    #expect(try await phone.accountStatus() == .available)
    #expect(try await phone.userRecordID() != alice)
  }

  @Test func `a device with a state directory finds its long-lived operations after a restart`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try await LocalServer()
    let phone = try await server.device("phone", of: "alice", stateDirectory: folder.path)
    try await phone.privateCloudDatabase.save(CKRecordZone(zoneID: zone))
    let operation = CKModifyRecordsOperation(recordsToSave: [record("a")])
    operation.configuration.isLongLived = true
    let first = try await tags(operation, in: phone)
    let later = try server.restartedDevice("phone")
    #expect(try await later.allLongLivedOperationIDs() == [operation.operationID])
    let found = try await later.longLivedOperation(for: operation.operationID)
    let again = try #require(found as? CKModifyRecordsOperation)
    #expect(try await tags(again, in: later) == first, "it is answered again, not done again")
    #expect(first.count == 1)
  }

  /// Runs a save and returns the change tags of what it saved.
  private func tags(
    _ operation: CKModifyRecordsOperation, in container: CKContainer
  ) async throws -> [String?] {
    try await withCheckedThrowingContinuation { done in
      operation.modifyRecordsCompletionBlock = { saved, _, error in
        done.resume(
          with: error.map { .failure($0) } ?? .success((saved ?? []).map(\.recordChangeTag)))
      }
      container.privateCloudDatabase.add(operation)
    }
  }

  @Test func `a user is invited by the address of the name, or by what the test says of him`()
    async throws
  {
    let (server, phone, _) = try await phone()
    let tablet = try await server.device("tablet", of: "bob")
    let bob = try await tablet.userRecordID()
    func invited(_ info: CKUserIdentity.LookupInfo) async throws -> CKUserIdentity? {
      try await phone.shareParticipants(for: [info])[info]?.get().userIdentity
    }
    let byName = try await invited(.init(emailAddress: "bob@example.org"))
    #expect(byName?.userRecordID == bob && byName?.nameComponents == nil)

    try await server.setIdentity(
      of: "bob", givenName: "Bob", familyName: "Builder", phoneNumber: "+431")
    let byNumber = try await invited(.init(phoneNumber: "+431"))
    #expect(byNumber?.userRecordID == bob && byNumber?.nameComponents?.givenName == "Bob")
    #expect(byNumber?.nameComponents?.familyName == "Builder")

    try await server.setIdentity(of: "bob", emailAddress: "bob@work.example", isDiscoverable: true)
    #expect(try await invited(.init(emailAddress: "bob@example.org"))?.userRecordID == nil)
    #expect(try await invited(.init(emailAddress: "bob@work.example"))?.userRecordID == bob)
    try await server.setIdentity(of: "bob", isDiscoverable: false)
    #expect(try await invited(.init(phoneNumber: "+431"))?.userRecordID == nil)
    await #expect(throws: (any Error).self) {
      try await server.setIdentity(of: "carol", emailAddress: "bob@work.example")
    }
  }

  @Test func `a device that a fault signed out still reads the public database`() async throws {
    let (server, phone, database) = try await phone()
    let note = try await phone.publicCloudDatabase.save(CKRecord(recordType: "Note"))
    server.faults.add(.signedOut)
    #expect(try await failure { try await database.save(record("a")) }.code == .notAuthenticated)
    #expect(try await phone.publicCloudDatabase.record(for: note.recordID).recordType == "Note")
    #expect(
      try await failure { try await phone.publicCloudDatabase.save(CKRecord(recordType: "Note")) }
        .code == .notAuthenticated)
    #expect(try await phone.accountStatus() == .noAccount)
  }

  @Test func `after a sign-out, the next fault lets somebody else sign in`() async throws {
    let (server, phone, database) = try await phone()
    let bob = try await server.device("tablet", of: "bob").userRecordID()
    server.faults.add(.signedOut, .switchedAccount(to: "bob"))
    #expect(try await failure { try await database.save(record("a")) }.code == .notAuthenticated)
    let everybodys = phone.publicCloudDatabase
    #expect(
      try await failure { try await everybodys.record(for: CKRecord.ID(recordName: "x")) }.code
        == .notAuthenticated)
    #expect(try await phone.userRecordID() == bob)
  }

  @Test func `SHR-02 a new share is saved together with its root`() async throws {
    let (_, _, database) = try await phone()
    let root = try await database.save(record("root"))
    let share = CKShare(rootRecord: root)
    let alone = try await failure { try await database.save(share) }
    #expect(alone.code == .invalidArguments)
    #expect(alone.localizedDescription.contains("'root'"))
    let results = try await database.modifyRecords(
      saving: [record("other"), share], deleting: [root.recordID]
    ).saveResults
    #expect(results[share.recordID]?.code == .invalidArguments)
    #expect(results[record("other").recordID]?.code == .batchRequestFailed)
    let both = try await database.modifyRecords(saving: [share, root], deleting: [])
    let saved = try #require(try both.saveResults[share.recordID]?.get() as? CKShare)
    saved[CKShare.SystemFieldKey.title] = "Later, alone"
    try await database.save(saved)
  }

  @Test func `more zones than one request takes are saved and deleted`() async throws {
    let (_, _, database) = try await phone()
    let zones = (0..<201).map { CKRecordZone(zoneName: "Z\($0)") }
    let saved = try await database.modifyRecordZones(saving: zones, deleting: []).saveResults
    #expect(saved.count == 201)
    let found = try await database.recordZones(for: zones.map(\.zoneID))
    #expect(found.count == 201 && found.values.allSatisfy { $0.code == nil })
    let last = CKRecordZone(zoneName: "Last")
    let both = try await database.modifyRecordZones(
      saving: [last], deleting: zones.map(\.zoneID))
    #expect(both.saveResults.keys.map(\.zoneName) == ["Last"])
    #expect(both.deleteResults.count == 201)
    let left = try await database.allRecordZones().map(\.zoneID.zoneName)
    #expect(Set(left) == ["_defaultZone", "Last", "Z"])
  }

  @Test func `looking people up and registering for pushes fail as other calls do`() async throws {
    let (server, phone, _) = try await phone()
    server.faults.add(.error(.networkFailure).always)
    #expect(server.faults.waiting == 1)
    let invitation = try await failure {
      _ = try await phone.shareParticipant(forEmailAddress: "bob@example.org")
    }
    #expect(invitation.code == .networkFailure)
    #expect(server.faults.waiting == 0, "it was met, and stays")
    let registration = try await failure {
      try await Brume.registerForRemoteNotifications(for: phone)
    }
    #expect(registration.code == .networkFailure)
  }

  @Test func `a fault that is asked for no times is none`() async throws {
    let (server, _, database) = try await phone()
    server.faults.add(.error(.networkFailure).times(0))
    #expect(server.faults.waiting == 0)
    try await database.save(record("a"))
  }

  @Test func `zones that are not there, and of users who are not, do not go`() async throws {
    let (server, _, database) = try await phone()
    await #expect(throws: (any Error).self) { try await server.deleteZone("Y", of: "alice") }
    await #expect(throws: (any Error).self) { try await server.purgeZone("Y", of: "alice") }
    await #expect(throws: UnknownUser.self) { try await server.deleteZone("Z", of: "alcie") }
    await #expect(throws: UnknownUser.self) { try await server.resetEncryptedData(of: "alcie") }
    #expect(try await database.recordZone(for: zone).zoneID == zone)
  }

  @Test func `an unknown device is named`() async throws {
    let server = try await LocalServer()
    let error = #expect(throws: UnknownDevice.self) { try server.signOut("watch") }
    #expect(error?.description.contains("'watch'") == true)
  }
}

extension Result {
  fileprivate var code: CKError.Code? {
    if case .failure(let error) = self { (error as? CKError)?.code } else { nil }
  }
}
