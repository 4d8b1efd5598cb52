// The one text that Foundation on Linux cannot keep in an archive: "$null" is what it writes for nothing. It would be
// missing when it is read, and a dictionary that has it as a value is read past its end, which stops the program. So it
// is archived as an object that has its bytes.

import Foundation

final class ArchivedText: NSObject, NSSecureCoding {
  private static let nothing = "$null"
  static var supportsSecureCoding: Bool { true }
  private let text: String

  private init(_ text: String) { self.text = text }

  required init?(coder: NSCoder) {
    guard let bytes = coder.bytes("text") else { return nil }
    text = String(decoding: bytes, as: UTF8.self)
  }

  func encode(with coder: NSCoder) { coder.encodeBytes(Array(text.utf8), "text") }

  /// A value, or a list of them, as an archive keeps it.
  static func kept(_ value: Any) -> Any {
    switch value {
    case let list as NSArray where list.contains(where: { isNothing($0) }):
      NSArray(array: list.map { isNothing($0) ? ArchivedText(nothing) : $0 })
    case let text where isNothing(text): ArchivedText(nothing)
    default: value
    }
  }

  /// A value, or a list of them, as it was before it was archived.
  static func restored(_ value: Any) -> Any {
    switch value {
    case let list as NSArray where list.contains(where: { $0 is ArchivedText }):
      NSArray(array: list.map { restored($0) })
    case let kept as ArchivedText: NSString(string: kept.text)
    default: value
    }
  }

  private static func isNothing(_ value: Any) -> Bool {
    (value as? NSString).map { String(describing: $0) } == nothing
  }
}
