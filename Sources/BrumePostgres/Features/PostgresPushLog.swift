// The push log in PostgreSQL: bounded by its positions, among which there are gaps only where a transaction
// failed.

import BrumeModel
import BrumeStorage
import Synchronization

final class PostgresPushLog: PushLogWriting {
  private let session: Session
  /// The order of entries that go out together.
  private static let count = Atomic<Int>(0)
  private static let appends = Atomic<Int>(0)

  init(_ session: Session) { self.session = session }

  func entries(
    _ filter: PushLogFilter, after position: Int64, limit: Int
  ) throws -> [PushLogEntry] {
    let found = try session.all(
      Self.find,
      [
        .integer(position), .text(filter.container?.name), .text(filter.environment?.rawValue),
        .text(filter.user?.name), .text(filter.device), .text(filter.notificationID),
        .text(filter.requestID), .integer(max(0, limit)), .integer(filter.before),
      ]
    ) { try $0.logged() }
    return found.reversed()
  }

  func append(_ entries: [PushLogEntry], limit: Int) throws {
    if entries.isEmpty { return }
    for entry in entries { add(entry) }
    let most = max(0, limit)
    session.put([.integer(0), .integer(most), .integer(reach(most))], in: Self.tables.bound)
  }

  /// How far below the newest position rows are looked for that are too many: what is below went before. As long as
  /// anybody reads an older state, as a backup does, dead rows lie there, and each look would pass all of them.
  private func reach(_ most: Int) -> Int64 {
    let isWhole = Self.appends.wrappingAdd(1, ordering: .relaxed).newValue % Self.looks == 0
    return isWhole ? .max : Int64(clamping: most) + Self.nearRows
  }

  /// Ours: one look in so many goes through all rows, for what others had locked or a smaller limit leaves.
  private static let looks = 64
  private static let nearRows: Int64 = 1000

  private func add(_ entry: PushLogEntry) {
    let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
    session.put(
      [.integer(number), .integer(entry.time)] + entry.containerEnvironment.values + [
        .text(entry.user?.name), .text(entry.device), .text(entry.channel),
        .text(entry.notificationID), .text(entry.subscriptionID), .text(entry.requestID),
        .text(entry.subject), .text(entry.verdict.rawValue),
        .integer(entry.status.map { Int64($0) }), .text(entry.reason), .integer(entry.attempt),
      ], in: Self.tables.entries)
  }
}

// MARK: Statements

extension PostgresPushLog {
  /// Tables that are made later are written later.
  private static let tables = (entries: entries(), bound: bound())

  private static func entries() -> Table {
    Table(
      "push_log", key: [("number", .integer)],
      columns: [
        ("time", .integer), ("container", .text), ("environment", .text), ("user_id", .text),
        ("device", .text), ("channel", .text), ("notification", .text), ("subscription", .text),
        ("request", .text), ("subject", .text), ("verdict", .text), ("status", .integer),
        ("reason", .text), ("attempt", .integer),
      ]
    ) { given in
      "INSERT INTO push_log (\(columns)) SELECT \(columns) FROM \(given) ORDER BY number"
    }
  }

  /// What another transaction drops just now is left to it.
  private static func bound() -> Table {
    Table(
      "push_log", key: [("number", .integer)],
      columns: [("most", .integer), ("reach", .integer)]
    ) { given in
      """
      DELETE FROM push_log WHERE position = ANY (ARRAY(
        SELECT position FROM push_log
        WHERE position <= (SELECT max(position) FROM push_log) - (SELECT most FROM \(given))
          AND position >= (SELECT max(position) FROM push_log) - (SELECT reach FROM \(given))
        FOR UPDATE SKIP LOCKED))
      """
    }
  }

  private static let columns = """
    time, container, environment, user_id, device, channel, notification, subscription, request,
    subject, verdict, status, reason, attempt
    """
  private static let find = SQL(
    """
    SELECT \(columns), position FROM push_log
    WHERE position > $1 AND ($2::text IS NULL OR container = $2)
      AND ($3::text IS NULL OR environment = $3) AND ($4::text IS NULL OR user_id = $4)
      AND ($5::text IS NULL OR device = $5) AND ($6::text IS NULL OR notification = $6)
      AND ($7::text IS NULL OR request = $7) AND ($9::bigint IS NULL OR position < $9)
    ORDER BY position DESC LIMIT $8
    """)
}

extension Row {
  fileprivate func logged() throws -> PushLogEntry {
    var entry = PushLogEntry(
      time: integer(0), in: try containerEnvironment(1),
      user: optionalText(3).map { UserID($0) }, device: text(4), channel: text(5),
      notificationID: text(6), subscriptionID: text(7), requestID: text(8), subject: text(9),
      verdict: try known(PushLogEntry.Verdict(rawValue: text(10)), "verdict"),
      status: optionalInteger(11).map { Int(clamping: $0) }, reason: text(12),
      attempt: Int(clamping: integer(13)))
    entry.position = integer(14)
    return entry
  }
}
