import Foundation
import Testing

@testable import BrumeKit

/// How a batch that is too large for the server is cut.
@Suite struct BatchHalvesTests {
  private typealias Batch = CKSyncEngine.RecordZoneChangeBatch

  private func record(_ name: String, zone: String = "Z", below parent: String? = nil) -> CKRecord {
    let zoneID = CKRecordZone.ID(zoneName: zone)
    let record = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zoneID))
    record.setParent(parent.map { CKRecord.ID(recordName: $0, zoneID: zoneID) })
    return record
  }

  private func names(_ batch: Batch?) -> [String]? { batch?.changes.map(\.recordID.recordName) }

  @Test func `DEL-11 parents go first, and deletions when nothing refers to them any more`() {
    let batch = Batch(
      recordsToSave: [
        record("leaf", below: "child"), record("child", below: "top"), record("top"),
        record("other"),
      ], recordIDsToDelete: ["x", "y"].map { record($0).recordID })
    let halves = batch.halves
    #expect(names(halves?.0) == ["top", "other", "child"])
    #expect(names(halves?.1) == ["leaf", "x", "y"])
    #expect(names(halves?.0.halves?.0) == ["top"])
    #expect(Batch(recordsToSave: [record("alone")]).halves == nil)
  }

  @Test func `SHR-02 a new share stays with its root`() {
    let root = record("root")
    let batch = Batch(recordsToSave: [CKShare(rootRecord: root), record("a"), record("b"), root])
    let halves = batch.halves
    #expect(names(halves?.0) == ["a", "b"])
    #expect(halves?.1.recordsToSave.count == 2 && halves?.1.recordsToSave.first === root)
    #expect(halves?.1.halves == nil)
  }

  @Test func `ENG-13 what is atomic by zone is cut between zones only`() {
    let records = ["a", "b"].flatMap { [record($0, zone: "Z"), record($0, zone: "Y")] }
    let batch = Batch(
      recordsToSave: records, recordIDsToDelete: [record("c", zone: "Y").recordID],
      atomicByZone: true)
    let halves = batch.halves
    #expect(Set(halves?.0.changes.map(\.recordID.zoneID.zoneName) ?? []) == ["Z"])
    #expect(names(halves?.1) == ["a", "b", "c"] && halves?.1.atomicByZone == true)
    #expect(halves?.1.halves == nil)
  }

  @Test func `a batch of many files is cut until each request has few of them`() {
    let file = URL(filePath: "/never/there")
    let records = (0..<30).map { number in
      let record = record("\(number)")
      for key in ["photo", "thumbnail"] { record[key] = CKAsset(fileURL: file) }
      return record
    }
    let batch = Batch(recordsToSave: records)
    #expect(batch.hasTooManyFiles)
    #expect(batch.halves?.0.hasTooManyFiles == false && batch.halves?.1.hasTooManyFiles == false)
    #expect(!Batch(recordsToSave: Array(records.prefix(25))).hasTooManyFiles)
  }

  @Test func `files count by their bytes too`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "large-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
    // A hole: it takes no room on the disk.
    try FileHandle(forWritingTo: file).truncate(atOffset: UInt64(Batch.fileBytesLimit / 2 + 1))
    let records = ["a", "b"].map { record($0) }
    for record in records { record["photo"] = CKAsset(fileURL: file) }
    #expect(Batch(recordsToSave: records).hasTooManyFiles)
    #expect(!Batch(recordsToSave: [records[0]]).hasTooManyFiles)
  }

  @Test func `a cycle of parents is cut too`() {
    let batch = Batch(recordsToSave: [record("a", below: "b"), record("b", below: "a")])
    #expect(batch.halves?.0.count == 1 && batch.halves?.1.count == 1)
  }
}
