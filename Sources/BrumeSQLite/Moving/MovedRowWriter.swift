// The writer puts rows of a move into SQLite.

import BrumeModel
import BrumeStorage

final class MovedRowWriter {
  private let connection: Connection
  private let numbers: DatabaseNumbers
  private let devices: DeviceNumbers
  /// The last position in a mailbox or among kept notifications.
  private var delivery: Int64

  init(_ connection: Connection, _ numbers: DatabaseNumbers, _ source: StoreOutline) throws {
    self.connection = connection
    self.numbers = numbers
    devices = DeviceNumbers(connection, isWriter: false)
    let last = try connection.first(Self.lastDelivery) { $0.int(0) } ?? 0
    delivery = max(last, Self.start(source) * DeliveryPositions.perStart)
  }

  /// The start of the store in which what is moved counts as given: later than any of the source's.
  static func start(_ source: StoreOutline) -> Int64 {
    source.lastDelivery / DeliveryPositions.perStart + 1
  }

  func put(_ row: MovedRow) throws {
    let (sql, values) = try statement(row)
    try connection.run(sql) { statement in
      for (index, value) in values.enumerated() { statement.bind(Int32(index + 1), value) }
    }
  }

  private func statement(_ row: MovedRow) throws -> (SQL, [MovedValue]) {
    switch row.table {
    case .settings: (SQLiteSettings.put, [.text("port/\(try row.text("name"))"), row["value"]])
    case .users, .identities, .apiTokens, .serverKeys, .usedSignatures, .roles, .assetFiles,
      .assetUploads, .assetDiscards, .apnsSenders, .pushLog, .operators, .operatorCredentials,
      .audit:
      (Self.plain(row.table), row.values)
    case .databases: (Self.database, row.values)
    case .zones:
      (Self.zone, [try database(row)] + row.values.dropFirst(3) + [try nextZone()])
    case .records, .references, .assetHolders:
      (Self.inZone(row.table), [try zone(row)] + row.values.dropFirst(4))
    case .memberships: (Self.membership, [row["user"], try zone(row), row["share"]])
    case .shortGUIDs: (Self.shortGUID, [row["guid"], try zone(row), row["name"]])
    case .subscriptions: (Self.subscription, try replacing("starts", row))
    case .devices: (Self.device, Array(row.values[..<7]) + [row["registered"], detail(row)])
    case .mailboxes: (Self.mailbox, [nextDelivery(), try device(row)] + row.values.dropFirst(5))
    case .keptNotifications:
      (Self.kept, [nextDelivery(), try inbox(row)] + row.values.dropFirst(4))
    case .badges: (Self.badge, row.values)
    case .webhooks: (Self.webhook, try replacing("log_positions", row))
    case .log: (Self.log, try logValues(row))
    }
  }

  // MARK: Numbers

  private func database(_ row: MovedRow) throws -> MovedValue {
    .integer(try numbers.givenNumber(of: row.database()))
  }

  private func zone(_ row: MovedRow) throws -> MovedValue {
    .integer(try numbers.givenNumber(of: row.zone()))
  }

  /// The number that SQLite would give, which the row's checksum is of.
  private func nextZone() throws -> MovedValue {
    .integer((try connection.first(Self.lastZone) { $0.int(0) } ?? 0) + 1)
  }

  private func device(_ row: MovedRow) throws -> MovedValue {
    let key = DeviceKey(
      in: try row.containerEnvironment(), user: UserID(try row.text("user")),
      device: DeviceID(try row.text("device")))
    return .integer(try devices.givenNumber(of: key))
  }

  private func inbox(_ row: MovedRow) throws -> MovedValue {
    let bind: (Prepared) -> Void = { statement in
      for index in 0..<3 { statement.bind(Int32(index + 1), row.values[index]) }
    }
    try connection.run(Self.addInbox) {
      bind($0)
      $0.bind(4, 0)
    }
    return .integer(try connection.first(Self.findInbox, bind) { $0.int(0) } ?? 0)
  }

  private func nextDelivery() -> MovedValue {
    delivery += 1
    return .integer(delivery)
  }

  // MARK: Values

  /// A store with one bucket has one position where others have many.
  private func replacing(_ column: String, _ row: MovedRow) throws -> [MovedValue] {
    let position = MovedValue.integer(try LogPositions(text: row.text(column))[.only])
    return zip(row.table.columns, row.values).map { $0.name == column ? position : $1 }
  }

  private func detail(_ row: MovedRow) -> MovedValue {
    guard let key = row["push_key"].bytes, let secret = row["push_secret"].bytes else {
      return row["topic"]
    }
    return .text([key, secret].map { Base64.text($0) }.joined(separator: " "))
  }

  private func logValues(_ row: MovedRow) throws -> [MovedValue] {
    let place = try LogPositions(text: row.text("place"))
    let zone = try row.eventZone().map { MovedValue.integer(try numbers.givenNumber(of: $0)) }
    return [.integer(place[.only]), try database(row), row["kind"], zone ?? .null]
      + row.values.dropFirst(10)
  }
}

// MARK: Statements

extension MovedRowWriter {
  private static let lastDelivery = SQL(
    """
    SELECT max(ifnull((SELECT max(position) FROM mailbox), 0),
      ifnull((SELECT max(position) FROM kept_notifications), 0))
    """)
  private static let database = SQL(
    """
    INSERT INTO databases (container, environment, owner, sequence, checksum, sequence_checksum)
    VALUES (?1, ?2, ?3, ?4, row_sum(?1, ?2, ?3), row_sum(?1, ?2, ?3, ?4))
    ON CONFLICT DO UPDATE
      SET sequence = excluded.sequence, sequence_checksum = excluded.sequence_checksum
    """)
  private static let zone = SQL(
    SummedTable.zones.insert(
      ["database", "name", "incarnation", "last_sequence", "deletion", "has_shares", "id"]))
  private static let lastZone = SQL("SELECT max(id) FROM zones")
  private static let membership = SQL(SummedTable.memberships.insert())
  private static let shortGUID = SQL(SummedTable.shortGUIDs.insert())
  private static let subscription = SQL(
    SummedTable.subscriptions.insert(["serial"] + SummedTable.subscriptions.columns))
  private static let device = SQL(SummedTable.devices.insertNext())
  private static let mailbox = SQL(
    """
    INSERT INTO mailbox (
      position, device, notification, subscription, collapse, payload, time, request, checksum,
      digest)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, row_sum(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8),
      row_sum(?3, ?4))
    """)
  private static let kept = SQL(SummedTable.kept.insert())
  private static let addInbox = SQL(
    SummedTable.inboxes.insertNext(ending: "ON CONFLICT DO NOTHING"))
  private static let findInbox = SQL(
    "SELECT id FROM inboxes WHERE container = ?1 AND environment = ?2 AND user = ?3")
  private static let badge = SQL(
    SummedTable.inboxes.insertNext(
      ending: """
        ON CONFLICT (container, environment, user) DO UPDATE
          SET badge = excluded.badge, checksum = row_sum(?1, ?2, ?3, ?4, id)
        """))
  /// Without a batch that is on its way.
  private static let webhook = SQL(
    SummedTable.webhooks.insert(SummedTable.webhooks.columns.filter { $0 != "batch_end" }))
  private static let log = SQL(
    """
    INSERT INTO log
      (position, database, kind, zone, name, type, subject, sequence, image, shares, container,
      environment, user, device, request, time, checksum, image_checksum)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16,
      row_sum(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?10, ?13, ?14, ?15, ?16, ?11, ?12),
      row_sum(?1, ?9))
    """)

  private static let zoneTables: [MovedTable: SQL] = [
    .records: SQL(SummedTable.records.insert()),
    .references: SQL(
      "INSERT INTO record_references (zone, target, action, name) VALUES (?1, ?2, ?3, ?4)"),
    .assetHolders: SQL("INSERT INTO asset_holders (zone, name, checksum) VALUES (?1, ?2, ?3)"),
  ]

  /// Tables whose columns are those of the move.
  private static let plainTables: [MovedTable: SQL] = [
    (MovedTable.users, SummedTable.users), (.identities, .identities), (.apiTokens, .apiTokens),
    (.serverKeys, .serverKeys), (.usedSignatures, .usedSignatures), (.roles, .roleMembers),
    (.assetFiles, .assetFiles), (.assetUploads, .assetUploads), (.assetDiscards, .assetDiscards),
    (.apnsSenders, .apnsSenders), (.pushLog, .pushLog), (.operators, .operators),
    (.operatorCredentials, .operatorCredentials), (.audit, .audit),
  ].reduce(into: [:]) { tables, table in
    // The senders' number is called otherwise here.
    let names = table.0.columns.map { $0.name == "serial" ? "id" : $0.name }
    tables[table.0] = SQL(table.1.insert(names))
  }

  private static func plain(_ table: MovedTable) -> SQL { known(plainTables[table]) }
  private static func inZone(_ table: MovedTable) -> SQL { known(zoneTables[table]) }

  private static func known(_ sql: SQL?) -> SQL {
    guard let sql else { preconditionFailure("a table of the move has no statement") }
    return sql
  }
}

extension Prepared {
  fileprivate func bind(_ index: Int32, _ value: MovedValue) {
    switch value {
    case .null: bind(index, nil as Int64?)
    case .integer(let number): bind(index, number)
    case .text(let text): bind(index, text)
    case .bytes(let bytes): bind(index, bytes)
    }
  }
}
