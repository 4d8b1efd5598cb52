// Subscriptions in SQLite.

import BrumeModel
import BrumeStorage

final class SQLiteSubscriptions: SubscriptionWriting {
  private let connection: Connection
  private let coders: StoreCoders
  private let watched: WatchedDatabases
  /// The one decoded last.
  private var last: (content: [UInt8], subscription: Subscription)?

  init(_ connection: Connection, _ coders: StoreCoders, _ watched: WatchedDatabases) {
    self.connection = connection
    self.coders = coders
    self.watched = watched
  }

  func find(_ id: String, in scope: SubscriptionScope) throws -> StoredSubscription? {
    try connection.first(
      Self.find,
      {
        $0.bind(scope)
        $0.bind(5, id)
      }
    ) { row in
      guard let stored = stored(row, scope) else {
        throw connection.damage(
          .subscriptions, "'\(id)' of \(scope.user.name)",
          "the subscription '\(NameRules.shown(id))'")
      }
      return stored
    }
  }

  /// Without those that cannot be read, which `find` refuses.
  func all(in scope: SubscriptionScope) throws -> [StoredSubscription] {
    try connection.all(Self.ofScope, { $0.bind(scope) }) { row in
      let stored = stored(row, scope)
      if stored == nil {
        connection.damaged.note("subscriptions", "'\(row.text(3))' of \(scope.user.name)")
      }
      return stored
    }.compactMap { $0 }
  }

  func page(
    watching bucket: Bucket, withShared: Bool, after cursor: Int64?, limit: Int
  ) throws -> (subscriptions: [StoredSubscription], next: Int64?) {
    let page = try connection.all(
      Self.page,
      {
        $0.bind(1, cursor ?? 0)
        // Not one more, to see whether there is one: its page may be damaged.
        $0.bind(2, limit)
        $0.bind(3, withShared)
      }
    ) { row -> (serial: Int64, value: StoredSubscription?) in
      let stored = row.bool(2) ? stored(row, try row.subscriptionScope(4)) : nil
      if stored == nil { connection.damaged.note("subscriptions", "number \(row.int(3))") }
      return (row.int(3), stored)
    }
    return (page.compactMap(\.value), page.count < limit ? nil : page.last?.serial)
  }

  func hasQueries(on recordType: String, in database: DatabaseKey) throws -> Bool {
    try watched.hasQueries(on: recordType, in: database)
  }

  func put(_ subscription: StoredSubscription) throws {
    let bytes = coders.encodeSubscription(subscription.subscription)
    try connection.run(Self.put) {
      $0.bind(subscription.scope)
      $0.bind(5, subscription.subscription.id)
      $0.bind(6, subscription.starts[.only])
      $0.bind(7, subscription.subscription.watchedType)
      $0.bind(8, bytes)
    }
    watched.forget()
  }

  func remove(_ id: String, in scope: SubscriptionScope) throws -> Bool {
    let removed = try connection.changes {
      try connection.run(Self.remove) {
        $0.bind(scope)
        $0.bind(5, id)
      }
    }
    watched.forget()
    return removed > 0
  }

  /// Nil: it is damaged, or of a form that only a newer version knows.
  private func stored(_ row: Prepared, _ scope: SubscriptionScope) -> StoredSubscription? {
    guard row.bool(2), let subscription = try? content(of: row) else { return nil }
    return StoredSubscription(
      scope: scope, subscription: subscription, starts: LogPositions(row.int(0), in: .only))
  }

  /// The users of an app subscribe with the same words, so what was decoded last is often what comes
  /// next.
  private func content(of row: Prepared) throws -> Subscription {
    if let last, row.isBlob(1, last.content) { return last.subscription }
    let content = row.blob(1)
    let subscription = try coders.decodeSubscription(content)
    last = (content, subscription)
    return subscription
  }

  private static let place = "container = ?1 AND environment = ?2 AND scope = ?3 AND user = ?4"
  private static let placed = [
    "container": "?1", "environment": "?2", "scope": "?3", "user": "?4",
  ]
  // The column `birth` holds the start position; a released migration named it.
  private static let find = SQL(
    """
    SELECT birth, content,
      \(SummedTable.subscriptions.fits(at: placed.merging(["id": "?5"]) { $1 }))
    FROM subscriptions WHERE \(place) AND id = ?5
    """)
  private static let ofScope = SQL(
    """
    SELECT birth, content, \(SummedTable.subscriptions.fits(at: placed)), id FROM subscriptions
    WHERE \(place) ORDER BY id
    """)
  private static let page = SQL(
    """
    SELECT birth, content, \(SummedTable.subscriptions.fits), serial, container, environment, scope,
      user
    FROM subscriptions WHERE serial > ?1 AND (?3 OR scope <> 'shared') ORDER BY serial LIMIT ?2
    """)
  private static let put = SQL(
    """
    INSERT INTO subscriptions
      (container, environment, scope, user, id, birth, watched_type, content, checksum)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, row_sum(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8))
    ON CONFLICT (container, environment, scope, user, id) DO UPDATE
      SET birth = excluded.birth, watched_type = excluded.watched_type, content = excluded.content,
        checksum = excluded.checksum
    """)
  private static let remove = SQL("DELETE FROM subscriptions WHERE \(place) AND id = ?5")
}

extension Prepared {
  fileprivate func subscriptionScope(_ column: Int32) throws -> SubscriptionScope {
    SubscriptionScope(
      in: try containerEnvironment(column),
      scope: try known(DatabaseScope(rawValue: text(column + 2)), "scope"),
      user: UserID(text(column + 3)))
  }

  fileprivate func bind(_ scope: SubscriptionScope) {
    bind(scope.containerEnvironment, from: 1)
    bind(3, scope.scope.rawValue)
    bind(4, scope.user.name)
  }
}
