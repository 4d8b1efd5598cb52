// How large a save is, for those who put several into one request.

import Foundation

extension CKRecord {
  /// The bytes of the fields that a save sends, files not counted. Numbers, dates, places and references count
  /// as little as they take.
  var bytesToSend: Int {
    let contents = contents
    return contents.changes.reduce(0) { sum, key in sum + Self.bytes(contents.fields[key]) }
  }

  private static func bytes(_ value: Any?) -> Int {
    switch value {
    case let text as NSString: text.lengthOfBytes(using: String.Encoding.utf8.rawValue)
    case let data as NSData: data.length
    case let list as NSArray: list.reduce(0) { $0 + bytes($1) }
    case nil: 0
    default: MemoryLayout<Int64>.size
    }
  }
}
