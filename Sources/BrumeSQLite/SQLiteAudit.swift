// The audit log in SQLite.

import BrumeModel
import BrumeStorage

final class SQLiteAudit: AuditWriting {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// Without lines that are damaged.
  func entries(
    _ filter: AuditFilter, before position: Int64, limit: Int
  ) throws -> [AuditEntry] {
    try connection.allWhole(
      Self.find, .audit, limit: limit,
      {
        $0.bind(1, position)
        $0.bind(2, filter.operatorName)
        $0.bind(3, filter.requestID)
        $0.bind(4, filter.since)
        $0.bind(5, filter.until)
      }
    ) { $0.auditEntry() }
  }

  func append(_ entry: AuditEntry, keeping bounds: AuditBounds) throws {
    try connection.run(Self.add) {
      $0.bind(1, entry.time)
      $0.bind(2, entry.operatorName)
      $0.bind(3, entry.address)
      $0.bind(4, entry.requestID)
      $0.bind(5, entry.action)
      $0.bind(6, entry.subject)
      $0.bind(7, entry.container)
      $0.bind(8, entry.environment)
      $0.bind(9, entry.status.map { Int64($0) })
      $0.bind(10, entry.isRefused)
    }
    try connection.run(Self.dropOld) { $0.bind(1, bounds.oldest) }
    try connection.run(Self.dropBeyond) { $0.bind(1, max(0, bounds.lines)) }
    try connection.run(Self.dropRefusals) { $0.bind(1, max(0, bounds.refusals)) }
  }

  func setStatus(_ status: Int, ofRequest requestID: String) throws {
    try connection.run(Self.setStatus) {
      $0.bind(1, status)
      $0.bind(2, requestID)
    }
  }

  private static let find = SQL(
    """
    SELECT \(SummedTable.audit.whole) FROM audit
    WHERE position < ?1 AND (?2 IS NULL OR operator_name = ?2) AND (?3 IS NULL OR request = ?3)
      AND (?4 IS NULL OR time >= ?4) AND (?5 IS NULL OR time < ?5)
    ORDER BY position DESC
    """)
  private static let add = SQL(SummedTable.audit.insertNext(isForGood: true))
  private static let dropOld = SQL("DELETE FROM audit WHERE time < ?1")
  private static let dropBeyond = dropBeyond(condition: "refused = 0")
  private static let dropRefusals = dropBeyond(condition: "refused = 1")
  private static let setStatus = SQL(
    """
    UPDATE audit SET status = ?1, \(SummedTable.audit.sum(changing: ["status": "?1"]))
    WHERE request = ?2 AND status IS NULL
    """)

  /// Everything up to the newest line that is too many.
  private static func dropBeyond(condition: String) -> SQL {
    SQL(
      """
      DELETE FROM audit WHERE \(condition) AND position <= (
        SELECT position FROM audit WHERE \(condition) ORDER BY position DESC LIMIT 1 OFFSET ?1)
      """)
  }
}

extension Prepared {
  fileprivate func auditEntry() -> AuditEntry {
    var entry = AuditEntry(
      time: int(0), operatorName: text(1), address: text(2), requestID: text(3), action: text(4),
      subject: text(5), container: text(6), environment: text(7),
      status: optionalInt(8).map { Int(clamping: $0) }, isRefused: bool(9))
    entry.position = int(10)
    return entry
  }
}
