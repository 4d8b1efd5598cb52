// Short forms for what our archives hold: objects, texts, dates and bytes under plain keys. Reading is total: a missing key
// or a value of another class is nil or empty, never a trap.

import BrumeModel
import Foundation

extension NSCoder {
  /// Says that the archive cannot be read, for classes whose `init(coder:)` may not give nil. On
  /// Apple's systems the unarchiver throws it; on Linux it only writes the text to the log.
  func refuse(_ what: String) {
    guard decodingFailurePolicy == .setErrorAndReturn else { return }
    let text = "The archive does not hold \(what)."
    failWithError(CocoaError(.coderReadCorrupt, userInfo: [NSDebugDescriptionErrorKey: text]))
  }

  /// An object, or nil when the key is missing: Foundation on Linux calls the whole archive
  /// corrupt when a missing key is asked for.
  func object<Kind: NSObject & NSCoding>(_ kind: Kind.Type, _ key: String) -> Kind? {
    containsValue(forKey: key) ? decodeObject(of: kind, forKey: key) : nil
  }

  /// A list of objects of a class.
  func objects<Kind: NSObject & NSCoding>(_ kind: Kind.Type, _ key: String) -> [Kind] {
    guard containsValue(forKey: key) else { return [] }
    let classes: [AnyClass] = [NSArray.self, kind]
    let list = decodeObject(of: classes, forKey: key) as? NSArray
    return list?.compactMap { $0 as? Kind } ?? []
  }

  // MARK: Texts

  func text(_ key: String) -> String? {
    guard containsValue(forKey: key) else { return nil }
    let classes: [AnyClass] = [NSString.self, ArchivedText.self]
    let kept = decodeObject(of: classes, forKey: key).map { ArchivedText.restored($0) }
    return (kept as? NSString).map { String(describing: $0) }
  }
  func encodeText(_ text: String?, _ key: String) {
    guard let text else { return }
    encode(ArchivedText.kept(NSString(string: text)), forKey: key)
  }

  func texts(_ key: String) -> [String] {
    guard containsValue(forKey: key) else { return [] }
    let classes: [AnyClass] = [NSArray.self, NSString.self, ArchivedText.self]
    let list = decodeObject(of: classes, forKey: key) as? NSArray
    return list?.compactMap { ArchivedText.restored($0) as? String } ?? []
  }
  /// An empty list leaves the key out.
  func encodeTexts(_ texts: [String], _ key: String) {
    guard !texts.isEmpty else { return }
    encode(ArchivedText.kept(NSArray(array: texts.map { NSString(string: $0) })), forKey: key)
  }

  // MARK: Dates and bytes

  /// A date; nil for one that is none, such as no number, whose text alone would stop the program.
  func date(_ key: String) -> Date? {
    guard containsValue(forKey: key) else { return nil }
    let date = Date(timeIntervalSinceReferenceDate: decodeDouble(forKey: key))
    return Milliseconds(within: date) == nil ? nil : date
  }
  func encodeDate(_ date: Date?, _ key: String) {
    guard let date else { return }
    encode(date.timeIntervalSinceReferenceDate, forKey: key)
  }

  func bytes(_ key: String) -> [UInt8]? {
    object(NSData.self, key).map { [UInt8](Data(referencing: $0)) }
  }
  func encodeBytes(_ bytes: [UInt8]?, _ key: String) {
    guard let bytes else { return }
    encode(NSData(data: Data(bytes)), forKey: key)
  }
}
