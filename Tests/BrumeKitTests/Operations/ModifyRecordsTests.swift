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

  @Test func `an atomic zone stays in one request, the default zone is cut into pieces`() async {
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
    let operation = CKModifyRecordsOperation(
      recordIDsToDelete: (0..<50).map { id("n\($0)") }
        + (0..<250).map { CKRecord.ID(recordName: "d\($0)") } + (50..<60).map { id("n\($0)") })
    operation.database = server.container.privateCloudDatabase
    let journal = Journal()
    operation.modifyRecordsCompletionBlock = { _, deleted, error in
      journal.note("\(deleted?.count ?? -1) \(code(error))")
    }
    await finish(operation)
    #expect(journal.all == ["310 nil"])
    let requests = server.requests.compactMap { $0.body }
      .compactMap { try? ModifyRecordsRequest(json: $0) }
    #expect(requests.map(\.operations.count) == [200, 110])
    let notes = requests.map { $0.operations.count { $0.record.zone?.name == "Notes" } }
    #expect(notes.contains(60))
    #expect(Set(requests.compactMap(\.operationID)).count == requests.count)
  }

  @Test func `a malformed record spoils its zone when the operation is atomic`() {
    let items = [
      ModifyPlan.Item(zone: zone, operation: .success(RecordOperation(deleting: id("a")))),
      ModifyPlan.Item(zone: zone, operation: .failure(CKError(.invalidArguments, "bad"))),
      ModifyPlan.Item(zone: .default, operation: .success(RecordOperation(deleting: id("c")))),
    ]
    let atomic = ModifyPlan(items, isAtomic: true)
    #expect(atomic.refusals().mapValues(\.code) == [0: .batchRequestFailed, 1: .invalidArguments])
    #expect((try? atomic.requests()) == [[2]])
    let loose = ModifyPlan(items, isAtomic: false)
    #expect(loose.refusals().mapValues(\.code) == [1: .invalidArguments])
    #expect((try? loose.requests()) == [[0, 2]])
  }
}
