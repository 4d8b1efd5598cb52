import BrumeModel
import Foundation
import Testing

@testable import BrumeKit

@Suite struct BatchSizeTests {
  private typealias Batch = CKSyncEngine.RecordZoneChangeBatch
  private let limit = Limits.apple.syncEngineBatchBytes
  private let zone = CKRecordZone.ID(zoneName: "Z")

  /// The sizes of what a batch takes of records with so many bytes each.
  private func taken(_ sizes: [Int]) async -> [Int]? {
    let ids = sizes.indices.map { CKRecord.ID(recordName: "\($0)", zoneID: zone) }
    let batch = await Batch(pendingChanges: ids.map { .saveRecord($0) }) { id in
      let record = CKRecord(recordType: "Note", recordID: id)
      record["data"] = Data(count: sizes[Int(id.recordName) ?? 0])
      return record
    }
    return batch?.recordsToSave.map(\.bytesToSend)
  }

  @Test func `LIM-01 a batch is full at 2 MB of fields`() async {
    #expect(await taken([limit - 1, 1, 1]) == [limit - 1, 1])
    #expect(await taken([limit - 1, 2, 1]) == [limit - 1])
    #expect(await taken([5, limit, 5]) == [5], "in order: what comes later waits too")
  }

  @Test func `LIM-01 a record that is larger than a batch goes alone`() async {
    #expect(await taken([limit + 1, 1]) == [limit + 1])
  }

  @Test func `ENG-14 a batch takes 250 changes in order, saves and deletions together`() async {
    let ids = (0..<300).map { CKRecord.ID(recordName: "\($0)", zoneID: zone) }
    let changes = ids.enumerated().map { place, id -> CKSyncEngine.PendingRecordZoneChange in
      place.isMultiple(of: 2) ? .saveRecord(id) : .deleteRecord(id)
    }
    let batch = await Batch(pendingChanges: changes) { id in
      CKRecord(recordType: "Note", recordID: id)
    }
    #expect(batch?.recordsToSave.count == 125 && batch?.recordIDsToDelete.count == 125)
    #expect(batch?.recordsToSave.last?.recordID == ids[248])
    #expect(batch?.recordIDsToDelete.last == ids[249])
  }

  @Test func `texts, data and lists count by their bytes, and only what is sent counts`() {
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a", zoneID: zone))
    record["text"] = "näh"
    record["list"] = ["ab", "c"]
    record["number"] = 7
    #expect(record.bytesToSend == 4 + 3 + 8)
    record.changes = ["text"]
    #expect(record.bytesToSend == 4)
  }
}
