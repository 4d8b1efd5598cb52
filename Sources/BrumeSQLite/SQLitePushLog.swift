// The push log in SQLite: bounded by its number of rows, whose positions have no gaps.

import BrumeModel
import BrumeStorage

final class SQLitePushLog: PushLogWriting {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// Without entries that are damaged.
  func entries(
    _ filter: PushLogFilter, after position: Int64, limit: Int
  ) throws -> [PushLogEntry] {
    let found = try connection.allWhole(
      Self.findLogged, .pushLog, limit: limit,
      {
        $0.bind(1, position)
        $0.bind(2, filter.container?.name)
        $0.bind(3, filter.environment?.rawValue)
        $0.bind(4, filter.user?.name)
        $0.bind(5, filter.device)
        $0.bind(6, filter.notificationID)
        $0.bind(7, filter.requestID)
        $0.bind(8, filter.before)
      }
    ) { try $0.logged() }
    return found.reversed()
  }

  func append(_ entries: [PushLogEntry], limit: Int) throws {
    if entries.isEmpty { return }
    for entry in entries { try add(entry) }
    let last = connection.lastRowID
    try connection.run(Self.trimLogged) { $0.bind(1, last - Int64(max(0, limit))) }
  }

  private func add(_ entry: PushLogEntry) throws {
    try connection.run(Self.addLogged) {
      $0.bind(1, entry.time)
      $0.bind(entry.containerEnvironment, from: 2)
      $0.bind(4, entry.user?.name)
      $0.bind(5, entry.device)
      $0.bind(6, entry.channel)
      $0.bind(7, entry.notificationID)
      $0.bind(8, entry.subscriptionID)
      $0.bind(9, entry.requestID)
      $0.bind(10, entry.subject)
      $0.bind(11, entry.verdict.rawValue)
      $0.bind(12, entry.status.map { Int64($0) })
      $0.bind(13, entry.reason)
      $0.bind(14, entry.attempt)
    }
  }

  private static let findLogged = SQL(
    """
    SELECT \(SummedTable.pushLog.whole) FROM push_log
    WHERE position > ?1 AND (?2 IS NULL OR container = ?2) AND (?3 IS NULL OR environment = ?3)
      AND (?4 IS NULL OR user = ?4) AND (?5 IS NULL OR device = ?5)
      AND (?6 IS NULL OR notification = ?6) AND (?7 IS NULL OR request = ?7)
      AND (?8 IS NULL OR position < ?8)
    ORDER BY position DESC
    """)
  private static let addLogged = SQL(SummedTable.pushLog.insertNext(isForGood: true))
  private static let trimLogged = SQL("DELETE FROM push_log WHERE position <= ?1")
}

extension Prepared {
  fileprivate func logged() throws -> PushLogEntry {
    let verdict = PushLogEntry.Verdict(rawValue: text(10))
    var entry = PushLogEntry(
      time: int(0), in: try containerEnvironment(1),
      user: optionalText(3).map { UserID($0) }, device: text(4), channel: text(5),
      notificationID: text(6), subscriptionID: text(7), requestID: text(8), subject: text(9),
      verdict: try known(verdict, "verdict in the push log"),
      status: optionalInt(11).map { Int(clamping: $0) }, reason: text(12),
      attempt: Int(clamping: int(13)))
    entry.position = int(14)
    return entry
  }
}
