// The log in PostgreSQL: each bucket has its own, counted under the bucket's lock.

import BrumeModel
import BrumeStorage

final class PostgresLog: LogWriting, Remembering {
  private let session: Session
  private let places: Places
  private let locks: Locks
  private let coder: RecordCoder
  private let watched: WatchedDatabases
  /// Buckets to whose logs the transaction's accepted bodies, and the running one, have added what may concern somebody
  /// at once, and the logs' last positions.
  private(set) var grown: [Bucket: Int64] = [:]
  /// What was planned: entries after a position, and the last position.
  private var planned: [Bucket: (after: Int64, entries: [LogEntry], last: Int64)] = [:]

  init(
    _ session: Session, _ places: Places, _ locks: Locks, _ coder: RecordCoder,
    _ watched: WatchedDatabases
  ) {
    self.watched = watched
    self.session = session
    self.places = places
    self.locks = locks
    self.coder = coder
  }

  func append(
    _ event: LogEntry.Event, in database: DatabaseKey, origin: Origin
  ) throws -> Int64 {
    let bucket = places.bucket(of: database)
    planned[bucket] = nil
    let position = try locks.next(.saves, in: bucket)
    let number = try places.givenNumber(of: database)
    session.put(
      [.integer(bucket.number), .integer(position), .integer(number)]
        + (try columns(of: event, in: database)) + [
          .text(origin.user?.name), .text(origin.device?.name), .text(origin.requestID),
          .integer(origin.time),
        ], in: Self.table)
    if grown[bucket] != nil || concernsSomebody(event, in: database) { grown[bucket] = position }
    return position
  }

  /// Whether somebody may wait for it: whoever takes part in a share may watch it from any bucket.
  private func concernsSomebody(_ event: LogEntry.Event, in database: DatabaseKey) -> Bool {
    guard case .record(let change) = event, change.coveringShares.isEmpty else { return true }
    return watched.isWatched(database)
  }

  func trim(in bucket: Bucket, through position: Int64) throws {
    session.run(Self.trim, [.integer(bucket.number), .integer(position)])
  }

  func trim(
    in bucket: Bucket, through position: Int64, before time: Milliseconds, rows: Int
  ) throws {
    session.run(
      Self.trimOld,
      [.integer(bucket.number), .integer(position), .integer(time), .integer(max(0, rows))])
  }

  /// An image is part of what the checksum is of: each row is read whole, and gets the sum without its image. A damaged one
  /// stays as it is, so that it stays damaged.
  func dropImages(
    in bucket: Bucket, after start: Int64, through end: Int64, largerThan bytes: Int
  ) throws {
    var (last, isAll) = (start, false)
    while !isAll {
      let rows = try session.all(
        Self.findImages,
        [
          .integer(bucket.number), .integer(last), .integer(end), .integer(bytes),
          .integer(LogEntry.fewAtOnce),
        ]
      ) { (position: $0.integer(1), sum: $0.sumWithoutImage) }
      for row in rows where row.sum != nil {
        session.run(
          Self.dropImage, [.integer(bucket.number), .integer(row.position), .integer(row.sum)])
      }
      last = rows.last?.position ?? last
      isAll = rows.count < LogEntry.fewAtOnce
    }
  }

  func newest(_ filter: LogFilter, limit: Int) throws -> [LogEntry] {
    try session.all(
      Self.findNewest,
      filter.containerEnvironment.values + [
        .integer(filter.since), .text(filter.record?.name), .text(filter.record?.zone),
        .text(filter.requestID), .integer(LogEventKind.subscription.rawValue),
        .integer(LogEventKind.record.rawValue), .integer(max(0, limit)),
      ]
    ) { try entry($0) }.compactMap { $0 }
  }

  func bucket(of database: DatabaseKey) -> Bucket { places.bucket(of: database) }

  func lastPosition(in bucket: Bucket) throws -> Int64 {
    if let planned = planned[bucket] { return planned.last }
    let last = try session.first(Self.findLast, [.integer(bucket.number)]) { $0.integer(0) }
    guard let last else { throw Locks.noCounter(of: Locks.Lock(kind: .saves, bucket: bucket)) }
    return last
  }

  func lastPositions() throws -> LogPositions {
    var positions = LogPositions()
    for (bucket, last) in try session.all(
      Self.findAllLast, [], { (Int($0.integer(0)), $0.integer(1)) })
    { positions[Bucket(bucket)] = last }
    return positions
  }

  func entries(in bucket: Bucket, after position: Int64, limit: Int) throws -> [LogEntry] {
    if let planned = planned[bucket], planned.after == position,
      limit <= planned.entries.count
        || (planned.entries.last?.position ?? position) >= planned.last
    {
      return Array(planned.entries.prefix(limit))
    }
    var entries: [LogEntry] = []
    var (start, isAll) = (position, false)
    while entries.count < limit, !isAll {
      let wanted = limit - entries.count
      let rows = try session.all(
        Self.find, [.integer(bucket.number), .integer(start), .integer(wanted)]
      ) { (position: $0.integer(0), entry: try entry($0)) }
      entries += rows.compactMap(\.entry)
      start = rows.last?.position ?? start
      isAll = rows.count < wanted
    }
    return entries
  }

  /// Nil: it is damaged. What it was about is unknown, so it is left out.
  private func entry(_ row: Row) throws -> LogEntry? {
    guard row.isWholeEntry else {
      session.damaged.note("log", "bucket \(row.integer(18)), position \(row.integer(0))")
      return nil
    }
    return LogEntry(
      position: row.integer(0), database: try row.database(1), event: try row.event(coder),
      origin: Origin(
        user: row.optionalText(11).map { UserID($0) },
        device: row.optionalText(12).map { DeviceID($0) }, requestID: row.text(13),
        time: row.integer(14)))
  }

  func questions(_ bucket: Bucket, after position: Int64) -> [Question] {
    var entries: [LogEntry] = []
    return [
      Question(
        Self.find,
        [.integer(bucket.number), .integer(position), .integer(LogEntry.fewAtOnce)]
      ) { rows in
        entries = try rows.map { try self.entry($0) }.compactMap { $0 }
      },
      Question(Self.findLast, [.integer(bucket.number)]) { [self] rows in
        guard let row = rows.first else {
          throw Locks.noCounter(of: Locks.Lock(kind: .saves, bucket: bucket))
        }
        planned[bucket] = (position, entries, row.integer(0))
      },
    ]
  }

  func forget() { (grown, planned) = ([:], [:]) }

  private static let table = Table(
    "log", key: [("bucket", .integer), ("position", .integer)],
    columns: [
      ("database", .integer), ("kind", .integer), ("zone", .integer), ("name", .text),
      ("type", .text), ("subject", .text), ("sequence", .integer), ("image", .bytes),
      ("shares", .text), ("container", .text), ("environment", .text), ("\"user\"", .text),
      ("device", .text), ("request", .text), ("time", .integer),
    ], isSummed: true, earlyRows: Session.earlyRows)
  /// Where `find` has the columns of `table`, and behind them the checksum.
  fileprivate static let columnsOfEntry: [Int32] = [
    18, 0, 19, 4, 20, 5, 6, 7, 8, 9, 10, 15, 16, 11, 12, 13, 14, 21,
  ]
  private static let trim = SQL("DELETE FROM log WHERE bucket = $1 AND position <= $2")
  private static let trimOld = SQL(
    """
    DELETE FROM log WHERE bucket = $1 AND position <= (
      SELECT max(position) FROM (
        SELECT position, time FROM log WHERE bucket = $1 AND position <= $2
        ORDER BY position LIMIT $4) AS oldest
      WHERE time < $3)
    """)
  /// With the columns of `table` in its order, and behind them the checksum.
  private static let findImages = SQL(
    """
    SELECT bucket, position, database, kind, zone, name, type, subject, sequence, image, shares,
      container, environment, "user", device, request, time, checksum
    FROM log WHERE bucket = $1 AND position > $2 AND position <= $3
      AND octet_length(image) > $4::bigint
    ORDER BY position LIMIT $5
    """)
  private static let dropImage = SQL(
    "UPDATE log SET image = NULL, checksum = $3 WHERE bucket = $1 AND position = $2")
  /// Of all buckets: logs have no index but their order, and somebody asks for this once in a while.
  private static let findNewest = SQL(
    """
    SELECT log.position, databases.container, databases.environment, databases.owner, log.kind,
      log.name, log.type, log.subject, log.sequence, log.image, log.shares, log."user", log.device,
      log.request, log.time, log.container, log.environment, zones.name, log.bucket, log.database,
      log.zone, log.checksum
    FROM log JOIN databases ON databases.bucket = log.bucket AND databases.id = log.database
      LEFT JOIN zones ON zones.bucket = log.bucket AND zones.id = log.zone
    WHERE databases.container = $1 AND databases.environment = $2 AND log.time >= $3
      AND log.kind <> $7
      AND ($4::text IS NULL OR log.kind = $8 AND log.name = $4 AND zones.name = $5::text)
      AND ($6::text IS NULL OR log.request = $6)
    ORDER BY log.time DESC, log.position DESC LIMIT $9
    """)
  private static let findLast = SQL("SELECT last FROM buckets WHERE bucket = $1")
  static let findAllLast = SQL(
    "SELECT bucket, last FROM buckets WHERE bucket >= 0 AND last > 0")
  private static let find = SQL(
    """
    SELECT position, databases.container, databases.environment, databases.owner, kind, log.name,
      type, subject, log.sequence, image, shares, "user", device, request, time, log.container,
      log.environment, zones.name, log.bucket, log.database, log.zone, log.checksum
    FROM (
        SELECT * FROM log WHERE bucket = $1 AND position > $2 ORDER BY position LIMIT $3) AS log
      LEFT JOIN LATERAL (
        SELECT container, environment, owner FROM databases
        WHERE bucket = $1 AND id = log.database OFFSET 0) AS databases ON true
      LEFT JOIN LATERAL (
        SELECT name FROM zones WHERE bucket = $1 AND id = log.zone OFFSET 0) AS zones ON true
    ORDER BY position
    """)
}

// MARK: Events as columns

extension PostgresLog {
  /// From `kind` to `environment`.
  private func columns(
    of event: LogEntry.Event, in database: DatabaseKey
  ) throws -> [SQLValue] {
    switch event {
    case .record(let change):
      [
        .integer(LogEventKind.record.rawValue), try number(change.record.zone, in: database),
        .text(change.record.name), .text(change.recordType), .text(String(change.kind.rawValue)),
        .integer(change.image?.sequence), .bytes(change.image.map(coder.bytes(of:))),
        .text(Lines.column(change.coveringShares)), .null, .null,
      ]
    case .zoneCreated(let zone): try columns(.zoneCreated, zone, in: database)
    case .zoneDeleted(let zone): try columns(.zoneDeleted, zone, in: database)
    case .membership(let user, let zone):
      try columns(.membership, zone, in: database, name: user.name)
    case .subscription(let scope, let id):
      [
        .integer(LogEventKind.subscription.rawValue), .null, .text(id), .text(scope.scope.rawValue),
        .text(scope.user.name), .null, .null, .null,
      ] + scope.containerEnvironment.values
    }
  }

  /// A zone of another database may be in another bucket and stands there in words: owner, name, and where
  /// its database is.
  private func columns(
    _ kind: LogEventKind, _ zone: ZoneKey, in database: DatabaseKey, name: String? = nil
  ) throws -> [SQLValue] {
    let start = [SQLValue.integer(kind.rawValue)]
    if zone.database == database {
      let number = try number(zone, in: database)
      return start + [number, .text(name)] + Array(repeating: .null, count: 7)
    }
    let owner = zone.database.ownerColumn
    return start + [.null, .text(name), .text(owner), .text(zone.name), .null, .null, .null]
      + zone.database.containerEnvironment.values
  }

  private func number(_ zone: ZoneKey, in database: DatabaseKey) throws -> SQLValue {
    guard zone.database == database else {
      throw StoreError(.corrupt, "a record's change is logged in another database than its own")
    }
    return .integer(try places.givenNumber(of: zone))
  }
}

extension Row {
  /// Whether an entry fits its checksum.
  var isWholeEntry: Bool { isWholeEntry(PostgresLog.columnsOfEntry) }

  /// The same of a row with other columns.
  ///
  /// - Parameter columns: where those of the table are, in its order; the last is the checksum.
  func isWholeEntry(_ columns: [Int32]) -> Bool {
    guard let sum = optionalInteger(columns[17]) else { return true }
    return sumOfEntry(columns) == sum
  }

  /// The checksum of an entry as `findImages` answers it, with NULL for its image. Nil: it is damaged.
  fileprivate var sumWithoutImage: Int64? {
    let columns = [Int32](0...17)
    return isWholeEntry(columns) ? sumOfEntry(columns, hasImage: false) : nil
  }

  private func sumOfEntry(_ columns: [Int32], hasImage: Bool = true) -> Int64 {
    var made = RowSum()
    for column in columns[..<5] { add(integer: column, to: &made) }
    for column in columns[5..<8] { add(text: column, to: &made) }
    add(integer: columns[8], to: &made)
    if hasImage { add(bytes: columns[9], to: &made) } else { made.addNull() }
    for column in columns[10..<16] { add(text: column, to: &made) }
    add(integer: columns[16], to: &made)
    return made.value
  }

  fileprivate func event(_ coder: RecordCoder) throws -> LogEntry.Event {
    switch try known(LogEventKind(rawValue: integer(4)), "log entry") {
    case .record: .record(try change(coder))
    case .zoneCreated: .zoneCreated(try zone())
    case .zoneDeleted: .zoneDeleted(try zone())
    case .membership: .membership(UserID(text(5)), try zone())
    case .subscription: .subscription(try scope(), id: text(5))
    }
  }

  private func change(_ coder: RecordCoder) throws -> RecordChange {
    let (name, type) = (text(5), text(6))
    let image = optionalBytes(9).map {
      StoredRecord(name: name, type: type, sequence: integer(8), content: .encoded($0, coder))
    }
    return RecordChange(
      record: RecordKey(zone: try zone(), name: name), recordType: type,
      kind: try known(Int(text(7)).flatMap(RecordChange.Kind.init), "kind of change"),
      image: image, coveringShares: Lines.texts(ofColumn: optionalText(10)))
  }

  private func zone() throws -> ZoneKey {
    if let name = optionalText(17) { return ZoneKey(database: try database(1), name: name) }
    let database = DatabaseKey(in: try containerEnvironment(15), ownerColumn: text(6))
    return ZoneKey(database: database, name: text(7))
  }

  private func scope() throws -> SubscriptionScope {
    SubscriptionScope(
      in: try containerEnvironment(15),
      scope: try known(DatabaseScope(rawValue: text(6)), "scope"), user: UserID(text(7)))
  }
}
