// Settings in SQLite. Every save asks for its schema, so the writer remembers schemas.

import BrumeModel
import BrumeStorage
import GRDB

final class SQLiteSettings: SettingWriting, Remembering {
  /// Ours: with more schemas than this, what is remembered starts anew.
  private static let mostSchemas = 100

  private let connection: Connection
  private let isWriter: Bool
  /// As the writer has read or written them last.
  private var schemas: [SettingKey: [UInt8]] = [:]

  init(_ connection: Connection, isWriter: Bool) {
    self.connection = connection
    self.isWriter = isWriter
  }

  func value(_ key: SettingKey) throws -> [UInt8]? {
    guard remembers(key) else { return try stored(key) }
    if let known = schemas[key] { return known }
    let found = try stored(key)
    schemas[key] = found
    return found
  }

  private func remembers(_ key: SettingKey) -> Bool {
    if case .schema = key { isWriter } else { false }
  }

  private func stored(_ key: SettingKey) throws -> [UInt8]? {
    try connection.first(Self.find, { $0.bind(1, Self.name(of: key)) }) { row in
      guard row.bool(1) else {
        throw connection.damage(.settings, key.text, "the setting '\(key.text)'")
      }
      return row.blob(0)
    }
  }

  func set(_ key: SettingKey, to value: [UInt8]?) throws {
    try connection.run(value == nil ? Self.remove : Self.put) {
      $0.bind(1, Self.name(of: key))
      if let value { $0.bind(2, value) }
    }
    if remembers(key) { schemas[key] = value }
  }

  func bodyBegins() { if schemas.count > Self.mostSchemas { forget() } }

  func forget() { schemas = [:] }

  /// The engine's own settings have no prefix.
  static func name(of key: SettingKey) -> String { "port/" + key.text }

  /// One of the engine's own settings, as a text, for who has no connection of ours yet.
  ///
  /// - Throws: `StoreError` with `corrupt` if it is damaged.
  static func own(_ name: String, in database: Database) throws -> String? {
    let row = try Row.fetchOne(
      database,
      sql: "SELECT CAST(value AS TEXT), \(SummedTable.settings.fits) FROM settings WHERE name = ?",
      arguments: [name])
    guard let row else { return nil }
    guard row[1] as Int64 == 1 else {
      throw StoreError(.corrupt, "the setting '\(name)' in the database file is damaged")
    }
    return row[0]
  }

  /// Any setting, by its whole name, and whether it is whole.
  static let find = SQL(
    "SELECT value, \(SummedTable.settings.fits) FROM settings WHERE name = ?1")
  /// The same to write one, and to remove one.
  static let put = SQL(
    "INSERT OR REPLACE INTO settings (name, value, checksum) VALUES (?1, ?2, row_sum(?1, ?2))")
  static let remove = SQL("DELETE FROM settings WHERE name = ?1")
}
