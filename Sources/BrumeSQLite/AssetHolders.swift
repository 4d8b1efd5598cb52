// Which record holds which file. A record without assets costs no statement here.

import BrumeModel
import BrumeStorage

struct AssetHolders {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// Keeps the list of who holds which file in step with a record.
  func update(_ rowKey: RecordRowKey, from old: Record?, to new: Record?) throws {
    let before = old?.assetChecksums ?? []
    let after = new?.assetChecksums ?? []
    guard before != after else { return }
    for checksum in before.subtracting(after) {
      try connection.run(Self.removeHolder) { $0.bind(checksum, heldBy: rowKey) }
      try connection.run(Self.suspect) { $0.bind(1, checksum) }
    }
    for checksum in after.subtracting(before) {
      try connection.run(Self.addHolder) { $0.bind(checksum, heldBy: rowKey) }
    }
  }

  /// A zone's records go all at once.
  func letGo(ofZone zone: Int64) throws {
    for sql in Self.removeAll { try connection.run(sql) { $0.bind(1, zone) } }
  }

  private static let becomesIdle =
    "UPDATE asset_files SET idle_since = 0, \(SummedTable.assetFiles.sum(changing: ["idle_since": "0"]))"
  private static let removeAll = [
    SQL(
      """
      \(becomesIdle)
      WHERE checksum IN (SELECT checksum FROM asset_holders WHERE zone = ?1)
      """),
    SQL("DELETE FROM asset_holders WHERE zone = ?1"),
  ]

  private static let addHolder = SQL(
    "INSERT OR IGNORE INTO asset_holders (zone, name, checksum) VALUES (?1, ?2, ?3)")
  private static let removeHolder = SQL(
    "DELETE FROM asset_holders WHERE zone = ?1 AND name = ?2 AND checksum = ?3")
  private static let suspect = SQL("\(becomesIdle) WHERE checksum = ?1")
}

extension Prepared {
  fileprivate func bind(_ checksum: String, heldBy rowKey: RecordRowKey) {
    bind(1, rowKey.zone)
    bind(2, rowKey.name)
    bind(3, checksum)
  }
}
