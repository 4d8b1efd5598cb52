import BrumeModel
import BrumeWire
import Foundation
import Testing

@testable import BrumeKit

@Suite struct ModifyRecordsTests {
  private let zone = CKRecordZone.ID(zoneName: "Notes")
  private func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: zone) }
  private func record(_ name: String) -> CKRecord {
    CKRecord(recordType: "Note", recordID: id(name))
  }

  @Test func `the record that was saved takes the server's tag and forgets its changes`() async {
    let server = ScriptedServer { _, _ in
      Wire.records([.success(.saved(stored("a", tag: "9")))], RecordOptions())
    }
    let note = record("a")
    note["title"] = "a"
    let operation = CKModifyRecordsOperation(recordsToSave: [note])
    operation.database = server.container.privateCloudDatabase
    await finish(operation)
    #expect(note.recordChangeTag == "9")
    #expect(note.changedKeys().isEmpty)
  }

  @Test func `ATM-01 old blocks get one partial failure, result blocks get none`() async {
    let server = ScriptedServer { _, _ in
      Wire.records(
        [
          .failure(
            ItemFailure(
              RecordID(name: "a", zone: ZoneID(name: "Notes")),
              BrumeError(.conflict, "changed"))),
          .failure(
            ItemFailure(
              RecordID(name: "b", zone: ZoneID(name: "Notes")),
              BrumeError(.atomicError, "a failed"))),
        ], RecordOptions())
    }
    let journal = Journal()
    let operation = CKModifyRecordsOperation(
      recordsToSave: [record("a")], recordIDsToDelete: [id("b")])
    operation.database = server.container.privateCloudDatabase
    operation.perRecordCompletionBlock = {
      journal.note("old \($0.recordID.recordName) \(code($1))")
    }
    operation.perRecordDeleteBlock = { journal.note("delete \($0.recordName) \(outcome($1))") }
    operation.modifyRecordsResultBlock = { journal.note("result \(outcome($0))") }
    operation.modifyRecordsCompletionBlock = { saved, deleted, error in
      let errors = (error as? CKError)?.partialErrorsByItemID ?? [:]
      journal.note(
        "completion \(saved?.count ?? -1) \(deleted?.count ?? -1) \(code(error)) "
          + "\(code(errors[self.id("a")])) \(code(errors[self.id("b")]))")
    }
    await finish(operation)
    #expect(
      journal.all == [
        "old a serverRecordChanged", "delete b batchRequestFailed", "result ok",
        "completion 0 0 partialFailure serverRecordChanged batchRequestFailed",
      ])
  }

  @Test func `SAV-16 more than 400 items are refused with both numbers`() async throws {
    let server = ScriptedServer { _, _ in [] }
    let operation = CKModifyRecordsOperation(
      recordIDsToDelete: (0...400).map { id("\($0)") })
    operation.database = server.container.privateCloudDatabase
    let journal = Journal()
    operation.modifyRecordsResultBlock = { result in
      guard case .failure(let error) = result else { return journal.note("ok") }
      journal.note("\(code(error)) \(error.localizedDescription)")
    }
    await finish(operation)
    let line = try #require(journal.all.first)
    #expect(line.contains("limitExceeded") && line.contains("401") && line.contains("400"))
    #expect(server.requests.isEmpty)
  }

  @Test func `SAV-16 what is too much for the server is limitExceeded, and apps send halves`()
    async throws
  {
    let words = "the texts of the request have more than 250000 different words, the maximum"
    let server = ScriptedServer { request, _ in
      let question = try ModifyRecordsRequest(json: try #require(request.body))
      guard question.operations.count <= 2 else { throw BrumeError(.limitExceeded, words) }
      return Wire.records(
        question.operations.map { .success(.saved(stored($0.record.name ?? ""))) },
        RecordOptions())
    }
    let database = server.container.privateCloudDatabase
    func save(_ records: ArraySlice<CKRecord>) async throws -> Int {
      do {
        return try await database.modifyRecords(saving: Array(records), deleting: [])
          .saveResults.values.count { (try? $0.get()) != nil }
      } catch let error as CKError where error.code == .limitExceeded {
        #expect(error.localizedDescription == words)
        let half = records.count / 2
        return try await save(records.prefix(half)) + save(records.dropFirst(half))
      }
    }
    #expect(try await save(["a", "b", "c", "d", "e"].map { record($0) }[...]) == 5)
    #expect(server.requests.count == 5)
  }

  @Test(arguments: [true, false])
  func `ATM-10 DEL-11 SAV-14 SAV-15 400 items go in one request, in the app's order`(
    isAtomic: Bool
  ) async {
    let server = ScriptedServer { request, _ in
      let question = try ModifyRecordsRequest(json: try #require(request.body))
      return Wire.records(
        question.operations.map {
          .success(
            .deleted(
              name: $0.record.name ?? "",
              zone: $0.record.zone ?? ZoneID(name: ZoneID.defaultName)))
        }, RecordOptions())
    }
    let ids =
      (0..<50).map { id("n\($0)") }
      + (0..<340).map { CKRecord.ID(recordName: "d\($0)") } + (50..<60).map { id("n\($0)") }
    let operation = CKModifyRecordsOperation(recordIDsToDelete: ids)
    operation.isAtomic = isAtomic
    operation.database = server.container.privateCloudDatabase
    let journal = Journal()
    operation.perRecordDeleteBlock = { id, _ in journal.note(id.recordName) }
    operation.modifyRecordsCompletionBlock = { _, deleted, error in
      journal.note("\(deleted?.count ?? -1) \(code(error))")
    }
    await finish(operation)
    #expect(journal.all == ids.map(\.recordName) + ["400 nil"])
    let requests = server.requests.compactMap { $0.body }
      .compactMap { try? ModifyRecordsRequest(json: $0) }
    #expect(requests.map { $0.operations.map(\.record.name) } == [ids.map(\.recordName)])
    #expect(requests.first?.operationID != nil)
  }

  @Test func `SAV-39 a block that cancels is the last one of its kind`() async {
    let server = ScriptedServer { _, _ in
      Wire.records(
        ["a", "b"].map { .success(.saved(stored($0))) }
          + [.success(.deleted(name: "c", zone: ZoneID(name: "Notes")))], RecordOptions())
    }
    for isProgress in [true, false] {
      let operation = CKModifyRecordsOperation(
        recordsToSave: [record("a"), record("b")], recordIDsToDelete: [id("c")])
      operation.database = server.container.privateCloudDatabase
      let journal = Journal()
      operation.perRecordProgressBlock = { record, _ in
        journal.note("progress \(record.recordID.recordName)")
        if isProgress { operation.cancel() }
      }
      operation.perRecordSaveBlock = { id, _ in
        journal.note("saved \(id.recordName)")
        operation.cancel()
      }
      operation.perRecordDeleteBlock = { id, _ in journal.note("deleted \(id.recordName)") }
      operation.modifyRecordsResultBlock = { journal.note(outcome($0)) }
      await finish(operation)
      #expect(
        journal.all == ["progress a"] + (isProgress ? [] : ["saved a"]) + ["operationCancelled"])
    }
  }

  @Test func `a malformed record spoils its zone when the operation is atomic`() {
    let items = [
      ModifyPlan.Item(zone: zone, operation: .success(RecordOperation(deleting: id("a")))),
      ModifyPlan.Item(zone: zone, operation: .failure(CKError(.invalidArguments, "bad"))),
      ModifyPlan.Item(zone: .default, operation: .success(RecordOperation(deleting: id("c")))),
    ]
    let atomic = ModifyPlan(items, isAtomic: true)
    #expect(atomic.refusals().mapValues(\.code) == [0: .batchRequestFailed, 1: .invalidArguments])
    #expect(atomic.sent().map(\.position) == [2])
    let loose = ModifyPlan(items, isAtomic: false)
    #expect(loose.refusals().mapValues(\.code) == [1: .invalidArguments])
    #expect(loose.sent().map(\.position) == [0, 2])
  }
}
