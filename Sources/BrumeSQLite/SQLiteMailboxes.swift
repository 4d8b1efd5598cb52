// Mailboxes in SQLite: what waits for a device until it acknowledges.

import BrumeModel
import BrumeStorage

final class SQLiteMailboxes: MailboxWriting, Remembering {
  private let connection: Connection
  private let numbers: DeviceNumbers
  private let positions: DeliveryPositions
  private let isWriter: Bool
  /// Entries in a device's mailbox, by its number.
  private var counts: [Int64: Int] = [:]

  init(
    _ connection: Connection, _ numbers: DeviceNumbers, _ positions: DeliveryPositions,
    isWriter: Bool
  ) {
    self.connection = connection
    self.numbers = numbers
    self.positions = positions
    self.isWriter = isWriter
  }

  func entries(
    of device: DeviceKey, after position: Int64, limit: Int
  ) throws -> [MailboxEntry] {
    guard let number = try numbers.number(of: device) else { return [] }
    return try connection.all(
      Self.find,
      {
        $0.bind(1, number)
        $0.bind(2, position)
        $0.bind(3, limit)
      }
    ) { row in
      guard row.bool(7) else { return damagedEntry(at: row.int(0)) }
      return MailboxEntry(
        position: row.int(0), notificationID: row.text(1), subscriptionID: row.text(2),
        collapseID: row.optionalText(3), payload: row.blob(4), time: row.int(5),
        requestID: row.text(6))
    }
  }

  /// One without contents, which its reader takes out of the mailbox as one that cannot be read.
  private func damagedEntry(at position: Int64) -> MailboxEntry {
    connection.damaged.note("mailbox", "position \(position)")
    return MailboxEntry(
      position: position, notificationID: "", subscriptionID: "", collapseID: nil, payload: [],
      time: 0, requestID: "")
  }

  func lastPosition(in bucket: Bucket) throws -> Int64 { positions.last }

  func count(of device: DeviceKey) throws -> Int {
    guard let number = try numbers.number(of: device) else { return 0 }
    if isWriter, let known = counts[number] { return known }
    let count = try connection.first(Self.count, { $0.bind(1, number) }) { Int($0.int(0)) } ?? 0
    if isWriter { counts[number] = count }
    return count
  }

  func enqueue(_ entry: MailboxEntry, to device: DeviceKey) throws -> Int64 {
    let number = try numbers.givenNumber(of: device)
    let position = positions.next()
    var digest = Self.digest(of: entry)
    while try !add(entry, number, position, digest) {
      if let waiting = try self.position(of: entry, number, digest) { return waiting }
      // Another notification has the same digest. What waits is compared, not its digest alone: chance must
      // not lose a push.
      digest &+= 1
    }
    if let count = counts[number] { counts[number] = count + 1 }
    return position
  }

  /// Answers whether nothing with this digest waits.
  private func add(
    _ entry: MailboxEntry, _ number: Int64, _ position: Int64, _ digest: Int64
  ) throws -> Bool {
    try connection.changes {
      try connection.run(Self.add) {
        $0.bind(1, number)
        $0.bind(2, entry.notificationID)
        $0.bind(3, entry.subscriptionID)
        $0.bind(4, entry.collapseID)
        $0.bind(5, entry.payload)
        $0.bind(6, entry.time)
        $0.bind(7, entry.requestID)
        $0.bind(8, position)
        $0.bind(9, digest)
      }
    } > 0
  }

  /// Where the same notification waits.
  private func position(
    of entry: MailboxEntry, _ number: Int64, _ digest: Int64
  ) throws -> Int64? {
    try connection.first(
      Self.findSame,
      {
        $0.bind(1, number)
        $0.bind(2, digest)
        $0.bind(3, entry.notificationID)
        $0.bind(4, entry.subscriptionID)
      }
    ) { $0.int(0) }
  }

  /// Of what keeps the notifications of a mailbox apart; the same as `row_sum(notification, subscription)`.
  static func digest(of entry: MailboxEntry) -> Int64 {
    var sum = RowSum()
    sum.add(entry.notificationID)
    sum.add(entry.subscriptionID)
    return sum.value
  }

  func acknowledge(through position: Int64, by device: DeviceKey) throws {
    guard let number = try numbers.number(of: device) else { return }
    try remove(from: number) {
      try connection.run(Self.acknowledge) {
        $0.bind(1, number)
        $0.bind(2, position)
      }
    }
  }

  func remove(at position: Int64, of device: DeviceKey) throws {
    guard let number = try numbers.number(of: device) else { return }
    try remove(from: number) {
      try connection.run(Self.remove) {
        $0.bind(1, number)
        $0.bind(2, position)
      }
    }
  }

  /// The device goes.
  func removeAll(of number: Int64) throws {
    counts[number] = nil
    try connection.run(Self.removeAll) { $0.bind(1, number) }
  }

  private func remove(from number: Int64, _ deletion: () throws -> Void) throws {
    let removed = try connection.changes(deletion)
    if let count = counts[number] { counts[number] = count - removed }
  }

  func bodyBegins() { if counts.count > Remembered.limit { forget() } }

  func forget() { counts = [:] }

  /// A mailbox is found by the index that keeps its notifications apart: they are few, and their positions
  /// are sorted. An index by position would be one more place that each push to each device is written to.
  private static let find = SQL(
    """
    SELECT position, notification, subscription, collapse, payload, time, request,
      \(SummedTable.mailbox.fits(at: ["device": "?1"]))
    FROM mailbox WHERE position IN (
      SELECT position FROM mailbox WHERE device = ?1 AND +position > ?2 ORDER BY position LIMIT ?3)
    ORDER BY position
    """)
  private static let count = SQL("SELECT count(*) FROM mailbox WHERE device = ?1")
  private static let findSame = SQL(
    """
    SELECT position FROM mailbox
    WHERE device = ?1 AND digest = ?2 AND notification = ?3 AND subscription = ?4
    """)
  private static let add = SQL(
    """
    INSERT INTO mailbox (
      device, notification, subscription, collapse, payload, time, request, position, digest,
      checksum)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, row_sum(?8, ?1, ?2, ?3, ?4, ?5, ?6, ?7))
    ON CONFLICT (device, digest) DO NOTHING
    """)
  // By the index, as they are found: a row whose device is damaged would stay, and be sent for ever.
  private static let acknowledge = SQL("DELETE FROM mailbox WHERE device = ?1 AND +position <= ?2")
  private static let remove = SQL("DELETE FROM mailbox WHERE device = ?1 AND +position = ?2")
  private static let removeAll = SQL("DELETE FROM mailbox WHERE device = ?1")
}
