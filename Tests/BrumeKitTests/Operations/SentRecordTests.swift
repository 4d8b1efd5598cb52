// What a record is after its save: the server's word, the app's edits since, and the files that are still the right ones.

import BrumeModel
import BrumeWire
import Foundation
import Testing

@testable import BrumeKit

@Suite struct SentRecordTests {
  private static let zone = ZoneID(name: "Notes", ownerName: "_me")
  private static let mine = CKRecordZone.ID(zoneName: "Notes")

  /// A record as the server keeps it, with files by their checksums.
  private static func kept(
    _ fields: [String: FieldValue], files: [String: String] = [:]
  ) -> Record {
    var fields = fields
    for (key, checksum) in files {
      fields[key] = .asset(Asset(fileChecksum: checksum, size: 3))
    }
    return Record(name: "a", zone: zone, type: "Note", changeTag: "9", fields: fields)
  }

  private static func answer(_ record: Record) -> [UInt8] {
    let stored = StoredRecord(
      name: record.name, type: record.type, sequence: 1, content: .value(record))
    return Wire.records([.success(.saved(stored))], RecordOptions())
  }

  private func save(
    _ record: CKRecord, _ server: ScriptedServer,
    _ policy: CKModifyRecordsOperation.RecordSavePolicy = .changedKeys
  ) async -> [String] {
    let journal = Journal()
    let operation = CKModifyRecordsOperation(recordsToSave: [record])
    operation.savePolicy = policy
    operation.database = server.container.privateCloudDatabase
    operation.perRecordSaveBlock = { journal.note(outcome($1)) }
    await finish(operation)
    return journal.all
  }

  // MARK: Edits

  @Test func `what is set while a save is under way stays, and is sent with the next one`() async {
    let note = makeRecord(Self.kept(["body": .string("old")]), from: Viewpoint(scope: .private))
    let server = ScriptedServer { _, number in
      if number == 0 {
        note["body"] = "newer"
        note["count"] = 2
        note.encryptedValues["secret"] = "x"
        note.setParent(CKRecord.ID(recordName: "p", zoneID: Self.mine))
      }
      return Self.answer(
        Self.kept(["title": .string("t"), "body": .string("sent"), "more": .string("theirs")]))
    }
    note["title"] = "t"
    note["body"] = "sent"
    #expect(await save(note, server) == ["ok"])
    #expect(note["body"] == "newer" && note["count"] == 2)
    #expect(note["title"] == "t" && note["more"] == "theirs")
    #expect(note.encryptedValues["secret"] == "x" && note["secret"] as? String == nil)
    #expect(note.parent?.recordID.recordName == "p" && note.recordChangeTag == "9")
    #expect(note.changedKeys().sorted() == ["body", "count", "secret"])
    #expect(note.contents.originals["body"] as? String == "sent")
    #expect(await save(note, server) == ["ok"])
    #expect(note.changedKeys().isEmpty && note["body"] == "sent" && note.parent == nil)
  }

  @Test func `a field that is removed while a save is under way stays removed`() async {
    let note = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: "a", zoneID: Self.mine))
    let server = ScriptedServer { _, _ in
      note["title"] = nil
      return Self.answer(Self.kept(["title": .string("t")]))
    }
    note["title"] = "t"
    #expect(await save(note, server) == ["ok"])
    #expect(note.allKeys().isEmpty && note.changedKeys() == ["title"])
  }

  // MARK: Files

  @Test(arguments: [("one", true), ("two", false)])
  func `a file stays with an asset only if the server has the same content`(
    checksum: String, isKept: Bool
  ) async throws {
    let note = makeRecord(Self.kept([:], files: ["photo": "one"]), from: Viewpoint(scope: .private))
    let file = URL(fileURLWithPath: "/staged/one")
    let photo = CKAsset(stored: Asset(fileChecksum: "one", size: 3), fileURL: file)
    note.replaceAssets([AssetSpot(key: "photo", index: nil): photo])
    note["title"] = "t"
    let server = ScriptedServer { _, _ in
      Self.answer(Self.kept(["title": .string("t")], files: ["photo": checksum]))
    }
    #expect(await save(note, server) == ["ok"])
    let asset = try #require(note["photo"] as? CKAsset)
    #expect(asset.stored?.fileChecksum == checksum)
    #expect(asset.fileURL == (isKept ? file : nil))
  }

  @Test func `files with the same content stay where they were`() async throws {
    let names = ["a", "b", "c", "d", "e", "f"]
    let checksums = Dictionary(uniqueKeysWithValues: names.map { ($0, "one") })
    let note = makeRecord(Self.kept([:], files: checksums), from: Viewpoint(scope: .private))
    for name in names {
      note.replaceAssets([
        AssetSpot(key: name, index: nil): CKAsset(
          stored: Asset(fileChecksum: "one", size: 3), fileURL: URL(fileURLWithPath: "/\(name)"))
      ])
    }
    note["title"] = "t"
    let new = checksums.merging(["new": "one"]) { $1 }
    let server = ScriptedServer { _, _ in
      Self.answer(Self.kept(["title": .string("t")], files: new))
    }
    #expect(await save(note, server) == ["ok"])
    let files = names.map { (note[$0] as? CKAsset)?.fileURL?.path }
    #expect(files == ["/a", "/b", "/c", "/d", "/e", "/f"])
    #expect((note["new"] as? CKAsset)?.fileURL != nil)
  }

  @Test func `all keys are sent with the files that are here, and without the others`() async throws
  {
    let file = FileManager.default.temporaryDirectory.appending(path: "sent-\(UUID().uuidString)")
    try Data("abc".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let note = makeRecord(
      Self.kept(["title": .string("t")], files: ["photo": "one", "far": "x", "gone": "y"]),
      from: Viewpoint(scope: .private))
    note.replaceAssets([
      AssetSpot(key: "photo", index: nil): CKAsset(
        stored: Asset(fileChecksum: "one", size: 3), fileURL: file),
      AssetSpot(key: "gone", index: nil): CKAsset(
        stored: Asset(fileChecksum: "y", size: 3), fileURL: URL(fileURLWithPath: "/gone/y")),
    ])
    let server = ScriptedServer { request, _ in
      switch request.action {
      case "assets/upload":
        Wire.uploadTickets([
          AssetUploadTicket(
            recordName: "a", fieldName: "photo", ticket: "http://scripted/files/1")
        ])
      case "files/1": Wire.singleFile(Asset(fileChecksum: "one", size: 3, receipt: "r"))
      default:
        Self.answer(
          Self.kept(["title": .string("t")], files: ["photo": "one", "far": "x2", "gone": "y"]))
      }
    }
    #expect(await save(note, server, .allKeys) == ["ok"])
    #expect(server.requests.map(\.action) == ["assets/upload", "files/1", "records/modify"])
    let body = try #require(server.requests.last?.body)
    let sent = try #require(try ModifyRecordsRequest(json: body).operations.first?.record.fields)
    #expect(sent.keys.sorted() == ["photo", "title"])
    #expect(sent["photo"]?.value == .asset(Asset(fileChecksum: "one", size: 3, receipt: "r")))
    #expect((note["photo"] as? CKAsset)?.fileURL == file)
    #expect((note["far"] as? CKAsset)?.fileURL == nil)
  }

  /// Of "abc".
  private static let checksum = "Abp4Fr+PAc/qQUFA3l2uIiOwA2Gj"

  @Test(arguments: [
    (checksum, "abc", ["assets/rereference", "records/modify"]),
    ("other", "abc", ["assets/rereference", "assets/upload", "files/1", "records/modify"]),
    (checksum, "abd", ["assets/upload", "files/1", "records/modify"]),
  ]) func `all keys are sent without the files that the server's record holds`(
    held: String, content: String, actions: [String]
  ) async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "sent-\(UUID().uuidString)")
    try Data(content.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let note = makeRecord(
      Self.kept([:], files: ["photo": Self.checksum]), from: Viewpoint(scope: .private))
    note.replaceAssets([
      AssetSpot(key: "photo", index: nil): CKAsset(
        stored: Asset(fileChecksum: Self.checksum, size: 3), fileURL: file)
    ])
    let server = ScriptedServer { request, _ in
      switch request.action {
      case "assets/rereference":
        Wire.assetResults([.success(Asset(fileChecksum: held, size: 3, receipt: "held"))])
      case "assets/upload":
        Wire.uploadTickets([
          AssetUploadTicket(
            recordName: "a", fieldName: "photo", ticket: "http://scripted/files/1")
        ])
      case "files/1": Wire.singleFile(Asset(fileChecksum: "new", size: 3, receipt: "sent"))
      default: Self.answer(Self.kept([:], files: ["photo": Self.checksum]))
      }
    }
    #expect(await save(note, server, .allKeys) == ["ok"])
    #expect(server.requests.map(\.action) == actions)
    let body = try #require(server.requests.last?.body)
    let sent = try #require(try ModifyRecordsRequest(json: body).operations.first?.record.fields)
    let isHeld = !actions.contains("files/1")
    let asset = Asset(
      fileChecksum: isHeld ? held : "new", size: 3, receipt: isHeld ? "held" : "sent")
    #expect(sent["photo"]?.value == .asset(asset))
  }
}
