// The log in SQLite. The writer counts positions; the last one survives trimming as a setting, so
// that none is ever used twice.

import BrumeModel
import BrumeStorage

final class SQLiteLog: LogWriting, Remembering {
  private let connection: Connection
  private let coder: RecordCoder
  private let numbers: DatabaseNumbers
  private let watched: WatchedDatabases
  private var last: Int64?
  /// The last position that was committed. What is read anew is never less: a position that is given a second
  /// time would never be delivered by whoever has passed it.
  private var committed: Int64 = 0
  /// The running body added something that somebody follows, or the log has grown by so much that it is
  /// time to look.
  private(set) var hasGrown = false
  /// Entries in databases that nobody follows, since the last hint.
  private var unwatchedEntries: Int64 = 0

  init(
    _ connection: Connection, _ coder: RecordCoder, _ numbers: DatabaseNumbers,
    _ watched: WatchedDatabases
  ) {
    self.connection = connection
    self.coder = coder
    self.numbers = numbers
    self.watched = watched
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
    noteGrowth(isWatched: try columns.kind != .record || watched.isWatched(database))
    return position
  }

  func trim(in bucket: Bucket, through position: Int64) throws {
    let last = try lastPosition(in: .only)
    if position >= last {
      try connection.run(SQLiteSettings.put) {
        $0.bind(1, Self.lastPositionName)
        $0.bind(2, String(last))
      }
    }
    try connection.run(Self.trim) { $0.bind(1, position) }
  }

  func trim(
    in bucket: Bucket, through position: Int64, before time: Milliseconds, rows: Int
  ) throws {
    let old = try connection.first(
      Self.findOld,
      {
        $0.bind(1, position)
        $0.bind(2, max(0, rows))
        $0.bind(3, time)
      }
    ) { $0.optionalInt(0) }
    if let old = old ?? nil { try trim(in: bucket, through: old) }
  }

  func dropImages(
    in bucket: Bucket, after start: Int64, through end: Int64, largerThan bytes: Int
  ) throws {
    try connection.run(Self.dropImages) {
      $0.bind(1, start)
      $0.bind(2, end)
      $0.bind(3, bytes)
    }
  }

  private func noteGrowth(isWatched: Bool) {
    if isWatched || unwatchedEntries >= CommitSignals.unwatchedEntries { hasGrown = true }
    unwatchedEntries = hasGrown ? 0 : unwatchedEntries + 1
  }

  func bodyBegins() { hasGrown = false }

  func forget() { (last, hasGrown) = (nil, false) }

  /// What the bodies of a group appended is in the database.
  func groupCommitted() { committed = last ?? committed }

  private func columns(of event: LogEntry.Event) throws -> EventColumns {
    switch event {
    case .record(let change):
      var columns = EventColumns(.record)
      columns.zone = try numbers.givenNumber(of: change.record.zone)
      columns.name = change.record.name
      columns.type = change.recordType
      columns.subject = String(change.kind.rawValue)
      columns.sequence = change.image?.sequence
      columns.image = change.image.map(coder.bytes(of:))
      columns.shares = Lines.column(change.coveringShares)
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

  static let lastPositionName = "last-log-position"
  private static let add = SQL(
    """
    INSERT INTO log (
      position, database, kind, zone, name, type, subject, sequence, image, shares,
      user, device, request, time, container, environment, checksum, image_checksum)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16,
      row_sum(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?10, ?11, ?12, ?13, ?14, ?15, ?16),
      row_sum(?1, ?9))
    """)
  private static let trim = SQL("DELETE FROM log WHERE position <= ?1")
  private static let findOld = SQL(
    """
    SELECT max(position) FROM (
      SELECT position, time FROM log WHERE position <= ?1 ORDER BY position LIMIT ?2)
    WHERE time < ?3
    """)
  private static let dropImages = SQL(
    """
    UPDATE log SET image = NULL, image_checksum = row_sum(position, NULL)
    WHERE position > ?1 AND position <= ?2 AND length(image) > ?3
    """)

  // MARK: Reading

  func bucket(of database: DatabaseKey) -> Bucket { .only }

  func lastPositions() throws -> LogPositions {
    LogPositions(try lastPosition(in: .only), in: .only)
  }

  func lastPosition(in bucket: Bucket) throws -> Int64 {
    if let last { return last }
    let newest = try connection.first(Self.newest) { $0.int(0) } ?? 0
    let kept = try connection.first(
      SQLiteSettings.find, { $0.bind(1, Self.lastPositionName) }
    ) { row in
      guard row.bool(1), let position = Int64(row.text(0)) else {
        throw connection.damage(.settings, Self.lastPositionName, "the log's last position")
      }
      return position
    }
    let found = max(newest, kept ?? 0)
    precondition(found >= committed, "the positions of the log never fall")
    last = found
    return found
  }

  /// Entries that are damaged are left out: what they were about is unknown.
  func entries(in bucket: Bucket, after position: Int64, limit: Int) throws -> [LogEntry] {
    var entries: [LogEntry] = []
    var (start, isAll) = (position, false)
    while entries.count < limit, !isAll {
      let wanted = limit - entries.count
      var rows = 0
      let bind: (Prepared) -> Void = {
        $0.bind(1, start)
        $0.bind(2, wanted)
      }
      try connection.each(Self.find, bind) { row in
        (start, rows) = (max(start, row.int(0)), rows + 1)
        if let entry = try entry(row) { entries.append(entry) }
        return true
      }
      isAll = rows < wanted
    }
    return entries
  }

  func newest(_ filter: LogFilter, limit: Int) throws -> [LogEntry] {
    try connection.all(
      Self.findNewest,
      {
        $0.bind(filter.containerEnvironment, from: 1)
        $0.bind(3, filter.since)
        $0.bind(4, filter.record?.name)
        $0.bind(5, filter.record?.zone)
        $0.bind(6, filter.requestID)
        $0.bind(7, LogEventKind.subscription.rawValue)
        $0.bind(8, LogEventKind.record.rawValue)
        $0.bind(9, max(0, limit))
      }
    ) { try entry($0) }.compactMap { $0 }
  }

  /// Nil: it is damaged.
  private func entry(_ row: Prepared) throws -> LogEntry? {
    guard row.bool(21) else {
      connection.damaged.note("log", "position \(row.int(0))")
      return nil
    }
    return LogEntry(
      position: row.int(0), database: try row.database(1), event: try event(row),
      origin: Origin(
        user: row.optionalText(11).map(UserID.init),
        device: row.optionalText(12).map(DeviceID.init), requestID: row.text(13),
        time: row.int(14)))
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
    var image = row.optionalBlob(9).map {
      StoredRecord(
        name: name, type: type, sequence: row.int(8), content: .encoded($0, coder))
    }
    if !row.bool(22) {
      connection.damaged.note("log", "image of position \(row.int(0))")
      image = StoredRecord(damaged: name, sequence: row.int(8))
    }
    return RecordChange(
      record: RecordKey(zone: try row.zone(17), name: name), recordType: type,
      kind: try row.known(Int(row.text(7)).flatMap(RecordChange.Kind.init), "kind of change"),
      image: image, coveringShares: Lines.texts(ofColumn: row.optionalText(10)))
  }

  private func scope(_ row: Prepared) throws -> SubscriptionScope {
    SubscriptionScope(
      in: try row.containerEnvironment(15),
      scope: try row.known(DatabaseScope(rawValue: row.text(6)), "scope"),
      user: UserID(row.text(7)))
  }

  private static let newest = SQL("SELECT position FROM log ORDER BY position DESC LIMIT 1")
  private static let columns = """
    SELECT l.position, d.container, d.environment, d.owner,
      l.kind, l.name, l.type, l.subject, l.sequence, l.image, l.shares,
      l.user, l.device, l.request, l.time, l.container, l.environment,
      z.name, e.container, e.environment, e.owner,
      \(SummedTable.log.fits("l")) AND \(SummedTable.databases.fits("d"))
        AND \(SummedTable.zones.fits("z")) AND \(SummedTable.databases.fits("e")),
      \(SummedTable.images.fits("l"))
    FROM log l LEFT JOIN databases d ON d.id = l.database
      LEFT JOIN zones z ON z.id = l.zone LEFT JOIN databases e ON e.id = z.database
    """
  private static let find = SQL("\(columns) WHERE l.position > ?1 ORDER BY l.position LIMIT ?2")
  /// Walks the log from its end: what is asked for is what happened just now.
  private static let findNewest = SQL(
    """
    \(columns)
    WHERE d.container = ?1 AND d.environment = ?2 AND l.time >= ?3 AND l.kind <> ?7
      AND (?4 IS NULL OR l.kind = ?8 AND l.name = ?4 AND z.name = ?5)
      AND (?6 IS NULL OR l.request = ?6)
    ORDER BY l.position DESC LIMIT ?9
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
