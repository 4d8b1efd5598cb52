// Notifications kept for a user, and the badge, in PostgreSQL.
//
// Keeping one asks nothing: what is there already, how many there are and which are too many is found by the
// statements that carry all of a transaction.

import BrumeModel
import BrumeStorage

final class PostgresNotifications: NotificationWriting, Remembering {
  private let session: Session
  private let places: Places
  private let locks: Locks
  private var badges: [AccountKey: Int] = [:]

  init(_ session: Session, _ places: Places, _ locks: Locks) {
    self.session = session
    self.places = places
    self.locks = locks
  }

  // MARK: Kept notifications

  func kept(
    for user: UserID, in containerEnvironment: ContainerEnvironment, after position: Int64,
    limit: Int
  ) throws -> [KeptNotification] {
    let account = AccountKey(user, containerEnvironment)
    return try session.all(
      Self.find, places.values(account) + [.integer(position), .integer(limit)]
    ) { row in
      KeptNotification(
        position: row.integer(0), id: row.text(1), subscriptionID: row.text(2),
        payload: row.bytes(3), isRead: row.flag(4))
    }
  }

  func keep(
    _ notification: KeptNotification, for user: UserID,
    in containerEnvironment: ContainerEnvironment, limit: Int
  ) throws {
    let account = AccountKey(user, containerEnvironment)
    let position = try locks.next(.mailboxes, in: places.bucket(of: account))
    let place = places.values(account)
    session.put(
      place + [
        .integer(position), .text(notification.id), .text(notification.subscriptionID),
        .bytes(notification.payload), .flag(notification.isRead),
      ], in: Self.tables.kept)
    session.put(place + [.integer(max(0, limit))], in: Self.tables.bounds)
  }

  func markRead(
    _ ids: [KeptNotificationID], of user: UserID, in containerEnvironment: ContainerEnvironment
  ) throws -> [KeptNotificationID] {
    let account = AccountKey(user, containerEnvironment)
    let place = places.values(account)
    let rows = try session.all(Self.withIDs, place + [.texts(ids.map(\.id))]) {
      ($0.text(0), $0.text(1))
    }
    let (found, moved) = Self.meant(ids, of: rows)
    if moved.isEmpty { return [] }
    let bucket = places.bucket(of: account)
    let positions = try moved.map { _ in
      SQLValue.integer(try locks.next(.mailboxes, in: bucket))
    }
    session.run(
      Self.move,
      place + [.texts(moved.map(\.0)), .texts(moved.map(\.1)), .array(.integer, positions)])
    return found
  }

  /// The IDs that mean some of the rows, and these rows, each once: one statement moves them all.
  private static func meant(
    _ ids: [KeptNotificationID], of rows: [(String, String)]
  ) -> (found: [KeptNotificationID], moved: [(String, String)]) {
    let subscriptions = Dictionary(grouping: rows) { ByteText($0.0) }
    var (asked, taken): (Set<ByteText>, Set<ByteText>) = ([], [])
    var found: [KeptNotificationID] = []
    var moved: [(String, String)] = []
    for id in ids where asked.insert(id.byteText).inserted {
      let hits = (subscriptions[ByteText(id.id)] ?? []).filter { id.matches($0.0, $0.1) }
      if !hits.isEmpty { found.append(id) }
      moved += hits.filter { taken.insert(ByteText(parts: $0.0, $0.1)).inserted }
    }
    return (found, moved)
  }

  // MARK: Badges

  func badge(of user: UserID, in containerEnvironment: ContainerEnvironment) throws -> Int {
    let account = AccountKey(user, containerEnvironment)
    if badges[account] == nil { try session.ask([question(account)]) }
    return badges[account] ?? 0
  }

  func setBadge(
    _ value: Int, of user: UserID, in containerEnvironment: ContainerEnvironment
  ) throws {
    let account = AccountKey(user, containerEnvironment)
    session.put(places.values(account) + [.integer(value)], in: Self.badgeTable)
    badges[account] = value
  }

  func removeAll(of user: UserID, in containerEnvironment: ContainerEnvironment) throws {
    let account = AccountKey(user, containerEnvironment)
    for statement in Self.removeAll { session.run(statement, places.values(account)) }
    badges[account] = 0
  }

  // MARK: Plans

  /// The badge.
  func question(_ account: AccountKey) -> Question {
    Question(Self.findBadge, places.values(account)) { [self] rows in
      badges[account] = Int(rows.first?.integer(0) ?? 0)
    }
  }

  func forget() { badges = [:] }
}

// MARK: Statements

extension PostgresNotifications {
  /// What is put into `kept` is added unless it is there; then the bounds are looked at. Tables that are
  /// made later are written later.
  private static let tables = (kept: kept(), bounds: bounds())

  private static func kept() -> Table {
    let columns =
      "\(AccountKey.names), position, notification, subscription, payload, is_read"
    return Table(
      "kept_notifications", key: AccountKey.columns + [("position", .integer)],
      columns: [
        ("notification", .text), ("subscription", .text), ("payload", .bytes),
        ("is_read", .integer),
      ]
    ) { given in
      """
      WITH added AS (
        INSERT INTO kept_notifications (\(columns)) SELECT \(columns) FROM \(given)
        ON CONFLICT (\(AccountKey.names), notification, subscription) DO NOTHING
        RETURNING \(AccountKey.names))
      INSERT INTO inboxes (\(AccountKey.names), kept)
        SELECT \(AccountKey.names), count(*) FROM added GROUP BY \(AccountKey.names)
      ON CONFLICT (\(AccountKey.names)) DO UPDATE SET kept = inboxes.kept + excluded.kept
      """
    }
  }

  /// By the places of rows, because for a condition on the account and the position the planner may take
  /// the index by ID, and look at all that is kept for each that goes. On Citus places are those of one part of the
  /// table, and a bound may not come from another row, so all that is kept for such a user is numbered.
  private static func bounds() -> Table {
    Table("inboxes", key: AccountKey.columns, columns: [("most", .integer)]) { given in
      bounds(
        given,
        dropping: """
          DELETE FROM kept_notifications WHERE ctid = ANY (ARRAY(
            SELECT old.place FROM overfull CROSS JOIN LATERAL (
              SELECT ctid AS place FROM kept_notifications AS oldest
              WHERE \(AccountKey.same("oldest", "overfull"))
              ORDER BY position LIMIT overfull.excess) AS old))
          """)
    } onCitus: { given in
      bounds(
        given,
        dropping: """
          DELETE FROM kept_notifications AS kept USING (
            SELECT overfull.*, position, row_number() OVER (
                PARTITION BY \(AccountKey.names(of: "oldest")) ORDER BY position) AS place
            FROM kept_notifications AS oldest
              JOIN overfull ON \(AccountKey.same("oldest", "overfull"))) AS old
          WHERE old.place <= old.excess AND \(AccountKey.same("kept", "old"))
            AND kept.position = old.position
          """)
    }
  }

  private static func bounds(_ given: String, dropping: String) -> String {
    """
    WITH overfull AS (
      SELECT given.*, inboxes.kept - given.most AS excess
      FROM \(given) JOIN inboxes ON \(AccountKey.same("inboxes", "given"))
      WHERE inboxes.kept > given.most),
    dropped AS (\(dropping))
    UPDATE inboxes SET kept = overfull.most FROM overfull
    WHERE \(AccountKey.same("inboxes", "overfull"))
    """
  }

  private static let badgeTable = Table(
    "badges", key: AccountKey.columns, columns: [("badge", .integer)])
  private static let find = SQL(
    """
    SELECT position, notification, subscription, payload, is_read FROM kept_notifications
    WHERE \(AccountKey.condition) AND position > $5 ORDER BY position LIMIT $6
    """)
  private static let withIDs = SQL(
    """
    SELECT notification, subscription FROM kept_notifications
    WHERE \(AccountKey.condition) AND notification = ANY ($5::text[]) ORDER BY position
    """)
  private static let move = SQL(
    """
    UPDATE kept_notifications AS kept SET position = moved.position, is_read = 1
    FROM unnest($5::text[], $6::text[], $7::bigint[])
      AS moved (notification, subscription, position)
    WHERE \(AccountKey.condition)
      AND kept.notification = moved.notification AND kept.subscription = moved.subscription
    """)
  private static let removeAll = ["kept_notifications", "inboxes", "badges"].map {
    SQL("DELETE FROM \($0) WHERE \(AccountKey.condition)")
  }
  private static let findBadge = SQL("SELECT badge FROM badges WHERE \(AccountKey.condition)")
}
