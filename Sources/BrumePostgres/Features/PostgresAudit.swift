// The audit log in PostgreSQL. Lines are added under the lock of what belongs to no bucket, so that their
// positions rise in the order of commits.

import BrumeModel
import BrumeStorage

final class PostgresAudit: AuditWriting {
  private let session: Session

  init(_ session: Session) { self.session = session }

  func entries(
    _ filter: AuditFilter, before position: Int64, limit: Int
  ) throws -> [AuditEntry] {
    try session.all(
      Self.find,
      [
        .integer(position), .text(filter.operatorName), .text(filter.requestID),
        .integer(filter.since), .integer(filter.until), .integer(max(0, limit)),
      ]
    ) { $0.auditEntry() }
  }

  func append(_ entry: AuditEntry, keeping bounds: AuditBounds) throws {
    session.run(
      Self.add,
      [
        .integer(entry.time), .text(entry.operatorName), .text(entry.address),
        .text(entry.requestID), .text(entry.action), .text(entry.subject),
        .text(entry.container), .text(entry.environment),
        .integer(entry.status.map { Int64($0) }), .flag(entry.isRefused),
      ])
    session.run(Self.dropOld, [.integer(bounds.oldest)])
    session.run(Self.dropBeyond, [.integer(max(0, bounds.lines))])
    session.run(Self.dropRefusals, [.integer(max(0, bounds.refusals))])
  }

  func setStatus(_ status: Int, ofRequest requestID: String) throws {
    session.run(Self.setStatus, [.integer(status), .text(requestID)])
  }

  private static let columns =
    "time, operator_name, address, request, action, subject, container, environment, status, refused"
  private static let find = SQL(
    """
    SELECT \(columns), position FROM audit
    WHERE position < $1 AND ($2::text IS NULL OR operator_name = $2)
      AND ($3::text IS NULL OR request = $3) AND ($4::bigint IS NULL OR time >= $4)
      AND ($5::bigint IS NULL OR time < $5)
    ORDER BY position DESC LIMIT $6
    """)
  private static let add = SQL(
    "INSERT INTO audit (\(columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)")
  private static let dropOld = SQL("DELETE FROM audit WHERE time < $1")
  private static let dropBeyond = dropBeyond(condition: "refused = 0")
  private static let dropRefusals = dropBeyond(condition: "refused = 1")
  private static let setStatus = SQL(
    "UPDATE audit SET status = $1 WHERE request = $2 AND status IS NULL")

  /// Everything up to the newest line that is too many.
  private static func dropBeyond(condition: String) -> SQL {
    SQL(
      """
      DELETE FROM audit WHERE \(condition) AND position <= (
        SELECT position FROM audit WHERE \(condition) ORDER BY position DESC LIMIT 1 OFFSET $1)
      """)
  }
}

extension Row {
  fileprivate func auditEntry() -> AuditEntry {
    var entry = AuditEntry(
      time: integer(0), operatorName: text(1), address: text(2), requestID: text(3),
      action: text(4), subject: text(5), container: text(6), environment: text(7),
      status: optionalInteger(8).map { Int(clamping: $0) }, isRefused: flag(9))
    entry.position = integer(10)
    return entry
  }
}
