// Settings in SQLite.

import BrumeModel
import BrumeStorage

final class SQLiteSettings: SettingWriting {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  func value(_ key: SettingKey) throws -> [UInt8]? {
    try connection.first(Self.findSetting, { $0.bind(1, Self.name(of: key)) }) { row in
      guard row.bool(1) else {
        throw connection.damage(.settings, key.text, "the setting '\(key.text)'")
      }
      return row.blob(0)
    }
  }

  func set(_ key: SettingKey, to value: [UInt8]?) throws {
    try connection.run(value == nil ? Self.removeSetting : Self.put) {
      $0.bind(1, Self.name(of: key))
      if let value { $0.bind(2, value) }
    }
  }

  /// The engine's own settings have no prefix.
  static func name(of key: SettingKey) -> String { "port/" + key.text }

  private static let findSetting = SQL(
    "SELECT value, \(SummedTable.settings.fits) FROM settings WHERE name = ?1")
  /// Any setting, by its whole name.
  static let put = SQL(
    "INSERT OR REPLACE INTO settings (name, value, checksum) VALUES (?1, ?2, row_sum(?1, ?2))")
  private static let removeSetting = SQL("DELETE FROM settings WHERE name = ?1")
}
