// Which records refer to which, for deletions: one row for each target and action of a record.

import BrumeModel
import BrumeStorage

struct ReferenceRows {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  func referrers(
    to rowKey: RecordRowKey, by action: Reference.Action, limit: Int
  ) throws -> [String] {
    try connection.all(
      Self.findReferrers,
      {
        $0.bind(rowKey)
        $0.bind(3, action.rawValue)
        $0.bind(4, limit)
      }
    ) { $0.text(0) }
  }

  /// Keeps the rows in step with a record.
  func update(
    _ rowKey: RecordRowKey, in zone: ZoneKey, from old: Record?, to new: Record?
  ) throws {
    let before = old?.pointers(within: zone) ?? []
    let after = new?.pointers(within: zone) ?? []
    for pointer in before.subtracting(after) {
      try connection.run(Self.removeReference) { $0.bind(pointer, from: rowKey) }
    }
    for pointer in after.subtracting(before) {
      try connection.run(Self.addReference) { $0.bind(pointer, from: rowKey) }
    }
  }

  func removeContents(ofZone zone: Int64) throws {
    try connection.run(Self.removeAll) { $0.bind(1, zone) }
  }

  private static let findReferrers = SQL(
    """
    SELECT name FROM record_references
    WHERE zone = ?1 AND target = ?2 AND action = ?3 ORDER BY name LIMIT ?4
    """)
  private static let addReference = SQL("INSERT INTO record_references VALUES (?1, ?2, ?3, ?4)")
  private static let removeReference = SQL(
    """
    DELETE FROM record_references
    WHERE zone = ?1 AND target = ?2 AND action = ?3 AND name = ?4
    """)
  private static let removeAll = SQL("DELETE FROM record_references WHERE zone = ?1")
}

extension Prepared {
  fileprivate func bind(_ pointer: Record.Pointer, from rowKey: RecordRowKey) {
    bind(1, rowKey.zone)
    bind(2, pointer.target.text)
    bind(3, pointer.action.rawValue)
    bind(4, rowKey.name)
  }
}
