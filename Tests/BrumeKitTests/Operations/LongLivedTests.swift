// Long-lived operations: written down, found by a later run, asked again under the same ID.

import BrumeClient
import BrumeModel
import BrumeWire
import Foundation
import Synchronization
import Testing

@testable import BrumeKit

/// A state directory that several "runs" of a program share, and the time.
private final class Disk: Sendable {
  let folder = NSTemporaryDirectory() + "/brume-long-lived-\(UUID().uuidString)"
  private let time = Mutex(Date(timeIntervalSince1970: 1_000_000))
  var now: Date { time.withLock { $0 } }

  func pass(_ seconds: Double) { time.withLock { $0 += seconds } }

  /// The container of one run of the program.
  func run(
    _ server: ScriptedServer, keepsState: Bool = true, userToken: String = "user"
  ) -> CKContainer {
    let settings = Configuration(
      url: "http://scripted", in: ContainerEnvironment(ContainerID("iCloud.test"), .development),
      apiToken: "token",
      userToken: userToken, deviceID: DeviceID("phone"), stateDirectory: keepsState ? folder : nil)
    let host = Session.Host(now: { self.now }, sleep: { _ in })
    return CKContainer(
      connection: Connection(Session(settings, transport: server, host: host)),
      identifier: "iCloud.test")
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }
}

private func longLived() -> CKModifyRecordsOperation {
  let zone = CKRecordZone.ID(zoneName: "Notes")
  let note = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a", zoneID: zone))
  note["title"] = "kept"
  let operation = CKModifyRecordsOperation(
    recordsToSave: [note], recordIDsToDelete: [CKRecord.ID(recordName: "b", zoneID: zone)])
  operation.isLongLived = true
  operation.savePolicy = .allKeys
  return operation
}

private let saved = Wire.records(
  [
    .success(.saved(stored("a"))),
    .success(.deleted(name: "b", zone: ZoneID(name: "Notes", ownerName: "_me"))),
  ], RecordOptions())

/// Record b as it is there, made at a time, or that it is gone; or what changes are answered with.
private func answer(
  _ request: ScriptedServer.Request, createdAt time: Milliseconds? = nil
) -> [UInt8] {
  guard request.action == "records/lookup" else { return saved }
  let zone = ZoneID(name: "Notes", ownerName: "_me")
  guard let time else {
    let failure = ItemFailure(RecordID(name: "b", zone: zone), BrumeError(.notFound, "gone"))
    return Wire.records([.failure(failure)], RecordOptions())
  }
  let record = Record(
    name: "b", zone: zone, type: "Note", changeTag: "1", fields: [:],
    created: Stamp(time: time, user: UserID("_me"), device: ""))
  let stored = StoredRecord(name: "b", type: "Note", sequence: 1, content: .value(record))
  return Wire.records([.success(.saved(stored))], RecordOptions())
}

@Suite struct LongLivedTests {
  @Test func `a later run finds the operation and asks the same under the same ID`() async throws {
    let (disk, journal) = (Disk(), Journal())
    let later = ScriptedServer { _, _ in saved }
    let first = ScriptedServer { _, _ in
      // The first run hangs here; a later one takes over.
      let container = disk.run(later)
      for id in try await container.allLongLivedOperationIDs() {
        let found = try await container.longLivedOperation(for: id)
        let operation = try #require(found as? CKModifyRecordsOperation)
        journal.note("found \(id == operation.operationID) \(operation.isLongLived)")
        operation.perRecordSaveBlock = { journal.note("\($0.recordName) \(outcome($1))") }
        operation.perRecordDeleteBlock = { journal.note("\($0.recordName) \(outcome($1))") }
        container.privateCloudDatabase.add(operation)
        await withCheckedContinuation { done in
          operation.completionBlock = { done.resume() }
        }
      }
      return saved
    }
    let operation = longLived()
    operation.longLivedOperationWasPersistedBlock = { journal.note("written down") }
    operation.database = disk.run(first).privateCloudDatabase
    await finish(operation)
    #expect(journal.all == ["written down", "found true true", "a ok", "b ok"])
    let questions = try [first, later].map {
      try ModifyRecordsRequest(json: try #require($0.requests.first?.body))
    }
    #expect(questions[0] == questions[1])
    #expect(questions[0].operations.map(\.kind) == [.forceUpdate, .forceDelete])
  }

  @Test(arguments: [
    (82_799.0, RecordOperation.Kind.forceUpdate), (82_800, .create), (-3600, .forceUpdate),
    (-864_000, .create),
  ])
  func `a save that the server may have forgotten overwrites nothing that was saved since`(
    age: Double, kind: RecordOperation.Kind
  ) async throws {
    let (disk, later) = (Disk(), ScriptedServer { request, _ in answer(request) })
    let first = ScriptedServer { _, _ in
      disk.pass(age)
      let container = disk.run(later)
      let ids = try await container.allLongLivedOperationIDs()
      let found = try await container.longLivedOperation(for: try #require(ids.first))
      await finish(try #require(found))
      return saved
    }
    let operation = longLived()
    operation.database = disk.run(first).privateCloudDatabase
    await finish(operation)
    let sent = try ModifyRecordsRequest(json: try #require(later.requests.last?.body))
    #expect(sent.operations.map(\.kind) == [kind, kind == .create ? .delete : .forceDelete])
  }

  /// When a record was made, after the deletion was begun, and the tag that is sent: no record has an empty one.
  private static let lateDeletions: [(made: Milliseconds?, tag: String)] = [
    (-3_600_001, "1"), (-3_600_000, ""), (nil, ""),
  ]

  @Test(arguments: lateDeletions)
  func `a deletion that the server may have forgotten is of no record made since`(
    made: Milliseconds?, tag: String
  ) async throws {
    let (disk, journal) = (Disk(), Journal())
    let begun = Milliseconds(disk.now)
    let later = ScriptedServer { request, _ in
      answer(request, createdAt: made.map { begun + $0 })
    }
    let first = ScriptedServer { _, _ in
      disk.pass(82_800)
      let container = disk.run(later)
      let ids = try await container.allLongLivedOperationIDs()
      let found = try await container.longLivedOperation(for: try #require(ids.first))
      let operation = try #require(found as? CKModifyRecordsOperation)
      operation.perRecordSaveBlock = { journal.note("\($0.recordName) \(outcome($1))") }
      operation.perRecordDeleteBlock = { journal.note("\($0.recordName) \(outcome($1))") }
      await finish(operation)
      return saved
    }
    let operation = longLived()
    operation.database = disk.run(first).privateCloudDatabase
    await finish(operation)
    #expect(journal.all == ["a ok", "b ok"], "as the server says")
    let sent = try ModifyRecordsRequest(json: try #require(later.requests.last?.body))
    #expect(sent.operations.map(\.kind) == [.create, .delete], "all that it may know to be done")
    #expect(sent.operations.last?.record.changeTag == tag)
  }

  /// Why the first try of a save failed, and so many seconds later how the second ends, or is not made.
  private static let repetitions: [(CallFailure, asleep: Double, end: String, requests: Int)] = [
    (.timedOut("lost"), 82_799, "ok", 2), (.timedOut("lost"), 82_800, "serverResponseLost", 1),
    (.serverFailed(status: 500, "down"), 82_800, "serverRejectedRequest", 1),
    (.responseLost("asleep"), 82_799, "ok", 2),
    (.responseLost("asleep"), 82_800, "serverResponseLost", 1),
    (.unreachable("off"), 82_800, "ok", 2),
  ]

  @Test(arguments: repetitions)
  func `a save that the server may have carried out is repeated for as long as it would know that`(
    failure: CallFailure, asleep: Double, end: String, requests: Int
  ) async throws {
    let (disk, journal) = (Disk(), Journal())
    let server = ScriptedServer { _, number in
      if number > 0 { return saved }
      disk.pass(asleep)
      throw failure
    }
    let operation = longLived()
    operation.isLongLived = false
    operation.qualityOfService = .utility
    operation.modifyRecordsResultBlock = { journal.note(outcome($0)) }
    operation.database = disk.run(server).privateCloudDatabase
    await finish(operation)
    #expect(journal.all == [end] && server.requests.count == requests)
  }

  @Test(arguments: [(82_799.0, 2), (82_800, 1)])
  func `a zone is not deleted once more when others may long have made it again`(
    asleep: Double, requests: Int
  ) async throws {
    let (disk, zone) = (Disk(), CKRecordZone.ID(zoneName: "Notes"))
    let server = ScriptedServer { _, number in
      if number == 0 {
        disk.pass(asleep)
        throw CallFailure.timedOut("lost")
      }
      return Array(#"{"zones":[{"zoneID":{"zoneName":"Notes"},"deleted":true}]}"#.utf8)
    }
    let operation = CKModifyRecordZonesOperation(recordZoneIDsToDelete: [zone])
    operation.qualityOfService = .utility
    operation.database = disk.run(server).privateCloudDatabase
    await finish(operation)
    #expect(server.requests.count == requests)
  }

  @Test(arguments: [(82_799.0, 2), (82_800, 1)])
  func `SUB-28 subscriptions are not changed again when the server may have forgotten it`(
    asleep: Double, requests: Int
  ) async throws {
    let disk = Disk()
    let server = ScriptedServer { _, number in
      if number == 0 {
        disk.pass(asleep)
        throw CallFailure.timedOut("lost")
      }
      return Array(#"{"subscriptions":[{"subscriptionID":"s","deleted":true}]}"#.utf8)
    }
    let operation = CKModifySubscriptionsOperation(subscriptionIDsToDelete: ["s"])
    operation.qualityOfService = .utility
    operation.database = disk.run(server).privateCloudDatabase
    await finish(operation)
    #expect(server.requests.count == requests)
    let names = try server.requests.map { request in
      try ModifySubscriptionsRequest(json: try #require(request.body)).operationID
    }
    #expect(Set(names) == ["\(operation.operationID)/0"])
  }

  @Test func `an operation of which nobody knows when it was begun counts as old in each run`()
    async throws
  {
    let disk = Disk()
    let server = ScriptedServer { request, _ in answer(request) }
    let operation = longLived()
    operation.database = disk.run(server).privateCloudDatabase
    await finish(operation)
    // As an earlier version kept it, whose program ended before the answer.
    let settings = try disk.run(server).connection.session.configuration.get()
    let archive = try #require(OperationArchive(settings))
    var entry = try #require(archive.entry(operation.operationID, now: disk.now))
    (entry.begun, entry.finished) = (nil, nil)
    try archive.keep(entry)
    for _ in 0..<2 {
      let found = try await disk.run(server).longLivedOperation(for: operation.operationID)
      await finish(try #require(found))
      #expect(archive.entry(operation.operationID, now: disk.now)?.begun == nil)
    }
    let kinds = try server.requests.filter { $0.action == "records/modify" }.map {
      try ModifyRecordsRequest(json: try #require($0.body)).operations.map(\.kind)
    }
    #expect(kinds == [[.forceUpdate, .forceDelete], [.create, .delete], [.create, .delete]])
  }

  @Test func `a finished operation reports its result again for a day`() async throws {
    let (disk, server) = (Disk(), ScriptedServer { _, _ in saved })
    let operation = longLived()
    operation.database = disk.run(server).privateCloudDatabase
    await finish(operation)
    let container = disk.run(server)
    disk.pass(86_399)
    #expect(try await container.allLongLivedOperationIDs() == [operation.operationID])
    disk.pass(1)
    #expect(try await container.longLivedOperation(for: operation.operationID) == nil)
    #expect(try await container.allLongLivedOperationIDs() == [])
  }

  @Test(arguments: [(-3600.0, 1), (-3601, 0)])
  func `a finished operation is not listed for longer because the clock is set back`(
    seconds: Double, listed: Int
  ) async throws {
    let (disk, server) = (Disk(), ScriptedServer { _, _ in saved })
    let operation = longLived()
    operation.database = disk.run(server).privateCloudDatabase
    await finish(operation)
    disk.pass(seconds)
    #expect(try await disk.run(server).allLongLivedOperationIDs().count == listed)
    let found = try await disk.run(server).longLivedOperation(for: operation.operationID)
    #expect((found == nil) == (listed == 0))
  }

  @Test func `ACC-07 an operation is found by its user alone, in a later session too`() async throws
  {
    let (disk, server) = (Disk(), ScriptedServer { _, _ in saved })
    let (operation, container) = (longLived(), disk.run(server))
    // Then it is written down whose the operation is.
    #expect(try await container.connection.me() == "_me")
    operation.database = container.privateCloudDatabase
    await finish(operation)
    let bob = disk.run(server, userToken: "bobs")
    bob.connection.isUser("_bob", bob.connection.account)
    #expect(try await bob.allLongLivedOperationIDs() == [])
    #expect(try await bob.longLivedOperation(for: operation.operationID) == nil)
    // The server answers "_me" to whoever asks: the same user with another token.
    let later = disk.run(server, userToken: "later")
    #expect(try await later.allLongLivedOperationIDs() == [operation.operationID])
    #expect(try await later.longLivedOperation(for: operation.operationID) != nil)
  }

  @Test func `ACC-07 an operation that is run again in its session is found by its user later`()
    async throws
  {
    let (disk, server) = (Disk(), ScriptedServer { _, _ in saved })
    let (operation, container) = (longLived(), disk.run(server))
    #expect(try await container.connection.me() == "_me")
    operation.database = container.privateCloudDatabase
    await finish(operation)
    let again = try await disk.run(server).longLivedOperation(for: operation.operationID)
    await finish(try #require(again))
    let later = disk.run(server, userToken: "later")
    #expect(try await later.allLongLivedOperationIDs() == [operation.operationID])
  }

  @Test func `ACC-07 where it is not known whose an operation is, its session counts`()
    async throws
  {
    let (disk, server) = (Disk(), ScriptedServer { _, _ in saved })
    let connection = disk.run(server).connection
    let settings = try connection.session.configuration.get()
    let archive = try #require(OperationArchive(settings))
    try archive.keep(.init(id: "new", content: [1], owner: connection.owner))
    try archive.keep(.init(id: "earlier version", content: [1]))
    #expect(try await disk.run(server).allLongLivedOperationIDs() == ["new"])
    #expect(try await disk.run(server, userToken: "bobs").allLongLivedOperationIDs() == [])
  }

  @Test func `a file that is being written is no second operation, and goes when it is old`()
    async throws
  {
    let (disk, server) = (Disk(), ScriptedServer { _, _ in saved })
    let operation = longLived()
    operation.database = disk.run(server).privateCloudDatabase
    await finish(operation)
    let files = FileManager.default
    let names = try #require(files.enumerator(atPath: disk.folder)?.allObjects as? [String])
    let file = try #require(names.first { $0.hasSuffix(operation.operationID) })
    let half = "\(disk.folder)/\(file)-being-written"
    try files.copyItem(atPath: "\(disk.folder)/\(file)", toPath: half)
    func touched(_ secondsAgo: Double) throws {
      let time = disk.now.addingTimeInterval(-secondsAgo)
      try files.setAttributes([.modificationDate: time], ofItemAtPath: half)
    }
    try touched(60)
    #expect(try await disk.run(server).allLongLivedOperationIDs() == [operation.operationID])
    #expect(files.fileExists(atPath: half))
    try touched(86_400)
    #expect(try await disk.run(server).allLongLivedOperationIDs() == [operation.operationID])
    #expect(!files.fileExists(atPath: half))
  }

  @Test func `an operation that is found again is as patient as it was`() async throws {
    let (disk, server) = (Disk(), ScriptedServer { _, _ in saved })
    let operation = longLived()
    operation.qualityOfService = .utility
    let group = CKOperationGroup()
    group.defaultConfiguration.timeoutIntervalForRequest = 7
    operation.group = group
    operation.database = disk.run(server).privateCloudDatabase
    await finish(operation)
    let found = try await disk.run(server).longLivedOperation(for: operation.operationID)
    let again = try #require(found)
    #expect(again.isLongLived && again.qualityOfService == .utility)
    #expect(again.configuration.timeoutIntervalForRequest == 7, "the group is not kept")
    #expect(again.configuration.set.timeoutIntervalForResource == nil)
  }

  @Test func `handlers are called for long-lived operations too`() async throws {
    let (disk, server) = (Disk(), ScriptedServer { _, _ in saved })
    let operation = longLived()
    operation.database = disk.run(server).privateCloudDatabase
    await finish(operation)
    let container = disk.run(server)
    let ids: [CKOperation.ID] = try await withCheckedThrowingContinuation { done in
      container.fetchAllLongLivedOperationIDs { ids, error in
        done.resume(with: Result { try ids ?? { throw error ?? CKError(.internalError) }() })
      }
    }
    #expect(ids == [operation.operationID])
    let found: (isKnown: Bool, isStrangerKnown: Bool) = await withCheckedContinuation { done in
      container.fetchLongLivedOperation(withID: ids.first ?? "") { one, error in
        let isKnown = error == nil && (one as? CKModifyRecordsOperation)?.savePolicy == .allKeys
        container.fetchLongLivedOperation(withID: "stranger") { other, error in
          done.resume(returning: (isKnown, other != nil || error != nil))
        }
      }
    }
    #expect(found.isKnown && !found.isStrangerKnown)
  }

  @Test func `an operation that was cancelled is forgotten`() async throws {
    let disk = Disk()
    let operation = longLived()
    let server = ScriptedServer { _, _ in
      operation.cancel()
      throw CancellationError()
    }
    operation.database = disk.run(server).privateCloudDatabase
    await finish(operation)
    #expect(try await disk.run(server).allLongLivedOperationIDs() == [])
  }

  @Test func `an operation of an earlier run that is cancelled before it starts is forgotten`()
    async throws
  {
    let (disk, journal) = (Disk(), Journal())
    let later = ScriptedServer { _, _ in saved }
    let first = ScriptedServer { _, _ in
      // The first run ends here, as far as the later one knows.
      let container = disk.run(later)
      let ids = try await container.allLongLivedOperationIDs()
      let found = try await container.longLivedOperation(for: try #require(ids.first))
      let operation = try #require(found as? CKModifyRecordsOperation)
      operation.modifyRecordsResultBlock = { journal.note(outcome($0)) }
      operation.cancel()
      await finish(operation)
      let left = try await disk.run(later).allLongLivedOperationIDs()
      journal.note("\(left.count) left")
      return saved
    }
    let operation = longLived()
    operation.database = disk.run(first).privateCloudDatabase
    await finish(operation)
    #expect(journal.all == ["operationCancelled", "0 left"])
    #expect(later.requests.isEmpty, "nothing is sent that was withdrawn")
  }

  @Test func `ordinary operations and runs without a state directory write nothing down`()
    async throws
  {
    let (disk, server, journal) = (Disk(), ScriptedServer { _, _ in saved }, Journal())
    let ordinary = longLived()
    ordinary.isLongLived = false
    ordinary.database = disk.run(server).privateCloudDatabase
    let homeless = longLived()
    homeless.database = disk.run(server, keepsState: false).privateCloudDatabase
    for operation in [ordinary, homeless] {
      operation.longLivedOperationWasPersistedBlock = { journal.note("never") }
      await finish(operation)
    }
    #expect(journal.all.isEmpty)
    #expect(try await disk.run(server).allLongLivedOperationIDs() == [])
    let none = try await disk.run(server, keepsState: false).longLivedOperation(for: "x")
    #expect(none == nil)
  }

  private func through<Operation: CKOperation>(_ operation: Operation) throws -> Operation {
    let server = ScriptedServer { _, _ in [] }
    let container = server.container
    (operation as? CKDatabaseOperation)?.database = container.sharedCloudDatabase
    let entry = OperationArchive.Entry(
      id: "7", content: try #require(LongLived.content(of: operation)))
    let back = try #require(LongLived.operation(entry, in: container) as? Operation)
    #expect(back.operationID == "7")
    #expect((back as? CKDatabaseOperation)?.database === container.sharedCloudDatabase)
    return back
  }

  @Test func `each kind comes back with what it asks`() throws {
    let zone = CKRecordZone.ID(zoneName: "Z")
    let ids = [CKRecord.ID(recordName: "a", zoneID: zone)]
    let records = CKFetchRecordsOperation(recordIDs: ids)
    records.desiredKeys = []
    #expect(try through(records).recordIDs == ids)
    #expect(try through(records).desiredKeys == [])
    #expect(try !through(records).fetchesCurrentUser)
    let me = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
    #expect(try through(me).fetchesCurrentUser)
    let query = CKQueryOperation(
      query: CKQuery(recordType: "Note", predicate: NSPredicate(format: "title == %@", "x")))
    query.zoneID = zone
    query.resultsLimit = 3
    let asked = try through(query)
    #expect(asked.query?.recordType == "Note" && asked.zoneID == zone && asked.resultsLimit == 3)
    #expect(try asked.query?.model() == query.query?.model())
    let zones = CKModifyRecordZonesOperation(
      recordZonesToSave: [CKRecordZone(zoneName: "N")], recordZoneIDsToDelete: [zone])
    #expect(try through(zones).recordZonesToSave?.map(\.zoneID.zoneName) == ["N"])
    #expect(try through(zones).recordZoneIDsToDelete == [zone])
    #expect(try through(CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()).fetchesAll)
    let token = CKServerChangeToken(text: "t")
    let database = CKFetchDatabaseChangesOperation(previousServerChangeToken: token)
    database.fetchAllChanges = false
    #expect(try through(database).previousServerChangeToken == token)
    #expect(try !through(database).fetchAllChanges)
    let changes = CKFetchRecordZoneChangesOperation(
      recordZoneIDs: [zone],
      configurationsByRecordZoneID: [zone: .init(previousServerChangeToken: token)])
    let back = try through(changes)
    #expect(back.configurationsByRecordZoneID?[zone]?.previousServerChangeToken == token)
    let info = CKSubscription.NotificationInfo(shouldSendContentAvailable: true)
    let subscription = CKDatabaseSubscription(subscriptionID: "s")
    subscription.notificationInfo = info
    let subscriptions = CKModifySubscriptionsOperation(
      subscriptionsToSave: [subscription], subscriptionIDsToDelete: ["old"])
    #expect(try through(subscriptions).subscriptionsToSave?.first is CKDatabaseSubscription)
    #expect(try through(subscriptions).subscriptionIDsToDelete == ["old"])
    #expect(
      try through(CKFetchSubscriptionsOperation(subscriptionIDs: ["s"])).subscriptionIDs == ["s"])
  }

  @Test func `saves with assets come back with their files`() throws {
    let files = (0...2).map { URL(fileURLWithPath: "/tmp/file \($0)") }
    let operation = longLived()
    let record = try #require(operation.recordsToSave?.first)
    record["photo"] = CKAsset(fileURL: files[0])
    record["pages"] = files.map { CKAsset(fileURL: $0) }
    let back = try #require(try through(operation).recordsToSave?.first)
    #expect((back["photo"] as? CKAsset)?.fileURL == files[0])
    #expect((back["pages"] as? [CKAsset])?.map(\.fileURL) == files)
    #expect(back["title"] == "kept")
    #expect(back.changedKeys().sorted() == ["pages", "photo", "title"])
    #expect(Set(back.contents.filesToSend(.changedKeys).values) == Set(files))
  }

  @Test func `files of an archive from before, four texts each, are found`() throws {
    let coder = NSKeyedArchiver(requiringSecureCoding: true)
    coder.encodeTexts(
      ["0", "photo", "", "/tmp/a", "0", "pages", "0", "/tmp/b", "1", "pages", "1", "/tmp/c"]
        + ["x", "bad", "", "/tmp/d", "2", "cut"], "files")
    coder.finishEncoding()
    let found = ArchivedFile.decode(
      from: try NSKeyedUnarchiver(forReadingFrom: coder.encodedData))
    #expect(
      found == [
        ArchivedFile(record: 0, field: "photo", index: nil, path: "/tmp/a"),
        ArchivedFile(record: 0, field: "pages", index: 0, path: "/tmp/b"),
        ArchivedFile(record: 1, field: "pages", index: 1, path: "/tmp/c"),
      ])
    let record = CKRecord(recordType: "Note")
    // The second record is not there: its file has no place.
    ArchivedFile.put(found, into: [record])
    #expect((record["photo"] as? CKAsset)?.fileURL?.path == "/tmp/a")
    #expect((record["pages"] as? [CKAsset])?.map(\.fileURL?.path) == ["/tmp/b"])
  }

  @Test func `an asset without a file keeps its save from being written down, unless it stays`()
    throws
  {
    let fetched = CKAsset(stored: Asset(fileChecksum: "c", size: 3))
    for value in [fetched as any __CKRecordObjCValue, NSArray(array: [fetched])] {
      let operation = longLived()
      let record = try #require(operation.recordsToSave?.first)
      record.setObject(value, forKey: "file")
      #expect(LongLived.content(of: operation) == nil)
      record.changes.remove("file")
      #expect(LongLived.content(of: operation) != nil)
    }
  }

  @Test func `damaged files stand for nothing`() throws {
    let container = ScriptedServer { _, _ in [] }.container
    for content in [[], Array("nonsense".utf8)] {
      #expect(LongLived.operation(.init(id: "7", content: content), in: container) == nil)
    }
  }

  @Test(arguments: ["saves", "deletes", "clientData", "assetFiles"])
  func `an archive that has a number in place of an object stands for nothing`(key: String) throws {
    let coder = NSKeyedArchiver(requiringSecureCoding: true)
    coder.encodeText("modifyRecords", "kind")
    coder.encode(5, forKey: key)
    let entry = OperationArchive.Entry(id: "7", content: [UInt8](coder.encodedData))
    let container = ScriptedServer { _, _ in [] }.container
    #expect(LongLived.operation(entry, in: container) == nil)
  }
}
