// Values that no request may hold: the server refuses everything that comes with them.

import BrumeModel
import BrumeWire
import Foundation
import Testing

@testable import BrumeKit

@Suite struct OddValueTests {
  private let zone = CKRecordZone.ID(zoneName: "Notes")
  private func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: zone) }

  private func record(_ name: String, _ value: any __CKRecordObjCValue) -> CKRecord {
    let record = CKRecord(recordType: "Note", recordID: id(name))
    record.setObject(value, forKey: name)
    return record
  }

  /// Saves and deletes all that it is asked for.
  private static let willing = ScriptedServer { request, _ in
    let question = try ModifyRecordsRequest(json: try #require(request.body))
    return Wire.records(
      question.operations.map { operation in
        let name = operation.record.name ?? ""
        return .success(
          operation.kind.isDelete
            ? .deleted(name: name, zone: ZoneID(name: "Notes")) : .saved(stored(name)))
      }, RecordOptions())
  }

  @Test func `a value that no request may hold fails its record alone, and names the field`()
    async throws
  {
    let odd = [
      record("nan", NSNumber(value: Double.nan)),
      record("infinity", NSNumber(value: -Double.infinity)),
      record("nul", NSString(string: "a\0")),
      record("marks", NSString(string: "e" + String(repeating: "\u{301}", count: 65))),
      record("numbers", NSArray(array: [NSNumber(value: 1), NSNumber(value: 2.5)])),
      record("kinds", NSArray(array: [NSString(string: "a"), NSNumber(value: 1)])),
      record("place", CLLocation(latitude: .nan, longitude: 0)),
    ]
    let journal = Journal()
    let operation = CKModifyRecordsOperation(
      recordsToSave: odd + [record("good", NSNumber(value: 1.5))],
      recordIDsToDelete: [id("bad\0"), id("gone")])
    operation.isAtomic = false
    operation.database = Self.willing.container.privateCloudDatabase
    operation.perRecordSaveBlock = { id, result in
      var isNamed = false
      if case .failure(let error) = result {
        isNamed = error.localizedDescription.contains("field '\(id.recordName)'")
      }
      journal.note("\(id.recordName) \(outcome(result)) \(isNamed)")
    }
    operation.perRecordDeleteBlock = { journal.note("\($0.recordName.count) \(outcome($1))") }
    operation.modifyRecordsResultBlock = { journal.note("end \(outcome($0))") }
    await finish(operation)
    #expect(
      journal.all == odd.map { "\($0.recordID.recordName) invalidArguments true" } + [
        "4 invalidArguments", "good ok false", "4 ok", "end ok",
      ])
  }

  @Test func `an odd value fails its zone with it when the operation is atomic`() async {
    let journal = Journal()
    let operation = CKModifyRecordsOperation(recordsToSave: [
      record("nan", NSNumber(value: Double.nan)), record("good", NSNumber(value: 1)),
    ])
    operation.database = Self.willing.container.privateCloudDatabase
    operation.perRecordSaveBlock = { journal.note("\($0.recordName) \(outcome($1))") }
    operation.modifyRecordsResultBlock = { journal.note("end \(outcome($0))") }
    await finish(operation)
    #expect(
      journal.all == ["nan invalidArguments", "good batchRequestFailed", "end ok"])
  }
}
