import BrumeModel
import Foundation
import Testing

@testable import BrumeKit

struct RecordConversionTests {
  private let mine = Viewpoint(scope: .private)
  private let notes = ZoneID(name: "Notes", ownerName: "_1")

  private func server(_ fields: [String: FieldValue] = [:]) -> Record {
    Record(
      name: "n1", zone: notes, type: "Note", changeTag: "1e", fields: fields,
      encryptedFields: ["secret"],
      created: Stamp(time: 1000, user: UserID("_1"), device: "d"),
      modified: Stamp(time: 2500, user: UserID("_2"), device: "d"), parent: "p", share: "s")
  }

  @Test func `every kind of value survives the way to the client and back`() throws {
    let values: [String: FieldValue] = [
      "string": .string("é"), "int": .int64(.min), "double": .double(0.1),
      "bytes": .bytes([0, 255]),
      "time": .timestamp(1_234_567),
      "place": .location(
        Location(
          latitude: 1, longitude: 2, altitude: 3, horizontalAccuracy: 4, verticalAccuracy: 5,
          speed: 6, course: 7, timestamp: 8)),
      "asset": .asset(Asset(fileChecksum: "abc", size: 3)),
      "list": .list([.int64(1), .int64(2)], of: .int64), "secret": .string("x"),
    ]
    let record = makeRecord(server(values), from: mine)
    // An asset that has no file here is sent only where it was set.
    record["asset"] = record["asset"] as? CKAsset
    let draft = try record.draft(.allKeys)
    #expect(draft.fields.mapValues(\.value) == values.mapValues { Optional($0) })
    #expect(draft.fields.filter(\.value.isEncrypted).keys.sorted() == ["secret"])
  }

  @Test func `a reference keeps its target and what happens to its holder`() throws {
    let value = FieldValue.reference(
      Reference(recordName: "x", zone: notes, action: .deleteSelf))
    let record = makeRecord(server(["to": value]), from: mine)
    let reference = try #require(record["to"] as CKRecord.Reference?)
    #expect(reference.action == .deleteSelf)
    #expect(reference.recordID == CKRecord.ID(recordName: "x", zoneID: record.recordID.zoneID))
  }

  @Test func `system fields are those of the server, and nothing counts as changed`() {
    let record = makeRecord(server(["a": .int64(1)]), from: mine)
    #expect(record.recordChangeTag == "1e")
    #expect(record.creationDate == Date(timeIntervalSince1970: 1))
    #expect(record.modificationDate == Date(timeIntervalSince1970: 2.5))
    #expect(record.parent?.recordID.recordName == "p")
    #expect(record.share?.recordID.recordName == "s")
    #expect(record.changedKeys().isEmpty)
  }

  @Test func `the current user is shown by the constant, others by their names`() {
    let record = makeRecord(server(), from: mine)
    #expect(record.recordID.zoneID.ownerName == CKCurrentUserDefaultName)
    #expect(record.creatorUserRecordID?.recordName == CKCurrentUserDefaultName)
    #expect(record.lastModifiedUserRecordID?.recordName == "_2")
  }

  @Test func `in the shared database the owner's name stays`() {
    let record = makeRecord(server(), from: Viewpoint(scope: .shared, me: "_2"))
    #expect(record.recordID.zoneID.ownerName == "_1")
    #expect(record.lastModifiedUserRecordID?.recordName == CKCurrentUserDefaultName)
    #expect(ZoneID(record.recordID.zoneID) == notes)
  }

  @Test func `a zone of one's own is named without an owner`() {
    #expect(ZoneID(CKRecordZone.ID(zoneName: "Notes")) == ZoneID(name: "Notes"))
  }

  @Test func `a new record is created, a fetched one updated with what changed`() throws {
    let new = CKRecord(recordType: "Note")
    #expect(try new.saveOperation(.ifServerRecordUnchanged).kind == .create)
    let fetched = makeRecord(server(["a": .int64(1), "b": .int64(2)]), from: mine)
    fetched["b"] = 3
    let operation = try fetched.saveOperation(.ifServerRecordUnchanged)
    #expect(operation.kind == .update)
    #expect(operation.record.changeTag == "1e")
    #expect(operation.record.fields == ["b": DraftField(.int64(3))])
    #expect(operation.record.parent == .unchanged)
  }

  @Test func `changed keys overwrite, all keys overwrite with everything`() throws {
    let record = makeRecord(server(["a": .int64(1), "b": .int64(2)]), from: mine)
    record["b"] = nil
    let changed = try record.saveOperation(.changedKeys)
    #expect(changed.kind == .forceUpdate)
    #expect(changed.record.fields == ["b": DraftField(nil)])
    let all = try record.saveOperation(.allKeys)
    #expect(all.kind == .forceUpdate)
    #expect(all.record.fields == ["a": DraftField(.int64(1)), "b": DraftField(nil)])
  }

  @Test func `a parent is sent when it changed, also when it was taken away`() throws {
    let record = makeRecord(server(), from: mine)
    record.setParent(CKRecord.ID(recordName: "q", zoneID: record.recordID.zoneID))
    #expect(
      try record.draft(.ifServerRecordUnchanged).parent
        == .set(Reference(recordName: "q", zone: ZoneID(name: "Notes"))))
    record.parent = nil
    #expect(try record.draft(.ifServerRecordUnchanged).parent == .cleared)
  }

  @Test func `REF-03 in somebody else's zone a reference to one's own zone says whose that is`()
    throws
  {
    let record = makeRecord(server(), from: Viewpoint(scope: .shared, me: "_2"))
    let own = CKRecord.ID(recordName: "q", zoneID: CKRecordZone.ID(zoneName: "Notes"))
    let theirs = CKRecord.ID(recordName: "q", zoneID: record.recordID.zoneID)
    record["one"] = CKRecord.Reference(recordID: own, action: .none)
    let references = [theirs, own].map { CKRecord.Reference(recordID: $0, action: .none) }
    record["list"] = references
    record.setParent(own)
    let draft = try record.draft(.ifServerRecordUnchanged)
    let there = Reference(recordName: "q", zone: notes)
    var named = there
    named.zone = ZoneID(name: "Notes", ownerName: CKCurrentUserDefaultName)
    #expect(draft.fields["one"]?.value == .reference(named))
    #expect(
      draft.fields["list"]?.value
        == .list([.reference(there), .reference(named)], of: .reference))
    #expect(draft.parent == .set(named))
  }

  @Test func `deleting does not ask who changed it before`() {
    let operation = RecordOperation(deleting: CKRecord.ID(recordName: "a"))
    #expect(operation.kind == .forceDelete)
    #expect(operation.record.name == "a")
  }

  @Test func `FET-09 a new asset without its file is refused with a clear error`() {
    let record = CKRecord(recordType: "Note")
    record["photo"] = CKAsset(fileURL: URL(fileURLWithPath: "/nowhere/photo.jpg"))
    #expect {
      try record.draft(.allKeys)
    } throws: { error in
      let error = error as? CKError
      return error?.code == .assetFileNotFound
        && error?.localizedDescription.contains("photo") == true
    }
  }

  @Test func `a number beyond 64 bits with sign is refused by name`() {
    let record = CKRecord(recordType: "Note")
    record["huge"] = UInt64.max
    #expect {
      try record.draft(.allKeys)
    } throws: { error in
      (error as? CKError)?.localizedDescription.contains("huge") == true
    }
  }
}
