// A count of stored bytes as it is kept among the settings.

import BrumeModel
import BrumeStorage

/// A count, and the sequence as of which it is right.
struct KeptCount: Equatable, Sendable {
  /// What it counts, and so its text: two numbers for a zone, three for a database.
  enum Kind {
    case zone
    /// The third number is always 1. Earlier versions wrote none, and kept no counts of zones that add up to it, so
    /// a text without one reads as nothing.
    case database
  }
  let bytes: Int64
  let sequence: Int64

  func text(of kind: Kind) -> [UInt8] {
    Array("\(bytes) \(sequence)\(kind == .zone ? "" : " 1")".utf8)
  }
}

extension KeptCount {
  init?(ofZone zone: ZoneKey, _ settings: any SettingReading) throws {
    guard let text = try settings.value(.storedBytes(zone)) else { return nil }
    self.init(text, of: .zone)
  }

  init?(ofDatabase database: DatabaseKey, _ settings: any SettingReading) throws {
    guard let text = try settings.value(.storedBytesOfDatabase(database)) else { return nil }
    self.init(text, of: .database)
  }

  /// Nil for what is no count of this kind.
  init?(_ text: [UInt8], of kind: Kind) {
    let parts = text.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Int64(String(decoding: $0, as: UTF8.self)) }
    guard numbers.count == parts.count, numbers.count == (kind == .zone ? 2 : 3) else {
      return nil
    }
    self.init(bytes: numbers[0], sequence: numbers[1])
  }
}
