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

  func lastPosition() throws -> Int64 { positions.last }

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
    let isNew =
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
        }
      } > 0
    if isNew {
      if let count = counts[number] { counts[number] = count + 1 }
      return position
    }
    // It waits already.
    let waiting = try connection.first(
      Self.findSame,
      {
        $0.bind(1, number)
        $0.bind(2, entry.notificationID)
        $0.bind(3, entry.subscriptionID)
      }
    ) { $0.int(0) }
    return waiting ?? position
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

  private static let find = SQL(
    """
    SELECT position, notification, subscription, collapse, payload, time, request,
      \(SummedTable.mailbox.fits)
    FROM mailbox WHERE device = ?1 AND position > ?2 ORDER BY position LIMIT ?3
    """)
  private static let count = SQL("SELECT count(*) FROM mailbox WHERE device = ?1")
  private static let findSame = SQL(
    "SELECT position FROM mailbox WHERE device = ?1 AND notification = ?2 AND subscription = ?3")
  private static let add = SQL(
    """
    INSERT INTO mailbox
      (device, notification, subscription, collapse, payload, time, request, position, checksum)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, row_sum(?8, ?1, ?2, ?3, ?4, ?5, ?6, ?7))
    ON CONFLICT (device, notification, subscription) DO NOTHING
    """)
  private static let acknowledge = SQL("DELETE FROM mailbox WHERE device = ?1 AND position <= ?2")
  private static let remove = SQL("DELETE FROM mailbox WHERE device = ?1 AND position = ?2")
  private static let removeAll = SQL("DELETE FROM mailbox WHERE device = ?1")
}
