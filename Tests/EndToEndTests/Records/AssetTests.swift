// Assets through the module: FET-08 to FET-10, progress, lists, splitting, what stays local.

import BrumeKit
import BrumeModel
import BrumeServer
import BrumeStorage
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AssetTests {
  /// A local file that goes with the folder.
  final class Files: Sendable {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "brume-asset-tests-\(UUID().uuidString)")

    init() throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(at: folder) }

    func file(_ name: String, _ content: Data) throws -> URL {
      let url = folder.appending(path: name)
      try content.write(to: url)
      return url
    }
  }

  private static func content(_ count: Int) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 7) ^ 1 })
  }

  private static func data(_ value: Any?) throws -> Data {
    let url = try #require((value as? CKAsset)?.fileURL)
    return try Data(contentsOf: url)
  }

  @Test(arguments: StorageEngine.allCases)
  func `FET-08 a saved file is in a local place of the device that fetches it`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let files = try Files()
      let photo = try files.file("photo.jpg", Self.content(700_000))
      let saved = try await phone.save("a", ["photo": CKAsset(fileURL: photo), "title": "x"])
      #expect((saved["photo"] as? CKAsset)?.fileURL == photo, "the sender keeps its own file")
      let fetched = try await laptop.fetch("a")
      #expect(try Self.data(fetched["photo"]) == Self.content(700_000))
      #expect((fetched["photo"] as? CKAsset)?.fileURL != photo)
      // Also by query and by changes, and not where nobody asked for it.
      let found = try await laptop.database.records(
        matching: CKQuery(recordType: "Note", predicate: NSPredicate(value: true)),
        inZoneWith: .named("Z"))
      #expect(try Self.data(found.matchResults.first?.1.get()["photo"]) == Self.content(700_000))
      let changes = try await laptop.changes()
      #expect(try Self.data(changes.changed.first?["photo"]) == Self.content(700_000))
      let lean = try await laptop.database.records(for: [.named("a")], desiredKeys: ["title"])
      #expect(try lean[.named("a")]?.get().object(forKey: "photo") == nil)
    }
  }

  @Test func `a changed field alone is sent: the file of another stays what it is`() async throws {
    try await EndToEndFixture.run(.memory) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let files = try Files()
      let photo = try files.file("photo", Self.content(1000))
      let record = try await phone.save("a", ["photo": CKAsset(fileURL: photo)])
      try FileManager.default.removeItem(at: photo)
      record["title"] = "later"
      try await phone.database.save(record)
      let fetched = try await laptop.fetch("a")
      #expect(try Self.data(fetched["photo"]) == Self.content(1000))
      fetched.setObject(nil, forKey: "photo")
      try await laptop.database.save(fetched)
      #expect(try await phone.fetch("a").object(forKey: "photo") == nil)
    }
  }

  @Test func `SAV-10 all keys are saved with their files, over another's and a deleted record`()
    async throws
  {
    try await EndToEndFixture.run(.memory) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let files = try Files()
      let photo = try files.file("photo", Self.content(50))
      let record = try await phone.save("a", ["photo": CKAsset(fileURL: photo)])
      let theirs = try await laptop.fetch("a")
      theirs["photo"] = CKAsset(fileURL: try files.file("other", Self.content(60)))
      try await laptop.database.save(theirs)
      func saveAll() async throws {
        let answer = try await phone.database.modifyRecords(
          saving: [record], deleting: [], savePolicy: .allKeys)
        _ = try answer.saveResults[record.recordID]?.get()
      }
      record["title"] = "x"
      try await saveAll()
      #expect(try Self.data(try await laptop.fetch("a")["photo"]) == Self.content(50))
      try await laptop.database.deleteRecord(withID: record.recordID)
      try await saveAll()
      #expect(try Self.data(try await laptop.fetch("a")["photo"]) == Self.content(50))
      #expect((record["photo"] as? CKAsset)?.fileURL == photo)
      // The server's record holds the file now, so the save only names it.
      try await saveAll()
      #expect(try Self.data(try await laptop.fetch("a")["photo"]) == Self.content(50))
      #expect((record["photo"] as? CKAsset)?.fileURL == photo)
    }
  }

  @Test func `a save over another device's file does not show this device's old one`() async throws
  {
    try await EndToEndFixture.run(.memory) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let files = try Files()
      let photo = CKAsset(fileURL: try files.file("photo", Self.content(50)))
      let record = try await phone.save("a", ["photo": photo])
      let theirs = try await laptop.fetch("a")
      theirs["photo"] = CKAsset(fileURL: try files.file("other", Self.content(60)))
      try await laptop.database.save(theirs)
      record["title"] = "x"
      _ = try await phone.database.modifyRecords(
        saving: [record], deleting: [], savePolicy: .changedKeys)
      #expect(record["title"] == "x" && (record["photo"] as? CKAsset)?.fileURL == nil)
      #expect(try Self.data(try await phone.fetch("a")["photo"]) == Self.content(60))
    }
  }

  @Test func `a list of files keeps its order, and one of them can be exchanged`() async throws {
    try await EndToEndFixture.run(.sqlite) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let files = try Files()
      let assets = try (0..<3).map {
        CKAsset(fileURL: try files.file("\($0)", Self.content(10 + $0)))
      }
      try await phone.save("a", ["album": assets])
      let record = try await laptop.fetch("a")
      var album = try #require(record["album"] as? [CKAsset])
      #expect(try album.map { try Self.data($0).count } == [10, 11, 12])
      album[1] = CKAsset(fileURL: try files.file("new", Self.content(99)))
      record["album"] = album
      try await laptop.database.save(record)
      let again = try #require(try await phone.fetch("a")["album"] as? [CKAsset])
      #expect(try again.map { try Self.data($0).count } == [10, 99, 12])
    }
  }

  @Test func `a fetched asset may be given to another record`() async throws {
    try await EndToEndFixture.run(.memory) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let files = try Files()
      try await phone.save("a", ["photo": CKAsset(fileURL: files.file("p", Self.content(50)))])
      let photo = try #require(try await laptop.fetch("a")["photo"] as? CKAsset)
      try await laptop.save("b", ["cover": photo])
      #expect(try Self.data(try await phone.fetch("b")["cover"]) == Self.content(50))
    }
  }

  @Test func `an imported asset is copied by the server, its end reported by code`() async throws {
    try await EndToEndFixture.run(.memory) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let files = try Files()
      try await phone.save("a", ["photo": CKAsset(fileURL: files.file("p", Self.content(50)))])
      let id = try await Brume.exportedAssetID(
        ofField: "photo", in: .named("a"), of: phone.database)
      let kept = try JSONDecoder().decode(
        CKAsset.ExportedAssetID.self, from: try JSONEncoder().encode(id))
      let saved = try await phone.save(
        "b", ["cover": CKAsset(importing: kept), "album": [CKAsset(importing: id)]])
      #expect((saved["cover"] as? CKAsset)?.fileURL == nil)
      #expect(try Self.data(try await laptop.fetch("b")["cover"]) == Self.content(50))
      // Made on the phone, of no use to the laptop.
      let foreign = try await failure {
        try await laptop.save("c", ["cover": CKAsset(importing: id)])
      }
      #expect(foreign.code == .assetNotAvailable)
      try await phone.database.deleteRecord(withID: .named("a"))
      let gone = try await failure {
        try await phone.save("d", ["cover": CKAsset(importing: id)])
      }
      #expect(gone.code == .unknownItem)
      #expect(try Self.data(try await laptop.fetch("b")["cover"]) == Self.content(50))
    }
  }

  @Test func `there is no ID of a field without an asset, nor of a record that is not there`()
    async throws
  {
    try await EndToEndFixture.run(.memory) { fixture in
      let (phone, _) = try await fixture.pair()
      try await phone.save("a", ["title": "x"])
      for (key, name, code) in [
        ("title", "a", CKError.Code.invalidArguments), ("photo", "z", .unknownItem),
      ] {
        let error = try await failure {
          _ = try await Brume.exportedAssetID(ofField: key, in: .named(name), of: phone.database)
        }
        #expect(error.code == code)
      }
    }
  }

  @Test func `FET-09 a missing file is assetFileNotFound, and takes an atomic batch along`()
    async throws
  {
    try await EndToEndFixture.run(.memory) { fixture in
      let (phone, _) = try await fixture.pair()
      let files = try Files()
      let missing = files.folder.appending(path: "missing")
      let error = try await failure {
        try await phone.save("a", ["photo": CKAsset(fileURL: missing)])
      }
      #expect(error.code == .assetFileNotFound)
      let there = phone.record(
        "b", ["photo": CKAsset(fileURL: try files.file("b", Self.content(10)))])
      let gone = phone.record("c", ["photo": CKAsset(fileURL: missing)])
      let results = try await phone.database.modifyRecords(saving: [there, gone], deleting: [])
      let codes = results.saveResults.mapValues { $0.failure?.code }
      #expect(codes[.named("b")] == .batchRequestFailed)
      #expect(codes[.named("c")] == .assetFileNotFound)
      let single = try await phone.database.modifyRecords(
        saving: [there, gone], deleting: [], atomically: false)
      #expect(throws: Never.self) { try single.saveResults[.named("b")]?.get() }
    }
  }

  @Test func `FET-09 a file that changes while it is sent is assetFileModified`() async throws {
    try await EndToEndFixture.run(.memory) { fixture in
      let (phone, _) = try await fixture.pair()
      let files = try Files()
      let url = try files.file("big", Self.content(3_000_000))
      let operation = CKModifyRecordsOperation(
        recordsToSave: [phone.record("a", ["photo": CKAsset(fileURL: url)])])
      let touched = Mutex(false)
      operation.perRecordProgressBlock = { _, part in
        // The first word comes while most of the file is still here.
        let isFirst = touched.withLock { touched in
          defer { touched = true }
          return !touched
        }
        if isFirst { try? Data([1]).write(to: url) }
      }
      let codes = Mutex<[CKError.Code?]>([])
      operation.perRecordSaveBlock = { _, result in
        if case .failure(let error) = result {
          codes.withLock { $0.append((error as? CKError)?.code) }
        }
      }
      await phone.run(operation)
      #expect(codes.withLock { $0 } == [.assetFileModified])
      let unsaved = try await failure { try await phone.fetch("a") }
      #expect(unsaved.code == .unknownItem)
    }
  }

  @Test func `FET-10 a file that the server lost is assetNotAvailable, the others come`()
    async throws
  {
    try await EndToEndFixture.run(.memory) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let files = try Files()
      try await phone.save(
        "a", ["photo": CKAsset(fileURL: try files.file("a", Data("only here \(UUID())".utf8)))])
      for name in try await fixture.server.assets.names(after: "", limit: 9) {
        try await fixture.server.assets.remove(name)
      }
      try await phone.save("b", ["title": "x"])
      let results = try await laptop.database.records(for: [.named("a"), .named("b")])
      guard case .failure(let error)? = results[.named("a")] else {
        Issue.record("a file that is gone was fetched")
        return
      }
      #expect((error as? CKError)?.code == .assetNotAvailable)
      #expect(try results[.named("b")]?.get()["title"] == "x")
      let query = CKQuery(
        recordType: phone.record("a").recordType, predicate: NSPredicate(value: true))
      let found = try await laptop.database.records(matching: query, inZoneWith: .named("Z"))
      #expect(Set(found.matchResults.map(\.0)) == [.named("a"), .named("b")])
      #expect(found.matchResults.filter { (try? $0.1.get()) == nil }.map(\.0) == [.named("a")])
    }
  }

  @Test func `a file beyond the server's limit is limitExceeded`() async throws {
    try await EndToEndFixture.run(.memory, limits: { $0.assetBytes = 1000 }) { fixture in
      let (phone, _) = try await fixture.pair()
      let files = try Files()
      let error = try await failure {
        try await phone.save(
          "a", ["photo": CKAsset(fileURL: try files.file("a", Self.content(1001)))])
      }
      #expect(error.code == .limitExceeded)
    }
  }

  @Test func `SAV-38 progress grows to 1, up and down`() async throws {
    try await EndToEndFixture.run(.memory) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let files = try Files()
      let content = Data(UUID().uuidString.utf8) + Self.content(2_000_000)
      let url = try files.file("big", content)
      let parts = Mutex<[Double]>([])
      let save = CKModifyRecordsOperation(
        recordsToSave: [phone.record("a", ["photo": CKAsset(fileURL: url)])])
      save.perRecordProgressBlock = { _, part in parts.withLock { $0.append(part) } }
      await phone.run(save)
      let up = parts.withLock { $0 }
      #expect(up.last == 1 && up.count > 1 && up == up.sorted() && up.filter { $0 == 1 }.count == 1)
      parts.withLock { $0 = [] }
      let fetch = CKFetchRecordsOperation(recordIDs: [.named("a")])
      fetch.perRecordProgressBlock = { _, part in parts.withLock { $0.append(part) } }
      await laptop.run(fetch)
      let down = parts.withLock { $0 }
      #expect(down.last == 1 && down.count > 1 && down == down.sorted())
    }
  }

  @Test func `the server's record in a conflict has assets without files`() async throws {
    try await EndToEndFixture.run(.memory) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let files = try Files()
      try await phone.save("a", ["title": "x"])
      let late = try await laptop.fetch("a")
      let record = try await phone.fetch("a")
      record["photo"] = CKAsset(fileURL: try files.file("a", Self.content(10)))
      try await phone.database.save(record)
      late["title"] = "y"
      let error = try await failure { try await laptop.database.save(late) }
      let asset = try #require(error.serverRecord?["photo"] as? CKAsset)
      #expect(asset.fileURL == nil)
    }
  }

  @Test func `a participant fetches the files of what is shared with him`() async throws {
    try await EndToEndFixture.run(.memory) { fixture in
      let (phone, _) = try await fixture.pair()
      let bob = try await fixture.device("bob", "phone")
      let files = try Files()
      let root = phone.record(
        "root", ["photo": CKAsset(fileURL: try files.file("a", Self.content(64)))])
      let share = CKShare(rootRecord: root)
      share.publicPermission = .readOnly
      _ = try await phone.database.modifyRecords(saving: [root, share], deleting: [])
      let url = try #require(
        (try await phone.database.record(for: share.recordID) as? CKShare)?.url)
      let operation = CKFetchShareMetadataOperation(shareURLs: [url])
      operation.shouldFetchRootRecord = true
      let file = Mutex<URL?>(nil)
      operation.perShareMetadataResultBlock = { _, result in
        let photo = (try? result.get())?.rootRecord?["photo"] as? CKAsset
        file.withLock { $0 = photo?.fileURL }
      }
      await bob.run(operation)
      #expect(file.withLock { $0 } != nil, "the root in the metadata has its file")
      try await bob.container.accept(try await bob.container.shareMetadata(for: url))
      let zone = try #require(try await bob.shared.allRecordZones().first)
      let id = CKRecord.ID(recordName: "root", zoneID: zone.zoneID)
      #expect(try Self.data(try await bob.shared.record(for: id)["photo"]) == Self.content(64))
    }
  }
}
