// Keyed-archive calls for lists of texts and for bytes. Reading is total: a missing key or a value
// of another class is nil or empty, never a trap.

import Foundation

extension NSCoder {
  /// A list of texts; empty when the key is missing or holds something else.
  func texts(_ key: String) -> [String] {
    guard containsValue(forKey: key) else { return [] }
    let classes: [AnyClass] = [NSArray.self, NSString.self, ArchivedText.self]
    let list = decodeObject(of: classes, forKey: key) as? NSArray
    return list?.compactMap { ArchivedText.restored($0) as? String } ?? []
  }

  /// A list of objects of a class; empty when the key is missing or holds something else.
  func objects<Kind: NSObject & NSCoding>(_ kind: Kind.Type, _ key: String) -> [Kind] {
    guard containsValue(forKey: key) else { return [] }
    let classes: [AnyClass] = [NSArray.self, kind]
    let list = decodeObject(of: classes, forKey: key) as? NSArray
    return list?.compactMap { $0 as? Kind } ?? []
  }

  /// Archives a list of texts; an empty list leaves the key out.
  func encodeTexts(_ texts: [String], _ key: String) {
    guard !texts.isEmpty else { return }
    encode(ArchivedText.kept(NSArray(array: texts.map { NSString(string: $0) })), forKey: key)
  }

  /// Bytes, or nil when the key is missing or holds something else.
  func bytes(_ key: String) -> [UInt8]? {
    object(NSData.self, key).map { [UInt8](Data(referencing: $0)) }
  }

  /// Archives bytes; nil leaves the key out.
  func encodeBytes(_ bytes: [UInt8]?, _ key: String) {
    guard let bytes else { return }
    encode(NSData(data: Data(bytes)), forKey: key)
  }
}
