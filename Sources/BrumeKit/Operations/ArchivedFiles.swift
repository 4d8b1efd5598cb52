// The files that a long-lived save sends, as archives of earlier versions have them: records in those
// archives kept no assets, so the files stood beside the records, each with its place.

import Foundation

/// A file that a save sends, by path.
struct ArchivedFile: Codable, Equatable {
  /// The record's place in the list of saves.
  var record: Int
  var field: String
  /// The place in the field's list; nil where the field is the file.
  var index: Int?
  var path: String

  private static let archiveKey = "assetFiles"
  private static let textsKey = "files"
}

extension ArchivedFile {
  /// The files of an archive; what is damaged counts as none.
  static func decode(from coder: NSCoder) -> [ArchivedFile] {
    guard let bytes = coder.bytes(archiveKey) else {
      return fromTexts(coder.texts(textsKey))
    }
    return (try? JSONDecoder().decode([ArchivedFile].self, from: Data(bytes))) ?? []
  }

  /// Puts each file back where it was.
  static func put(_ files: [ArchivedFile], into records: [CKRecord]) {
    for file in files where records.indices.contains(file.record) {
      let record = records[file.record]
      let asset = CKAsset(fileURL: URL(fileURLWithPath: file.path))
      if file.index == nil {
        record.fields[file.field] = asset
      } else {
        let before = record.fields[file.field] as? NSArray ?? NSArray()
        record.fields[file.field] = NSArray(array: before.map { $0 } + [asset])
      }
    }
  }

  /// Archives of earlier versions, which may still be in a state directory, have four texts for each
  /// file: the record's place, the field, the place in its list or nothing, the path.
  private static func fromTexts(_ texts: [String]) -> [ArchivedFile] {
    stride(from: 0, to: texts.count - 3, by: 4).compactMap { start in
      guard let record = Int(texts[start]) else { return nil }
      let index = texts[start + 2]
      return ArchivedFile(
        record: record, field: texts[start + 1], index: index.isEmpty ? nil : Int(index) ?? 0,
        path: texts[start + 3])
    }
  }
}
