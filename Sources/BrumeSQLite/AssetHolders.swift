// Which record holds which file. A record without assets costs no statement here. That a file may be needed by nobody any
// more is noted at the end of a body, of all files together and in their order: rows at random places take longer, and
// everybody waits.

import BrumeModel
import BrumeStorage

final class AssetHolders {
  private let connection: Connection
  /// Files that records of the running body held and hold no more.
  private var letGo: Set<ByteText> = []
  /// Ours: files of one statement.
  private static let filesOfStatement = 64

  init(_ connection: Connection) { self.connection = connection }

  /// Keeps the list of who holds which file in step with a record.
  func update(_ rowKey: RecordRowKey, from old: Record?, to new: Record?) throws {
    let before = old?.assetChecksums ?? []
    let after = new?.assetChecksums ?? []
    guard before != after else { return }
    if after.isEmpty {
      try connection.run(Self.removeHoldings) { $0.bind(rowKey) }
    } else {
      for checksum in before.subtracting(after) {
        try connection.run(Self.removeHolder) { $0.bind(checksum, heldBy: rowKey) }
      }
    }
    letGo.formUnion(before.subtracting(after).map { ByteText($0) })
    for checksum in after.subtracting(before) {
      try connection.run(Self.addHolder) { $0.bind(checksum, heldBy: rowKey) }
    }
  }

  /// A zone's records go all at once.
  func letGo(ofZone zone: Int64) throws {
    for sql in Self.removeAll { try connection.run(sql) { $0.bind(1, zone) } }
  }

  func bodyBegins() { letGo = [] }

  func bodyEnds() throws {
    var left = letGo.sorted()[...]
    while let last = left.prefix(Self.filesOfStatement).last {
      let some = left.prefix(Self.filesOfStatement)
      left = left.dropFirst(some.count)
      if some.count == 1 {
        try connection.run(Self.suspect) { $0.bind(1, last.text) }
      } else {
        try connection.run(Self.suspectSome) { statement in
          for index in 0..<Self.filesOfStatement {
            let file = index < some.count ? some[some.startIndex + index] : last
            statement.bind(Int32(index + 1), file.text)
          }
        }
      }
    }
    letGo = []
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
  private static let removeHoldings = SQL("DELETE FROM asset_holders WHERE zone = ?1 AND name = ?2")
  private static let suspect = SQL("\(becomesIdle) WHERE checksum = ?1")
  private static let suspectSome = SQL(
    """
    \(becomesIdle)
    WHERE checksum IN (\((1...filesOfStatement).map { "?\($0)" }.joined(separator: ", ")))
    """)
}

extension Prepared {
  fileprivate func bind(_ checksum: String, heldBy rowKey: RecordRowKey) {
    bind(1, rowKey.zone)
    bind(2, rowKey.name)
    bind(3, checksum)
  }
}
