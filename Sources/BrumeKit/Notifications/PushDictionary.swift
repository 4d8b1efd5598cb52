// Reading a push: the dictionary that a device receives, in any mixture of Swift and Foundation
// values, as one Swift value. Total: strange content is treated as absent, nothing traps.
//
// CloudKit: the keys are not documented; they are known from pushes that people published and from
// Apple's own tests. The numbers of `dbs` are 1 private, 2 public, 3 shared.

import Foundation

/// A dictionary of property-list values, however its keys and values are represented.
struct PushDictionary {
  private let content: [AnyHashable: Any]

  init(_ content: [AnyHashable: Any]) { self.content = content }

  /// On Linux a text of Foundation and a text of Swift are different keys.
  func value(_ key: String) -> Any? {
    content[key] ?? content[NSString(string: key)]
  }

  func dictionary(_ key: String) -> PushDictionary? {
    switch value(key) {
    case let dictionary as [AnyHashable: Any]: PushDictionary(dictionary)
    case let dictionary as NSDictionary: PushDictionary(Self.entries(dictionary))
    default: nil
    }
  }

  func text(_ key: String) -> String? {
    switch value(key) {
    case let text as String: text
    case let text as NSString: String(describing: text)
    default: nil
    }
  }

  /// A text that is not empty.
  func name(_ key: String) -> String? {
    text(key).flatMap { $0.isEmpty ? nil : $0 }
  }

  func number(_ key: String) -> NSNumber? {
    switch value(key) {
    case let number as NSNumber: number
    case let text as String: Int(text).map { NSNumber(value: $0) }
    default: nil
    }
  }

  func integer(_ key: String) -> Int? { number(key)?.intValue }

  func texts(_ key: String) -> [String]? {
    let list: [Any]? =
      switch value(key) {
      case let list as [Any]: list
      case let list as NSArray: list.map { $0 }
      default: nil
      }
    return list?.map { String(describing: $0) }
  }

  /// Everything in it, with texts as keys.
  var entries: [String: Any] {
    var entries: [String: Any] = [:]
    for (key, value) in content {
      switch key.base {
      case let name as String: entries[name] = value
      case let name as NSString: entries[String(describing: name)] = value
      default: continue
      }
    }
    return entries
  }

  private static func entries(_ dictionary: NSDictionary) -> [AnyHashable: Any] {
    var entries: [AnyHashable: Any] = [:]
    for (key, value) in dictionary {
      if let key = key as? AnyHashable { entries[key] = value }
    }
    return entries
  }
}
