// The writer puts rows of a move into PostgreSQL.

import BrumeModel
import BrumeStorage

final class MovedRowWriter {
  private let session: Session
  private let places: Places
  /// The last position that was given to what waits or is kept.
  private var delivery: Int64
  private let floor: Int64

  /// - Parameter lastDelivery: the last position that there is in the target.
  init(_ session: Session, _ places: Places, _ source: StoreOutline, lastDelivery: Int64) {
    self.session = session
    self.places = places
    delivery = max(lastDelivery, source.lastDelivery)
    floor = source.sequenceFloor
  }

  /// None that a moved row gets is above it.
  static func lastDelivery(_ source: StoreOutline) -> Int64 { source.lastDelivery + 1 << 32 }

  func put(_ row: MovedRow) throws {
    switch row.table {
    case .databases:
      let database = try row.database()
      places.put(
        database, try places.givenNumber(of: database), sequence: try row.integer("sequence"),
        floor: floor)
    case .zones:
      let zone = try row.zone()
      try places.put(
        zone, try places.givenNumber(of: zone), row.values.dropFirst(4).map { SQLValue($0) })
    case .memberships:
      session.put(try values(row), in: PostgresShares.members)
      session.put(
        [try places.bucketValue(of: row.userDatabase())]
          + ["container", "environment", "user", "zone", "owner", "share"].map { SQLValue(row[$0]) },
        in: PostgresShares.memberships)
    default:
      session.put(try values(row), in: MovedTables.table(row.table))
    }
  }

  /// In the order of the columns of `MovedTables`.
  private func values(_ row: MovedRow) throws -> [SQLValue] {
    let own = row.values.map { SQLValue($0) }
    switch row.table {
    case .settings: return [try bucketOfSetting(row)] + own
    case .records, .references, .assetHolders, .memberships:
      return try zone(row) + own.dropFirst(4)
    case .subscriptions:
      return [try places.bucketValue(of: row.subscriptionScope().logDatabase)] + own
    case .devices, .badges: return [try places.bucketValue(of: row.userDatabase())] + own
    case .mailboxes, .keptNotifications:
      delivery += 1
      let index = row.table.keyLength - 1
      return [try places.bucketValue(of: row.userDatabase())] + own[..<index] + [.integer(delivery)]
        + own[(index + 1)...]
    case .log: return try logValues(row)
    default: return own
    }
  }

  // MARK: Buckets and numbers

  private func bucketOfSetting(_ row: MovedRow) throws -> SQLValue {
    let database = SettingKey.database(ofText: try row.text("name"))
    return database.map { places.bucketValue(of: $0) } ?? .integer(PostgresSettings.noBucket)
  }

  private func zone(_ row: MovedRow) throws -> [SQLValue] {
    let zone = try row.zone()
    return try places.values(places.givenNumber(of: zone), in: zone.database)
  }

  // MARK: Values

  private func logValues(_ row: MovedRow) throws -> [SQLValue] {
    let place = try LogPositions(text: row.text("place"))
    guard let bucket = place.buckets.first else { throw row.unreadable("it has no place") }
    let zone = try row.eventZone().map { try places.givenNumber(of: $0) }
    let rest = row.values.dropFirst(10).map { SQLValue($0) }
    let database = try places.givenNumber(of: row.database())
    return [.integer(bucket.number), .integer(place[bucket]), .integer(database)]
      + [SQLValue(row["kind"]), .integer(zone)] + rest
  }
}

extension SQLValue {
  fileprivate init(_ value: MovedValue) {
    switch value {
    case .null: self = .null
    case .integer(let number): self = .integer(number)
    case .text(let text): self = .text(text)
    case .bytes(let bytes): self = .bytes(bytes)
    }
  }
}

/// The tables into which rows go as they are, but for a bucket and numbers in front.
private enum MovedTables {
  static func table(_ table: MovedTable) -> Table {
    guard let found = all[table] else { preconditionFailure("\(table) has a way of its own") }
    return found
  }

  private static let all: [MovedTable: Table] = [
    .settings: PostgresSettings.table, .users: plain(.users, "users"),
    .identities: plain(.identities, "identities"), .apiTokens: plain(.apiTokens, "api_tokens"),
    .serverKeys: plain(.serverKeys, "server_keys"),
    .usedSignatures: plain(.usedSignatures, "used_signatures"),
    .roles: plain(.roles, "role_members"), .records: inZone(.records, "records", isSummed: true),
    .references: inZone(.references, "record_references"),
    .assetHolders: inZone(.assetHolders, "asset_holders"),
    .assetFiles: plain(.assetFiles, "asset_files"),
    .assetUploads: plain(.assetUploads, "asset_uploads"),
    .assetDiscards: plain(.assetDiscards, "asset_discards"),
    .shortGUIDs: plain(.shortGUIDs, "short_guids"),
    .subscriptions: plain(.subscriptions, "subscriptions", inBucket: true),
    .devices: plain(.devices, "devices", inBucket: true),
    .mailboxes: plain(.mailboxes, "mailbox", inBucket: true),
    .keptNotifications: plain(.keptNotifications, "kept_notifications", inBucket: true),
    .badges: plain(.badges, "badges", inBucket: true), .webhooks: plain(.webhooks, "webhooks"),
    .apnsSenders: plain(.apnsSenders, "apns_senders"), .pushLog: plain(.pushLog, "push_log"),
    .operators: plain(.operators, "operators"),
    .operatorCredentials: plain(.operatorCredentials, "operator_credentials"),
    .audit: plain(.audit, "audit"),
    .log: log,
  ]

  private static func plain(
    _ table: MovedTable, _ name: String, inBucket: Bool = false
  ) -> Table {
    make(table, name, skipping: 0, before: inBucket ? [("bucket", .integer)] : [])
  }

  private static func inZone(
    _ table: MovedTable, _ name: String, isSummed: Bool = false
  ) -> Table {
    make(
      table, name, skipping: 4, before: [("bucket", .integer), ("zone", .integer)],
      isSummed: isSummed)
  }

  private static let log = make(
    "log", key: [("bucket", .integer), ("position", .integer)],
    [("database", .integer), ("kind", .integer), ("zone", .integer)]
      + MovedTable.log.columns.dropFirst(10).map { column($0, .log) }, isSummed: true)

  private static func make(
    _ table: MovedTable, _ name: String, skipping: Int, before: [Table.Column],
    isSummed: Bool = false
  ) -> Table {
    let columns = table.columns.map { column($0, table) }
    return make(
      name, key: before + columns[skipping..<table.keyLength],
      Array(columns[table.keyLength...]), isSummed: isSummed)
  }

  /// Every row is new.
  private static func make(
    _ name: String, key: [Table.Column], _ columns: [Table.Column], isSummed: Bool = false
  ) -> Table {
    let all = (key + columns).map(\.name) + (isSummed ? ["checksum"] : [])
    let names = all.joined(separator: ", ")
    return Table(name, key: key, columns: columns, isSummed: isSummed) { given in
      "INSERT INTO \(name) (\(names)) SELECT \(names) FROM \(given)"
    }
  }

  private static func column(_ column: MovedColumn, _ table: MovedTable) -> Table.Column {
    let type: SQLType =
      switch column.kind {
      case .integer: .integer
      case .text, .positions, .place: .text
      case .bytes: .bytes
      }
    return (name(column.name, table), type)
  }

  /// Those that have another name here.
  private static func name(_ name: String, _ table: MovedTable) -> String {
    switch (name, table) {
    case ("user", .log): "\"user\""
    case ("user", _): "user_id"
    case ("ordinal", _): "position"
    case ("zone", .shortGUIDs): "zone_name"
    case ("event_container", _): "container"
    case ("event_environment", _): "environment"
    default: name
    }
  }
}
