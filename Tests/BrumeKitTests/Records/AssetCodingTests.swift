// Assets in archives: alone, in a record, and where their files have gone meanwhile.

import BrumeModel
import Foundation
import Testing

@testable import BrumeKit

struct AssetCodingTests {
  private let here = URL(fileURLWithPath: #filePath)
  private let gone = URL(fileURLWithPath: "/nowhere/at/all")
  private let stored = Asset(
    fileChecksum: "abc", size: 7, receipt: "secret", downloadURL: "http://secret")

  @Test func `an asset comes back with its file and what the server knows of it`() throws {
    #expect(try through(CKAsset(fileURL: here)).fileURL == here)
    let back = try through(CKAsset(stored: stored, fileURL: here))
    #expect(back.fileURL == here)
    #expect(back.stored == Asset(fileChecksum: "abc", size: 7))
  }

  @Test func `a dictionary of values with an asset is archived`() throws {
    let values: [String: any CKRecordValue] = [
      "photo": CKAsset(fileURL: here), "title": "Sun" as NSString,
    ]
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: values, requiringSecureCoding: true)
    let back = try NSKeyedUnarchiver.unarchivedObject(
      ofClasses: [NSDictionary.self, NSString.self, CKAsset.self], from: data)
    #expect(((back as? [String: Any])?["photo"] as? CKAsset)?.fileURL == here)
  }

  @Test func `a record's archive keeps its assets`() throws {
    let record = CKRecord(recordType: "Photo")
    record["photo"] = CKAsset(fileURL: here)
    record["more"] = [CKAsset(fileURL: here), CKAsset(stored: stored)]
    let back = try through(record)
    #expect((back["photo"] as CKAsset?)?.fileURL == here)
    #expect((back["more"] as? [CKAsset])?.map(\.fileURL) == [here, nil])
    #expect(back.contents.filesToSend(.changedKeys).count == 2)
    #expect(Set(back.changedKeys()) == ["photo", "more"])
  }

  @Test func `a file that was to be saved and is gone is reported as missing`() throws {
    let record = CKRecord(recordType: "Photo")
    record["photo"] = CKAsset(fileURL: gone)
    let back = try through(record)
    #expect((back["photo"] as CKAsset?)?.fileURL == gone)
    let error = #expect(throws: CKError.self) {
      try back.saveOperation(.ifServerRecordUnchanged)
    }
    #expect(error?.code == .assetFileNotFound)
  }

  @Test func `a fetched file that is gone is to be fetched again`() throws {
    let back = try through(CKAsset(stored: stored, fileURL: gone))
    #expect(back.fileURL == nil)
    #expect(back.stored?.fileChecksum == "abc")
  }

  @Test func `an imported asset keeps its ID, in archives and in JSON`() throws {
    let id = CKAsset.ExportedAssetID(text: "abc")
    let kept = try JSONDecoder().decode(
      CKAsset.ExportedAssetID.self, from: try JSONEncoder().encode(id))
    let asset = CKAsset(importing: kept)
    #expect(asset.fileURL == nil && asset != CKAsset(importing: .init(text: "other")))
    let record = CKRecord(recordType: "Photo")
    record["photo"] = asset
    let back = try through(record)
    #expect((back["photo"] as CKAsset?) == asset)
    #expect(back.contents.filesToImport.values.map(\.text) == ["abc"])
    #expect(back.contents.filesToSend(.changedKeys).isEmpty)
  }

  @Test func `an archive of nothing is no asset`() throws {
    let empty = NSKeyedArchiver(requiringSecureCoding: true)
    empty.finishEncoding()
    #expect(CKAsset(coder: try NSKeyedUnarchiver(forReadingFrom: empty.encodedData)) == nil)
  }
}
