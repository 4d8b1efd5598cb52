// Numbers among the settings: stores keep them as decimal texts.

import BrumeStorage

extension SettingReading {
  /// The number under a key; nil if there is none.
  func number(_ key: SettingKey) throws -> Int64? {
    try value(key).flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
  }
}

extension SettingWriting {
  func set(_ key: SettingKey, toNumber number: Int64) throws {
    try set(key, to: Array(String(number).utf8))
  }
}
