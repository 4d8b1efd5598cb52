// Notifications kept for a user, and the badge, in SQLite.

import BrumeModel
import BrumeStorage

private struct Inbox {
  let number: Int64
  /// Notifications in it.
  var count: Int
}

final class SQLiteNotifications: NotificationWriting, Remembering {
  /// Ours: fewer inboxes than other things are enough. A change to very many asks for each of theirs once.
  private static let inboxLimit = 10_000

  private let connection: Connection
  private let positions: DeliveryPositions
  private var inboxes: [AccountKey: Inbox] = [:]

  init(_ connection: Connection, _ positions: DeliveryPositions) {
    self.connection = connection
    self.positions = positions
  }

  func kept(
    for user: UserID, in containerEnvironment: ContainerEnvironment, after position: Int64,
    limit: Int
  ) throws -> [KeptNotification] {
    guard let inbox = try inbox(user, containerEnvironment) else { return [] }
    return try connection.all(
      Self.find,
      {
        $0.bind(1, inbox)
        $0.bind(2, position)
        $0.bind(3, limit)
      }
    ) { row in
      KeptNotification(
        position: row.int(0), id: row.text(1), subscriptionID: row.text(2),
        payload: payload(row, 3, fits: 5), isRead: row.bool(4))
    }
  }

  func keep(
    _ notification: KeptNotification, for user: UserID,
    in containerEnvironment: ContainerEnvironment, limit: Int
  ) throws {
    let accountKey = AccountKey(user, containerEnvironment)
    var inbox = try counted(accountKey)
    inbox.count += try connection.changes { try add(notification, to: inbox.number) }
    let excess = inbox.count - max(0, limit)
    if excess > 0 {
      inbox.count -= try connection.changes {
        try connection.run(Self.dropOldest) {
          $0.bind(1, inbox.number)
          $0.bind(2, excess)
        }
      }
    }
    if inboxes.count >= Self.inboxLimit { forget() }
    inboxes[accountKey] = inbox
  }

  func markRead(
    _ ids: [KeptNotificationID], of user: UserID, in containerEnvironment: ContainerEnvironment
  ) throws -> [KeptNotificationID] {
    guard let inbox = try inbox(user, containerEnvironment) else { return [] }
    var found: [KeptNotificationID] = []
    var (asked, moved) = (Set<ByteText>(), Set<ByteText>())
    for id in ids where asked.insert(id.byteText).inserted {
      let rows = try read(id, in: inbox)
      for kept in rows where moved.insert(ByteText(parts: kept.id, kept.subscriptionID)).inserted {
        try connection.run(Self.remove) { $0.bind(1, kept.position) }
        try add(kept, to: inbox)
      }
      if !rows.isEmpty { found.append(id) }
    }
    return found
  }

  /// Those that an ID means, as they are once they are read.
  private func read(_ id: KeptNotificationID, in inbox: Int64) throws -> [KeptNotification] {
    try connection.all(
      id.subscriptionID == nil ? Self.ofChange : Self.ofSubscription,
      {
        $0.bind(1, inbox)
        $0.bind(2, id.id)
        if let subscriptionID = id.subscriptionID { $0.bind(3, subscriptionID) }
      }
    ) { row in
      KeptNotification(
        position: row.int(0), id: id.id, subscriptionID: row.text(1),
        payload: payload(row, 2, fits: 3), isRead: true)
    }
  }

  func forget() { inboxes = [:] }

  /// What is damaged has no payload, so that its readers leave it out.
  private func payload(_ row: Prepared, _ column: Int32, fits: Int32) -> [UInt8] {
    if row.bool(fits) { return row.blob(column) }
    connection.damaged.note("kept_notifications", "position \(row.int(0))")
    return []
  }

  /// At the end, whatever position the notification had.
  private func add(_ kept: KeptNotification, to inbox: Int64) throws {
    let position = positions.next()
    try connection.run(Self.add) {
      $0.bind(1, inbox)
      $0.bind(2, kept.id)
      $0.bind(3, kept.subscriptionID)
      $0.bind(4, kept.payload)
      $0.bind(5, kept.isRead)
      $0.bind(6, position)
    }
  }

  private static let find = SQL(
    """
    SELECT position, notification, subscription, payload, is_read,
      \(SummedTable.kept.fits(at: ["inbox": "?1"]))
    FROM kept_notifications WHERE inbox = ?1 AND position > ?2 ORDER BY position LIMIT ?3
    """)
  private static let add = SQL(
    """
    INSERT INTO kept_notifications
      (inbox, notification, subscription, payload, is_read, position, checksum)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, row_sum(?6, ?1, ?2, ?3, ?4, ?5)) ON CONFLICT DO NOTHING
    """)
  private static let dropOldest = SQL(
    """
    DELETE FROM kept_notifications WHERE position IN
      (SELECT position FROM kept_notifications WHERE inbox = ?1 ORDER BY position LIMIT ?2)
    """)
  private static let count = SQL("SELECT count(*) FROM kept_notifications WHERE inbox = ?1")
  private static let ofID = """
    SELECT position, subscription, payload,
      \(SummedTable.kept.fits(at: ["inbox": "?1", "notification": "?2"]))
    FROM kept_notifications
    WHERE inbox = ?1 AND notification = ?2
    """
  private static let ofChange = SQL("\(ofID) ORDER BY position")
  private static let ofSubscription = SQL("\(ofID) AND subscription = ?3")
  private static let remove = SQL("DELETE FROM kept_notifications WHERE position = ?1")

  // MARK: Inboxes

  func badge(of user: UserID, in containerEnvironment: ContainerEnvironment) throws -> Int {
    guard let inbox = try inbox(user, containerEnvironment) else { return 0 }
    return try connection.firstWhole(
      Self.findBadge, .inboxes, "the badge number of '\(user.name)'", { $0.bind(1, inbox) }
    ) { Int($0.int(3)) } ?? 0
  }

  func setBadge(
    _ value: Int, of user: UserID, in containerEnvironment: ContainerEnvironment
  ) throws {
    let inbox = try inbox(user, containerEnvironment) ?? addInbox(user, containerEnvironment)
    try connection.run(Self.setBadge) {
      $0.bind(1, inbox)
      $0.bind(2, value)
    }
  }

  func removeAll(of user: UserID, in containerEnvironment: ContainerEnvironment) throws {
    guard let inbox = try inbox(user, containerEnvironment) else { return }
    try connection.run(Self.removeAll) { $0.bind(1, inbox) }
    try connection.run(Self.removeInbox) { $0.bind(1, inbox) }
    inboxes[AccountKey(user, containerEnvironment)] = nil
  }

  private func inbox(
    _ user: UserID, _ containerEnvironment: ContainerEnvironment
  ) throws -> Int64? {
    try NumberedTable.inboxes.number(on: connection, of: "what is kept for '\(user.name)'") {
      $0.bind(user, containerEnvironment)
    }
  }

  /// An inbox, made if it is missing. The writer remembers it: each push to a user asks.
  private func counted(_ accountKey: AccountKey) throws -> Inbox {
    if let known = inboxes[accountKey] { return known }
    let (user, containerEnvironment) = (accountKey.user, accountKey.containerEnvironment)
    guard let number = try inbox(user, containerEnvironment) else {
      return Inbox(number: try addInbox(user, containerEnvironment), count: 0)
    }
    let count = try connection.first(Self.count, { $0.bind(1, number) }) { Int($0.int(0)) } ?? 0
    return Inbox(number: number, count: count)
  }

  private func addInbox(
    _ user: UserID, _ containerEnvironment: ContainerEnvironment
  ) throws -> Int64 {
    try connection.run(Self.addInbox) {
      $0.bind(user, containerEnvironment)
      $0.bind(4, 0)
    }
    return connection.lastRowID
  }

  private static let removeAll = SQL("DELETE FROM kept_notifications WHERE inbox = ?1")
  private static let removeInbox = SQL("DELETE FROM inboxes WHERE id = ?1")
  private static let findBadge = SQL(
    "SELECT \(SummedTable.inboxes.whole) FROM inboxes WHERE id = ?1")
  private static let addInbox = SQL(SummedTable.inboxes.insertNext())
  /// Whose inbox it is was compared when its number was looked for.
  private static let setBadge = SQL(
    """
    UPDATE inboxes SET badge = ?2, checksum = row_sum(container, environment, user, ?2, id)
    WHERE id = ?1
    """)
}
