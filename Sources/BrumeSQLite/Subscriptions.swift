// Subscriptions in SQLite.

import BrumeModel
import BrumeStorage

/// A record type as changes in a database show it.
struct WatchedType: Hashable {
  let database: DatabaseKey
  let type: String
}

extension SQLiteTransaction {
  func subscription(_ id: String, in scope: SubscriptionScope) throws -> StoredSubscription? {
    try connection.first(
      Self.find,
      {
        $0.bind(scope)
        $0.bind(5, id)
      }
    ) { try stored($0, scope) }
  }

  func subscriptions(in scope: SubscriptionScope) throws -> [StoredSubscription] {
    try connection.all(Self.ofScope, { $0.bind(scope) }) { try stored($0, scope) }
  }

  func allSubscriptions(
    after cursor: Int64?, limit: Int
  ) throws -> (subscriptions: [StoredSubscription], next: Int64?) {
    var page = try connection.all(
      Self.page,
      {
        $0.bind(1, cursor ?? 0)
        $0.bind(2, limit + 1)
      }
    ) { row in
      let scope = SubscriptionScope(
        container: ContainerID(row.text(3)), environment: try row.environment(4),
        scope: try row.known(DatabaseScope(rawValue: row.text(5)), "scope"),
        user: UserID(row.text(6)))
      return (serial: row.int(2), value: try stored(row, scope))
    }
    let isLast = page.count <= limit
    if !isLast { page.removeLast() }
    return (page.map(\.value), isLast ? nil : page.last?.serial ?? cursor)
  }

  /// Asked for every record saved: the writer remembers the answer until subscriptions change.
  func hasQuerySubscriptions(on recordType: String, in database: DatabaseKey) throws -> Bool {
    let watched = WatchedType(database: database, type: recordType)
    if let known = cache.watchers[watched] { return known }
    let answer = try connection.exists(database.owner == nil ? Self.watchedPublic : Self.watched) {
      $0.bind(1, database.container.name)
      $0.bind(2, database.environment.rawValue)
      $0.bind(3, recordType)
      if let owner = database.owner { $0.bind(4, owner.name) }
    }
    cache.watchers[watched] = answer
    return answer
  }

  /// Whether a record's change in this database can concern anybody. The writer remembers it too.
  func isFollowed(_ database: DatabaseKey) throws -> Bool {
    if let known = cache.followed[database] { return known }
    let answer = try connection.exists(database.owner == nil ? Self.publicFollower : Self.follower)
    {
      $0.bind(1, database.container.name)
      $0.bind(2, database.environment.rawValue)
      if let owner = database.owner { $0.bind(3, owner.name) }
    }
    cache.followed[database] = answer
    return answer
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
    forgetWatchers()
  }

  func removeSubscription(_ id: String, in scope: SubscriptionScope) throws -> Bool {
    let before = connection.totalChanges
    try connection.run(Self.remove) {
      $0.bind(scope)
      $0.bind(5, id)
    }
    forgetWatchers()
    return connection.totalChanges > before
  }

  func forgetWatchers() {
    cache.watchers = [:]
    cache.followed = [:]
    cache.isProvisional = true
  }

  private func stored(_ row: Prepared, _ scope: SubscriptionScope) throws -> StoredSubscription {
    StoredSubscription(
      scope: scope, subscription: try content(of: row), starts: LogPositions(row.int(0), in: .only))
  }

  /// The users of an app subscribe with the same words, so what was decoded last is often what comes
  /// next.
  private func content(of row: Prepared) throws -> Subscription {
    if let last = cache.lastSubscription, row.isBlob(1, last.content) { return last.subscription }
    let content = row.blob(1)
    let subscription = try coders.decodeSubscription(content)
    cache.lastSubscription = (content, subscription)
    return subscription
  }

  private static let place = "container = ?1 AND environment = ?2 AND scope = ?3 AND user = ?4"
  private static let find = SQL(
    "SELECT birth, content FROM subscriptions WHERE \(place) AND id = ?5")
  private static let ofScope = SQL(
    "SELECT birth, content FROM subscriptions WHERE \(place) ORDER BY id")
  private static let page = SQL(
    """
    SELECT birth, content, serial, container, environment, scope, user FROM subscriptions
    WHERE serial > ?1 ORDER BY serial LIMIT ?2
    """)
  private static let watchedPublic = SQL(
    """
    SELECT 1 FROM subscriptions WHERE container = ?1 AND environment = ?2 AND watched_type = ?3
      AND scope = 'public' LIMIT 1
    """)
  private static let watched = SQL(
    """
    SELECT 1 FROM subscriptions WHERE container = ?1 AND environment = ?2 AND watched_type = ?3
      AND (scope = 'private' AND user = ?4 OR scope = 'shared' AND user <> ?4) LIMIT 1
    """)
  private static let publicFollower = SQL(
    """
    SELECT 1 WHERE
      EXISTS (SELECT 1 FROM subscriptions
        WHERE container = ?1 AND environment = ?2 AND scope = 'public')
      OR EXISTS (SELECT 1 FROM webhooks WHERE container = ?1 AND environment = ?2)
    """)
  private static let follower = SQL(
    """
    SELECT 1 WHERE
      EXISTS (SELECT 1 FROM subscriptions
        WHERE container = ?1 AND environment = ?2 AND scope = 'private' AND user = ?3)
      OR EXISTS (SELECT 1 FROM subscriptions
        WHERE container = ?1 AND environment = ?2 AND scope = 'shared' AND user <> ?3)
      OR EXISTS (SELECT 1 FROM webhooks WHERE container = ?1 AND environment = ?2)
    """)
  private static let put = SQL(
    """
    INSERT INTO subscriptions
      (container, environment, scope, user, id, birth, watched_type, content)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
    ON CONFLICT (container, environment, scope, user, id) DO UPDATE
      SET birth = excluded.birth, watched_type = excluded.watched_type, content = excluded.content
    """)
  private static let remove = SQL("DELETE FROM subscriptions WHERE \(place) AND id = ?5")
}

extension Prepared {
  fileprivate func bind(_ scope: SubscriptionScope) {
    bind(1, scope.container.name)
    bind(2, scope.environment.rawValue)
    bind(3, scope.scope.rawValue)
    bind(4, scope.user.name)
  }
}
