import BrumeModel
import BrumeWire
import Foundation
import Synchronization
import Testing

@testable import BrumeKit

@Suite struct FetchTests {
  @Test func `FET-04 what is found is delivered, what is missing is unknownItem`() async {
    let server = ScriptedServer { _, _ in
      Wire.records(
        [
          .success(.saved(stored("a"))),
          .failure(
            ItemFailure(
              RecordID(name: "b", zone: ZoneID(name: "Notes")), BrumeError(.notFound, "no b"))),
        ], RecordOptions())
    }
    let zone = CKRecordZone.ID(zoneName: "Notes")
    let ids = ["a", "b"].map { CKRecord.ID(recordName: $0, zoneID: zone) }
    let journal = Journal()
    let operation = CKFetchRecordsOperation(recordIDs: ids)
    operation.database = server.container.privateCloudDatabase
    operation.perRecordProgressBlock = { journal.note("progress \($0.recordName) \($1)") }
    operation.perRecordResultBlock = { journal.note("\($0.recordName) \(outcome($1))") }
    operation.fetchRecordsCompletionBlock = { records, error in
      journal.note("\(records?[ids[0]]?["title"] as? String ?? "-") \(code(error))")
    }
    operation.fetchRecordsResultBlock = { journal.note("result \(outcome($0))") }
    await finish(operation)
    #expect(
      journal.all == ["progress a 1.0", "a ok", "b unknownItem", "result ok", "a partialFailure"])
  }

  @Test func `FET-04 what an answer calls deleted is unknownItem, what it leaves out is lost`()
    async
  {
    let server = ScriptedServer { request, _ in
      if request.action == "zones/lookup" { return Wire.zones([ZoneResult]()) }
      let zone = ZoneID(name: "Notes")
      return Wire.records(
        [.success(.deleted(name: "a", zone: zone))], RecordOptions())
    }
    let zone = CKRecordZone.ID(zoneName: "Notes")
    let journal = Journal()
    let records = CKFetchRecordsOperation(
      recordIDs: ["a", "b"].map { CKRecord.ID(recordName: $0, zoneID: zone) })
    records.database = server.container.privateCloudDatabase
    records.perRecordResultBlock = { journal.note("\($0.recordName) \(outcome($1))") }
    await finish(records)
    let zones = CKFetchRecordZonesOperation(recordZoneIDs: [zone])
    zones.database = server.container.privateCloudDatabase
    zones.perRecordZoneResultBlock = { journal.note("\($0.zoneName) \(outcome($1))") }
    await finish(zones)
    #expect(
      journal.all == ["a unknownItem", "b serverResponseLost", "Notes serverResponseLost"])
  }

  @Test func `the current user's record is fetched by the user's name`() async throws {
    let server = ScriptedServer { _, _ in
      Wire.records([.success(.saved(stored("_me", zone: "_defaultZone")))], RecordOptions())
    }
    let operation = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
    operation.database = server.container.privateCloudDatabase
    let journal = Journal()
    operation.perRecordResultBlock = { journal.note("\($0.recordName) \(outcome($1))") }
    await finish(operation)
    #expect(journal.all == ["_me ok"])
  }

  @Test func `a query ends with a cursor that goes on with the same question`() async throws {
    let server = ScriptedServer { _, number in
      Wire.queryPage(
        QueryPage(records: [stored("r\(number)")], marker: number == 0 ? "more" : nil),
        RecordOptions())
    }
    let database = server.container.privateCloudDatabase
    let journal = Journal()
    let first = CKQueryOperation(
      query: CKQuery(recordType: "Note", predicate: NSPredicate(format: "title == %@", "x")))
    first.database = database
    first.resultsLimit = 1
    first.recordMatchedBlock = { journal.note("\($0.recordName) \(outcome($1))") }
    let cursors = Mutex<CKQueryOperation.Cursor?>(nil)
    first.queryResultBlock = { result in cursors.withLock { $0 = (try? result.get()) ?? nil } }
    await finish(first)
    let cursor = try #require(cursors.withLock { $0 })
    let archive = try NSKeyedArchiver.archivedData(
      withRootObject: cursor, requiringSecureCoding: true)
    let restored = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKQueryOperation.Cursor.self, from: archive))
    let second = CKQueryOperation(cursor: restored)
    second.database = database
    second.recordFetchedBlock = { journal.note("old \($0.recordID.recordName)") }
    second.queryCompletionBlock = { journal.note("end \($0 == nil) \(code($1))") }
    await finish(second)
    #expect(journal.all == ["r0 ok", "old r1", "end true nil"])
    let questions = try server.requests.map { try QueryRequest(json: try #require($0.body)) }
    #expect(questions.map(\.marker) == [nil, "more"])
    #expect(questions[0].query == questions[1].query)
    #expect(questions[0].zoneWide && questions[0].limit == 1 && questions[1].limit == nil)
  }

  /// Two records, of which the first has a file that cannot be fetched.
  private static let halfPage = ScriptedServer { request, _ in
    if request.action == "files/x" { throw BrumeError(.notFound, "no such file") }
    let photo = Record(
      name: "a", zone: ZoneID(name: "Notes", ownerName: "_me"), type: "Note", changeTag: "1",
      fields: ["photo": .asset(Asset(fileChecksum: "abc", size: 3))])
    let first = StoredRecord(name: "a", type: "Note", sequence: 1, content: .value(photo))
    return Wire.queryPage(
      QueryPage(records: [first, stored("b")], marker: nil),
      RecordOptions(downloadURL: { _ in "http://scripted/files/x" }))
  }

  @Test func `the old block of a query says which records could not be fetched`() async {
    let operation = CKQueryOperation(
      query: CKQuery(recordType: "Note", predicate: NSPredicate(value: true)))
    operation.database = Self.halfPage.container.privateCloudDatabase
    let journal = Journal()
    operation.recordFetchedBlock = { journal.note($0.recordID.recordName) }
    operation.queryResultBlock = { journal.note("result \(outcome($0))") }
    operation.queryCompletionBlock = { cursor, error in
      let errors = (error as? CKError)?.partialErrorsByItemID ?? [:]
      let failed = errors.map { "\(($0 as? CKRecord.ID)?.recordName ?? "-") \(code($1))" }
      journal.note("\(cursor == nil) \(code(error)) \(failed)")
    }
    await finish(operation)
    #expect(
      journal.all == ["b", "result ok", #"true partialFailure ["a assetNotAvailable"]"#])
  }

  @available(*, deprecated, message: "tests what is deprecated")
  @Test func `the oldest form of a query says so too, beside the records`() async {
    let database = Self.halfPage.container.privateCloudDatabase
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
    let error = await #expect(throws: CKError.self) {
      try await database.perform(query, inZoneWith: nil)
    }
    #expect(error?.code == .partialFailure)
    let answer = await withCheckedContinuation { done in
      database.perform(query, inZoneWith: nil) { records, error in
        done.resume(returning: "\(records?.map(\.recordID.recordName) ?? []) \(code(error))")
      }
    }
    #expect(answer == #"["b"] partialFailure"#)
  }

  @Test func `SAV-39 a query that a block cancels calls no later block`() async {
    let server = ScriptedServer { _, _ in
      Wire.queryPage(
        QueryPage(records: ["a", "b", "c"].map { stored($0) }, marker: nil), RecordOptions())
    }
    let operation = CKQueryOperation(
      query: CKQuery(recordType: "Note", predicate: NSPredicate(value: true)))
    operation.database = server.container.privateCloudDatabase
    let journal = Journal()
    operation.recordMatchedBlock = { id, _ in
      journal.note(id.recordName)
      operation.cancel()
    }
    operation.queryResultBlock = { journal.note(outcome($0)) }
    await finish(operation)
    #expect(journal.all == ["a", "operationCancelled"])
  }

  @Test func `SAV-39 zones that came in one answer are not reported after a cancellation`() async {
    let zones = ["A", "B", "C"].map {
      ZoneState(zone: ZoneID(name: $0, ownerName: "_me"), isAtomic: true)
    }
    let server = ScriptedServer { _, _ in Wire.zones(zones) }
    let journal = Journal()
    let list = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
    list.perRecordZoneResultBlock = { id, _ in
      journal.note(id.zoneName)
      list.cancel()
    }
    list.fetchRecordZonesResultBlock = { journal.note(outcome($0)) }
    let ids = ["A", "B", "C"].map { CKRecordZone.ID(zoneName: $0) }
    let modify = CKModifyRecordZonesOperation(
      recordZonesToSave: [CKRecordZone(zoneID: ids[0])], recordZoneIDsToDelete: [ids[1], ids[2]])
    modify.perRecordZoneDeleteBlock = { id, _ in
      journal.note("deleted \(id.zoneName)")
      modify.cancel()
    }
    modify.modifyRecordZonesResultBlock = { journal.note(outcome($0)) }
    for operation in [list, modify] as [CKDatabaseOperation] {
      operation.database = server.container.privateCloudDatabase
      await finish(operation)
    }
    #expect(journal.all == ["A", "operationCancelled", "deleted B", "operationCancelled"])
  }

  @Test func `a query operation with nothing to ask says so`() async {
    let operation = CKQueryOperation()
    operation.database = ScriptedServer { _, _ in [] }.container.publicCloudDatabase
    let journal = Journal()
    operation.queryResultBlock = { journal.note(outcome($0)) }
    await finish(operation)
    #expect(journal.all == ["invalidArguments"])
  }

  @Test func `zones are saved, deleted and listed`() async {
    let server = ScriptedServer { request, _ in
      let notes = ZoneState(zone: ZoneID(name: "Notes", ownerName: "_me"), isAtomic: true)
      if request.action == "zones/list" { return Wire.zones([notes]) }
      return Wire.zones([
        .success(notes),
        .failure(ItemFailure(ZoneID(name: "Old"), BrumeError(.zoneNotFound, "no zone Old"))),
      ])
    }
    let database = server.container.privateCloudDatabase
    let journal = Journal()
    let modify = CKModifyRecordZonesOperation(
      recordZonesToSave: [CKRecordZone(zoneName: "Notes")],
      recordZoneIDsToDelete: [CKRecordZone.ID(zoneName: "Old")])
    modify.database = database
    modify.perRecordZoneSaveBlock = { journal.note("save \($0.zoneName) \(outcome($1))") }
    modify.perRecordZoneDeleteBlock = { journal.note("delete \($0.zoneName) \(outcome($1))") }
    modify.modifyRecordZonesCompletionBlock = { saved, deleted, error in
      journal.note("\(saved?.count ?? -1) \(deleted?.count ?? -1) \(code(error))")
    }
    await finish(modify)
    let list = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
    list.database = database
    list.perRecordZoneResultBlock = {
      journal.note("\($0.zoneName) \($0.ownerName) \(outcome($1))")
    }
    await finish(list)
    #expect(
      journal.all == [
        "save Notes ok", "delete Old zoneNotFound", "1 0 partialFailure",
        "Notes __defaultOwner__ ok",
      ])
  }
}
