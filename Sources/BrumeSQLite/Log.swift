// The log in SQLite. The writer counts positions; the last one survives trimming as a setting, so
// that none is ever used twice.

import BrumeModel
import BrumeStorage

final class SQLiteLog: LogWriting, Remembering {
  private let connection: Connection
  private let coder: RecordCoder
  private let numbers: DatabaseNumbers
  private let followers: Followers
  private var last: Int64?
  /// The running body added something that somebody follows, or the log has grown by so much that it is
  /// time to look.
  private(set) var hasGrown = false
  /// Entries in databases that nobody follows, since the last hint.
  private var unfollowedEntries: Int64 = 0

  init(
    _ connection: Connection, _ coder: RecordCoder, _ numbers: DatabaseNumbers,
    _ followers: Followers
  ) {
    self.connection = connection
    self.coder = coder
    self.numbers = numbers
    self.followers = followers
  }

  func append(
    _ event: LogEntry.Event, in database: DatabaseKey, origin: Origin
  ) throws -> Int64 {
    let position = try lastPosition(in: .only) + 1
    let columns = try columns(of: event)
    let number = try numbers.givenNumber(of: database)
    try connection.run(Self.add) {
      $0.bind(1, position)
      $0.bind(2, number)
      $0.bind(3, columns.kind.rawValue)
      $0.bind(4, columns.zone)
      $0.bind(5, columns.name)
      $0.bind(6, columns.type)
      $0.bind(7, columns.subject)
      $0.bind(8, columns.sequence)
      $0.bind(9, columns.image)
      $0.bind(10, columns.shares)
      $0.bind(11, origin.user?.name)
      $0.bind(12, origin.device?.name)
      $0.bind(13, origin.requestID)
      $0.bind(14, origin.time)
      $0.bind(15, columns.containerEnvironment?.container.name)
      $0.bind(16, columns.containerEnvironment?.environment.rawValue)
    }
    last = position
    noteGrowth(isFollowed: try columns.kind != .record || followers.isFollowed(database))
    return position
  }

  func trim(in bucket: Bucket, through position: Int64) throws {
    let last = try lastPosition(in: .only)
    if position >= last {
      try connection.run(Self.keepLast) {
        $0.bind(1, Self.lastPositionName)
        $0.bind(2, String(last))
      }
    }
    try connection.run(Self.trim) { $0.bind(1, position) }
  }

  private func noteGrowth(isFollowed: Bool) {
    if isFollowed || unfollowedEntries >= CommitSignals.unfollowedEntries { hasGrown = true }
    unfollowedEntries = hasGrown ? 0 : unfollowedEntries + 1
  }

  func bodyBegins() { hasGrown = false }

  func forget() { (last, hasGrown) = (nil, false) }

  private func columns(of event: LogEntry.Event) throws -> EventColumns {
    switch event {
    case .record(let change):
      var columns = EventColumns(.record)
      columns.zone = try numbers.givenNumber(of: change.record.zone)
      columns.name = change.record.name
      columns.type = change.recordType
      columns.subject = String(change.kind.rawValue)
      columns.sequence = change.image?.sequence
      columns.image = change.image.map(bytes)
      columns.shares = change.coveringShares.isEmpty ? nil : Lines.text(change.coveringShares)
      return columns
    case .zoneCreated(let zone):
      return EventColumns(.zoneCreated, zone: try numbers.givenNumber(of: zone))
    case .zoneDeleted(let zone):
      return EventColumns(.zoneDeleted, zone: try numbers.givenNumber(of: zone))
    case .membership(let user, let zone):
      var columns = EventColumns(.membership, zone: try numbers.givenNumber(of: zone))
      columns.name = user.name
      return columns
    case .subscription(let scope, let id):
      var columns = EventColumns(.subscription)
      columns.name = id
      columns.type = scope.scope.rawValue
      columns.subject = scope.user.name
      columns.containerEnvironment = scope.containerEnvironment
      return columns
    }
  }

  private func bytes(of image: StoredRecord) -> [UInt8] {
    switch image.content {
    case .value(let record): coder.encode(record)
    case .encoded(let bytes, _): bytes
    }
  }

  private static let lastPositionName = "last-log-position"
  private static let add = SQL(
    """
    INSERT INTO log (
      position, database, kind, zone, name, type, subject, sequence, image, shares,
      user, device, request, time, container, environment)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
    """)
  private static let trim = SQL("DELETE FROM log WHERE position <= ?1")
  private static let keepLast = SQL("INSERT OR REPLACE INTO settings VALUES (?1, ?2)")

  // MARK: Reading

  func bucket(of database: DatabaseKey) -> Bucket { .only }

  func lastPositions() throws -> LogPositions {
    LogPositions(try lastPosition(in: .only), in: .only)
  }

  func lastPosition(in bucket: Bucket) throws -> Int64 {
    if let last { return last }
    let newest = try connection.first(Self.newest) { $0.int(0) } ?? 0
    let kept = try connection.first(Self.findLast, { $0.bind(1, Self.lastPositionName) }) {
      Int64($0.text(0)) ?? 0
    }
    let found = max(newest, kept ?? 0)
    last = found
    return found
  }

  func entries(in bucket: Bucket, after position: Int64, limit: Int) throws -> [LogEntry] {
    try connection.all(
      Self.find,
      {
        $0.bind(1, position)
        $0.bind(2, limit)
      }
    ) { row in
      LogEntry(
        position: row.int(0), database: try row.database(1), event: try event(row),
        origin: Origin(
          user: row.optionalText(11).map(UserID.init),
          device: row.optionalText(12).map(DeviceID.init), requestID: row.text(13),
          time: row.int(14)))
    }
  }

  private func event(_ row: Prepared) throws -> LogEntry.Event {
    switch try row.known(LogEventKind(rawValue: row.int(4)), "log entry") {
    case .record: .record(try change(row))
    case .zoneCreated: .zoneCreated(try row.zone(17))
    case .zoneDeleted: .zoneDeleted(try row.zone(17))
    case .membership: .membership(UserID(row.text(5)), try row.zone(17))
    case .subscription: .subscription(try scope(row), id: row.text(5))
    }
  }

  private func change(_ row: Prepared) throws -> RecordChange {
    let (name, type) = (row.text(5), row.text(6))
    let image = row.optionalBlob(9).map {
      StoredRecord(
        name: name, type: type, sequence: row.int(8), content: .encoded($0, coder))
    }
    return RecordChange(
      record: RecordKey(zone: try row.zone(17), name: name), recordType: type,
      kind: try row.known(Int(row.text(7)).flatMap(RecordChange.Kind.init), "kind of change"),
      image: image, coveringShares: row.optionalText(10).map(Lines.texts) ?? [])
  }

  private func scope(_ row: Prepared) throws -> SubscriptionScope {
    SubscriptionScope(
      in: try row.containerEnvironment(15),
      scope: try row.known(DatabaseScope(rawValue: row.text(6)), "scope"),
      user: UserID(row.text(7)))
  }

  private static let newest = SQL("SELECT position FROM log ORDER BY position DESC LIMIT 1")
  private static let findLast = SQL("SELECT value FROM settings WHERE name = ?1")
  private static let find = SQL(
    """
    SELECT l.position, d.container, d.environment, d.owner,
      l.kind, l.name, l.type, l.subject, l.sequence, l.image, l.shares,
      l.user, l.device, l.request, l.time, l.container, l.environment,
      z.name, e.container, e.environment, e.owner
    FROM log l JOIN databases d ON d.id = l.database
      LEFT JOIN zones z ON z.id = l.zone LEFT JOIN databases e ON e.id = z.database
    WHERE l.position > ?1 ORDER BY l.position LIMIT ?2
    """)
}

/// What of an event goes into which column.
private struct EventColumns {
  let kind: LogEventKind
  var zone: Int64?
  var name: String?
  var type: String?
  var subject: String?
  var sequence: Int64?
  var image: [UInt8]?
  /// The names of the shares that cover a record, as lines.
  var shares: String?
  /// Where a subscription is, with its scope and user.
  var containerEnvironment: ContainerEnvironment?

  init(_ kind: LogEventKind, zone: Int64? = nil) {
    self.kind = kind
    self.zone = zone
  }
}

extension Prepared {
  /// Four columns: the zone's name and its database.
  func zone(_ column: Int32) throws -> ZoneKey {
    ZoneKey(database: try database(column + 1), name: text(column))
  }
}
