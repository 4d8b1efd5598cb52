// What apps and sync libraries rely on when something fails: ATM-06 to ATM-08, ATM-11, ATM-12,
// DEL-10, CHG-11, CHG-12, CHG-23, LIM-04.

import BrumeModel
import BrumeWire
import Foundation
import Testing

@testable import BrumeKit

@Suite struct FailureCaseTests {
  private let zone = CKRecordZone.ID(zoneName: "Notes")
  private static let zoneID = ZoneID(name: "Notes", ownerName: "_me")
  private func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: zone) }
  private func record(_ name: String) -> CKRecord {
    let record = CKRecord(recordType: "Note", recordID: id(name))
    record["title"] = "t"
    return record
  }

  private static func failed(_ name: String, _ code: BrumeError.Code) -> RecordResult {
    .failure(ItemFailure(RecordID(name: name, zone: zoneID), BrumeError(code, "\(code)")))
  }

  @Test func `LIM-04 a call inside the time that the server asked to wait is sent, and answered`()
    async throws
  {
    let server = ScriptedServer { _, number in
      if number == 0 { throw BrumeError(.tryAgainLater, "down", retryAfter: 30) }
      return Wire.records([.success(.saved(stored("a")))], RecordOptions())
    }
    let database = server.container.privateCloudDatabase
    let refusal = await #expect(throws: CKError.self) { try await database.record(for: id("a")) }
    #expect(refusal?.code == .serviceUnavailable && refusal?.retryAfterSeconds == 30)
    #expect(try await database.record(for: id("a"))["title"] == "a")
    #expect(server.requests.count == 2 && server.pauses.isEmpty)
  }

  @Test func `ATM-06 batchRequestFailed is passed on even if the operation was not atomic`()
    async throws
  {
    let server = ScriptedServer { _, _ in
      Wire.records([Self.failed("a", .atomicError)], RecordOptions())
    }
    let results = try await server.container.privateCloudDatabase.modifyRecords(
      saving: [record("a")], deleting: [], atomically: false)
    #expect(code(results.saveResults[id("a")].flatMap(failure)) == "batchRequestFailed")
  }

  @Test func `ATM-07 an item that failed with its batch is unchanged and can be saved again`()
    async throws
  {
    let server = ScriptedServer { _, number in
      number == 0
        ? Wire.records(
          [Self.failed("a", .conflict), Self.failed("b", .atomicError)], RecordOptions())
        : Wire.records([.success(.saved(stored("b", tag: "2")))], RecordOptions())
    }
    let database = server.container.privateCloudDatabase
    let innocent = record("b")
    innocent.recordChangeTag = "1"
    let results = try await database.modifyRecords(saving: [record("a"), innocent], deleting: [])
    #expect(code(results.saveResults[id("b")].flatMap(failure)) == "batchRequestFailed")
    #expect(innocent.changedKeys() == ["title"] && innocent.recordChangeTag == "1")
    try await database.save(innocent)
    #expect(innocent.changedKeys().isEmpty && innocent.recordChangeTag == "2")
    let again = try ModifyRecordsRequest(json: try #require(server.requests.last?.body))
    #expect(again.operations.map(\.record.changeTag) == ["1"])
  }

  @Test func `ATM-08 each item of a partial failure keeps its own code`() async throws {
    let codes: [(BrumeError.Code, CKError.Code)] = [
      (.conflict, .serverRecordChanged), (.atomicError, .batchRequestFailed),
      (.notFound, .unknownItem), (.accessDenied, .permissionFailure),
      (.quotaExceeded, .quotaExceeded), (.rejected, .serverRejectedRequest),
    ]
    let names = codes.indices.map { "r\($0)" }
    let server = ScriptedServer { _, _ in
      Wire.records(zip(names, codes).map { Self.failed($0, $1.0) }, RecordOptions())
    }
    let operation = CKModifyRecordsOperation(recordsToSave: names.map(record))
    operation.database = server.container.privateCloudDatabase
    let journal = Journal()
    operation.modifyRecordsCompletionBlock = { _, _, error in
      let errors = (error as? CKError)?.partialErrorsByItemID ?? [:]
      for name in names { journal.note(code(errors[self.id(name)])) }
    }
    await finish(operation)
    #expect(journal.all == codes.map { "\($0.1)" })
  }

  @Test func `ATM-11 a refusal by a rule of the server is final and says why`() async throws {
    let server = ScriptedServer { _, _ in
      Wire.records([Self.failed("a", .rejected)], RecordOptions())
    }
    let operation = CKModifyRecordsOperation(recordsToSave: [record("a")])
    operation.qualityOfService = .utility
    operation.database = server.container.privateCloudDatabase
    let journal = Journal()
    operation.perRecordSaveBlock = { _, result in
      journal.note(outcome(result))
      journal.note(failure(result)?.localizedDescription ?? "-")
      journal.note("\(failure(result)?.retryAfterSeconds ?? -1)")
    }
    await finish(operation)
    #expect(journal.all == ["serverRejectedRequest", "rejected", "-1.0"])
    #expect(server.requests.count == 1, "final errors are not repeated")
  }

  @Test(arguments: [
    (BrumeError.Code.tryAgainLater, "serviceUnavailable"),
    (.internalError, "serverRejectedRequest"),
  ])
  func `ATM-12 a patient save waits out a server that is down, an urgent one reports it`(
    down: BrumeError.Code, reported: String
  ) async throws {
    func run(_ quality: QualityOfService) async -> (journal: [String], pauses: [Duration]) {
      let server = ScriptedServer { _, number in
        if number < 3 { throw BrumeError(down, "down") }
        return Wire.records([.success(.saved(stored("a")))], RecordOptions())
      }
      let operation = CKModifyRecordsOperation(recordsToSave: [record("a")])
      operation.qualityOfService = quality
      operation.database = server.container.privateCloudDatabase
      let journal = Journal()
      operation.modifyRecordsResultBlock = { journal.note(outcome($0)) }
      await finish(operation)
      return (journal.all, server.pauses)
    }
    let patient = await run(.utility)
    #expect(patient.journal == ["ok"])
    #expect(patient.pauses == [.seconds(2), .seconds(4), .seconds(8)])
    let urgent = await run(.userInitiated)
    #expect(urgent.journal == [reported] && urgent.pauses.isEmpty)
  }

  @Test func `DEL-10 a delete that a reference forbids says so for that record alone`() async throws
  {
    let server = ScriptedServer { _, _ in
      Wire.records(
        [
          Self.failed("parent", .validatingReferenceError),
          .success(.deleted(name: "other", zone: Self.zoneID)),
        ], RecordOptions())
    }
    let results = try await server.container.privateCloudDatabase.modifyRecords(
      saving: [], deleting: [id("parent"), id("other")], atomically: false)
    #expect(code(results.deleteResults[id("parent")].flatMap(failure)) == "referenceViolation")
    #expect(results.deleteResults[id("other")].map(outcome) == "ok")
  }

  // MARK: Changes

  private static func page(_ name: String, token: String, more: Bool) -> [UInt8] {
    Wire.zoneChanges(
      [
        .success(
          ZoneChangesPage(
            zone: zoneID, changes: [.changed(stored(name))], token: token, moreComing: more))
      ], RecordOptions())
  }

  @Test func `CHG-11 CHG-12 what came before a failure is kept, and the next fetch goes on there`()
    async throws
  {
    let server = ScriptedServer { _, number in
      switch number {
      case 0: return Self.page("a", token: "1", more: true)
      case 1: throw BrumeError(.tryAgainLater, "down")
      default: return Self.page("b", token: "2", more: false)
      }
    }
    let (container, journal) = (server.container, Journal())
    var token: CKServerChangeToken?
    func fetch() async {
      let operation = CKFetchRecordZoneChangesOperation(
        recordZoneIDs: [zone],
        configurationsByRecordZoneID: [zone: .init(previousServerChangeToken: token)])
      operation.database = container.privateCloudDatabase
      operation.recordWasChangedBlock = { journal.note("\($0.recordName) \(outcome($1))") }
      operation.recordZoneChangeTokensUpdatedBlock = { _, new, _ in token = new }
      operation.recordZoneFetchResultBlock = { _, result in
        if case .success(let end) = result { token = end.serverChangeToken }
      }
      operation.fetchRecordZoneChangesResultBlock = { journal.note(outcome($0)) }
      await finish(operation)
    }
    await fetch()
    #expect(token?.text == "1")
    await fetch()
    #expect(token?.text == "2")
    #expect(journal.all == ["a ok", "serviceUnavailable", "b ok", "ok"])
    let asked = try server.requests.flatMap {
      try Wire.zoneChangesRequests(try #require($0.body)).map(\.token)
    }
    #expect(asked == [nil, "1", "1"])
  }

  @Test func `CHG-23 the token to keep is the one at the zone's end`() async throws {
    let server = ScriptedServer { _, number in
      Self.page("r\(number)", token: "\(number)", more: number < 2)
    }
    let journal = Journal()
    let operation = CKFetchRecordZoneChangesOperation(recordZoneIDs: [zone])
    operation.database = server.container.privateCloudDatabase
    operation.recordZoneChangeTokensUpdatedBlock = { _, token, _ in
      journal.note("on the way \(token?.text ?? "-")")
    }
    operation.recordZoneFetchResultBlock = { _, result in
      if case .success(let end) = result { journal.note("end \(end.serverChangeToken.text)") }
    }
    await finish(operation)
    #expect(journal.all == ["on the way 0", "on the way 1", "end 2"])
  }

  private func failure<Value>(_ result: Result<Value, any Error>) -> CKError? {
    if case .failure(let error) = result { error as? CKError } else { nil }
  }
}
