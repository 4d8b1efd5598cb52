// Mailboxes in PostgreSQL: what waits for a device until it acknowledges.
//
// A notification goes to all devices of a user, and a change to many users, so a transaction that puts
// something asks for all mailboxes of an account at once, under the lock of the bucket's mailboxes, and knows
// from then on what is in them.

import BrumeModel
import BrumeStorage

final class PostgresMailboxes: MailboxWriting, Remembering {
  private let session: Session
  private let places: Places
  private let locks: Locks
  /// All mailboxes of an account in which something waits or waited, by the names of devices.
  private var known: [AccountKey: [ByteText: Mailbox]] = [:]

  init(_ session: Session, _ places: Places, _ locks: Locks) {
    self.session = session
    self.places = places
    self.locks = locks
  }

  // MARK: Reading

  func entries(
    of device: DeviceKey, after position: Int64, limit: Int
  ) throws -> [MailboxEntry] {
    if let known = known(device)?.entries(after: position, limit: limit) { return known }
    return try session.all(
      Self.find, places.values(device) + [.integer(position), .integer(limit)]
    ) { $0.mailboxEntry() }
  }

  /// A writer that asks is about to put something there.
  func count(of device: DeviceKey) throws -> Int {
    if locks.isWriter { return try mailbox(of: device).count }
    return try session.first(Self.count, places.values(device)) { Int($0.integer(0)) } ?? 0
  }

  func lastPosition(in bucket: Bucket) throws -> Int64 {
    try session.first(Self.findLast, [.integer(bucket.number)]) { $0.integer(0) } ?? 0
  }

  /// Nil if nobody has asked.
  private func known(_ device: DeviceKey) -> Mailbox? {
    known[device.account].map { $0[ByteText(device.device.name)] ?? Mailbox() }
  }

  private func mailbox(of device: DeviceKey) throws -> Mailbox {
    if let known = known(device) { return known }
    try session.ask(questions(device.account))
    return known(device) ?? Mailbox()
  }

  // MARK: Writing

  func enqueue(_ entry: MailboxEntry, to device: DeviceKey) throws -> Int64 {
    if let waiting = try mailbox(of: device).position(of: entry) { return waiting }
    var entry = entry
    entry.position = try locks.next(.mailboxes, in: places.bucket(of: device.account))
    session.put(
      row(device, entry.position) + [
        .text(entry.notificationID), .text(entry.subscriptionID), .text(entry.collapseID),
        .bytes(entry.payload), .integer(entry.time), .text(entry.requestID),
      ], in: Self.table)
    change(device) { $0.add(entry) }
    return entry.position
  }

  func acknowledge(through position: Int64, by device: DeviceKey) throws {
    guard let known = known(device) else {
      return session.run(Self.acknowledge, row(device, position))
    }
    for passed in known.positions(through: position) {
      session.remove(row(device, passed), from: Self.table)
    }
    change(device) { $0.removeAll(through: position) }
  }

  func remove(at position: Int64, of device: DeviceKey) throws {
    session.remove(row(device, position), from: Self.table)
    change(device) { $0.remove(at: position) }
  }

  /// The device goes.
  func removeAll(of device: DeviceKey) throws { try acknowledge(through: .max, by: device) }

  private func change(_ device: DeviceKey, _ change: (inout Mailbox) -> Void) {
    let (account, name) = (device.account, ByteText(device.device.name))
    guard known[account] != nil else { return }
    change(&known[account, default: [:]][name, default: Mailbox()])
  }

  private func row(_ device: DeviceKey, _ position: Int64) -> [SQLValue] {
    places.values(device) + [.integer(position)]
  }

  // MARK: All mailboxes of a bucket

  func lastPositions() throws -> [Bucket: Int64] {
    let rows = try session.all(Self.findAllLast) { (Bucket(Int($0.integer(0))), $0.integer(1)) }
    return Dictionary(uniqueKeysWithValues: rows)
  }

  func newEntries(
    in bucket: Bucket, after position: Int64, limit: Int
  ) throws -> [NewMailboxEntry] {
    try session.all(
      Self.findNew, [.integer(bucket.number), .integer(position), .integer(limit)]
    ) { row in
      NewMailboxEntry(
        device: DeviceKey(
          in: try row.containerEnvironment(7), user: UserID(row.text(9)),
          device: DeviceID(row.text(10))),
        channel: try row.optionalText(11).map {
          try row.known(Device.Channel.Kind(rawValue: $0), "channel")
        },
        entry: row.mailboxEntry())
    }
  }

  // MARK: Plans

  /// For a transaction that is going to write: all that waits for an account's devices, after the lock
  /// that keeps it so.
  func questions(_ account: AccountKey) -> [Question] {
    if known[account] != nil { return [] }
    let load = Question(Self.load, places.values(account) + [.integer(Self.loaded)]) {
      [self] rows in
      known[account] = rows.map { ($0.text(7), $0.mailboxEntry(), $0.flag(8)) }.reduce(into: [:]) {
        mailboxes, row in
        let (device, entry, isWhole) = row
        mailboxes[ByteText(device), default: Mailbox()].add(entry, isWhole: isWhole)
      }
    }
    return locks.missing(.mailboxes, in: places.bucket(of: account)) + [load]
  }

  func forget() { known = [:] }

  /// Ours: entries of each mailbox that come with their payloads. The newest are those that merge with
  /// what is put after them, or move.
  private static let loaded = 4
}

// MARK: Statements

extension PostgresMailboxes {
  private static let table = Table(
    "mailbox", key: AccountKey.columns + [("device", .text), ("position", .integer)],
    columns: [
      ("notification", .text), ("subscription", .text), ("collapse", .text), ("payload", .bytes),
      ("time", .integer), ("request", .text),
    ])
  private static let columns =
    "position, notification, subscription, collapse, time, request"
  private static let place = "\(AccountKey.condition) AND device = $5"
  private static let find = SQL(
    """
    SELECT \(columns), payload FROM mailbox WHERE \(place) AND position > $6
    ORDER BY position LIMIT $7
    """)
  private static let load = SQL(
    """
    SELECT \(columns), CASE WHEN age <= $5 THEN payload END, device,
      CASE WHEN age <= $5 THEN 1::bigint ELSE 0 END
    FROM (
      SELECT *, row_number() OVER (PARTITION BY device ORDER BY position DESC) AS age
      FROM mailbox WHERE \(AccountKey.condition)) AS waiting
    ORDER BY device, position
    """)
  private static let count = SQL("SELECT count(*) FROM mailbox WHERE \(place)")
  private static let findLast = SQL("SELECT last FROM mail WHERE bucket = $1")
  static let findAllLast = SQL("SELECT bucket, last FROM mail WHERE last > 0")
  private static let findNew = SQL(
    """
    SELECT \(columns), payload, new.container, new.environment, new.user_id, new.device, channel
    FROM (SELECT * FROM mailbox WHERE bucket = $1 AND position > $2 ORDER BY position LIMIT $3) AS new
      LEFT JOIN devices ON \(AccountKey.same("devices", "new")) AND devices.device = new.device
    ORDER BY position
    """)
  private static let acknowledge = SQL("DELETE FROM mailbox WHERE \(place) AND position <= $6")
}

extension Row {
  fileprivate func mailboxEntry() -> MailboxEntry {
    MailboxEntry(
      position: integer(0), notificationID: text(1), subscriptionID: text(2),
      collapseID: optionalText(3), payload: bytes(6), time: integer(4), requestID: text(5))
  }
}
