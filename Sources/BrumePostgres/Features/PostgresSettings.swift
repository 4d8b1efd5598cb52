// Settings in PostgreSQL. Those of a database are in its bucket, under its lock. Others may be written by two
// transactions at once, so what a body has read is compared when it writes.

import BrumeModel
import BrumeStorage

final class PostgresSettings: SettingWriting, Remembering {
  private let session: Session
  private let places: Places
  private var known: [SettingKey: [UInt8]?] = [:]

  init(_ session: Session, _ places: Places) {
    self.session = session
    self.places = places
  }

  func value(_ key: SettingKey) throws -> [UInt8]? {
    if let value = known[key] { return value }
    let value = try session.first(Self.find, row(of: key)) { $0.bytes(0) }
    known[key] = .some(value)
    return value
  }

  func set(_ key: SettingKey, to value: [UInt8]?) throws {
    let row = row(of: key)
    let before = known.updateValue(value, forKey: key)
    guard bucket(of: key) == nil, let before else {
      if let value { return session.put(row + [.bytes(value)], in: Self.table) }
      return session.remove(row, from: Self.table)
    }
    compareAndSet(row, from: before, to: value)
  }

  /// Fails with a row that is there already, or with a division by zero, if another transaction was faster; then all bodies
  /// run again.
  private func compareAndSet(_ row: [SQLValue], from before: [UInt8]?, to value: [UInt8]?) {
    switch (before, value) {
    case (nil, nil): break
    case (nil, let value?): session.run(Self.add, row + [.bytes(value)])
    case (let before?, let value?):
      session.run(Self.change, row + [.bytes(before), .bytes(value)])
    case (let before?, nil): session.run(Self.remove, row + [.bytes(before)])
    }
  }

  func question(_ key: SettingKey) -> Question {
    Question(Self.find, row(of: key)) { [self] rows in
      known[key] = .some(rows.first?.bytes(0))
    }
  }

  func forget() { known = [:] }

  private func row(of key: SettingKey) -> [SQLValue] {
    [.integer(bucket(of: key).map { Int64($0.number) } ?? Self.noBucket), .text(key.text)]
  }

  /// Nil for what belongs to no bucket.
  private func bucket(of key: SettingKey) -> Bucket? {
    switch key {
    case .notifierCursor(let bucket): bucket
    case .sharingEpoch(let zone), .clientData(let zone, _), .storedBytes(let zone),
      .forgottenDeletions(let zone):
      places.bucket(of: zone.database)
    case .storedBytesOfDatabase(let database), .sequenceMarks(let database):
      places.bucket(of: database)
    case .schema, .subscriptionTypes, .generation, .copiedBack, .secret, .vapidKey, .operation,
      .pendingUploads, .webhookUse, .apnsUse:
      nil
    }
  }

  static let noBucket: Int64 = -1
  static let table = Table(
    "settings", key: [("bucket", .integer), ("name", .text)], columns: [("value", .bytes)])
  private static let find = SQL(
    "SELECT value FROM settings WHERE bucket = $1 AND name = $2",
    each: [.integer, .text])
  private static let add = SQL("INSERT INTO settings VALUES ($1, $2, $3)")
  private static let change = compared(
    "UPDATE settings SET value = $4 WHERE bucket = $1 AND name = $2 AND value = $3")
  private static let remove = compared(
    "DELETE FROM settings WHERE bucket = $1 AND name = $2 AND value = $3")

  private static func compared(_ text: String) -> SQL {
    SQL("WITH done AS (\(text) RETURNING 1) SELECT 1 / count(*) FROM done")
  }
}
