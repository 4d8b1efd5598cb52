// Subscriptions in PostgreSQL, each in the bucket of the database in whose log it stands.

import BrumeModel
import BrumeStorage

final class PostgresSubscriptions: SubscriptionWriting, Remembering {
  private struct Key: Hashable {
    let scope: SubscriptionScope
    let id: ByteText

    init(_ id: String, _ scope: SubscriptionScope) {
      self.scope = scope
      self.id = ByteText(id)
    }
  }

  /// An error stands for one that cannot be read.
  private typealias Found = Result<StoredSubscription, BrumeError>

  private let session: Session
  private let places: Places
  private let coders: StoreCoders
  private let zones: PostgresZones
  private var known: [Key: Found?] = [:]
  private var lists: [SubscriptionScope: [StoredSubscription]] = [:]
  private var watchers: [WatchedType: Bool] = [:]

  init(
    _ session: Session, _ places: Places, _ coders: StoreCoders, _ zones: PostgresZones
  ) {
    self.session = session
    self.places = places
    self.coders = coders
    self.zones = zones
  }

  // MARK: Reading

  func find(_ id: String, in scope: SubscriptionScope) throws -> StoredSubscription? {
    try found(id, in: scope)?.get()
  }

  private func found(_ id: String, in scope: SubscriptionScope) throws -> Found? {
    let key = Key(id, scope)
    if known[key] == nil { try session.ask([question(scope, id: id)]) }
    return known[key] ?? nil
  }

  /// Without those that cannot be read, which `find` refuses.
  func all(in scope: SubscriptionScope) throws -> [StoredSubscription] {
    if lists[scope] == nil { try session.ask([question(scope)]) }
    return lists[scope] ?? []
  }

  func all(in scopes: [SubscriptionScope]) throws -> [StoredSubscription] {
    try session.ask(scopes.filter { lists[$0] == nil }.map { question($0) })
    return scopes.flatMap { lists[$0] ?? [] }
  }

  func page(
    watching bucket: Bucket, withShared: Bool, after cursor: Int64?, limit: Int
  ) throws -> (subscriptions: [StoredSubscription], next: Int64?) {
    let page: [(serial: Int64, value: StoredSubscription?)] = try session.all(
      withShared ? Self.pageWithShared : Self.page,
      // Not one more, to see whether there is one: its page may be damaged.
      [.integer(cursor ?? 0), .integer(limit), .integer(bucket.number)]
    ) { row in
      let scope = SubscriptionScope(
        in: try row.containerEnvironment(3),
        scope: try row.known(DatabaseScope(rawValue: row.text(5)), "scope"),
        user: UserID(row.text(6)))
      return (row.integer(2), try? stored(row, scope, row.text(7)).get())
    }
    return (page.compactMap(\.value), page.count < limit ? nil : page.last?.serial)
  }

  /// Subscriptions to shared databases may be in any bucket and may just be arriving there, so nobody asks for them: of a
  /// zone with shares the answer is yes, and of others nobody but the owner sees changes.
  func hasQueries(on recordType: String, in database: DatabaseKey) throws -> Bool {
    if database.owner != nil, zones.hasMetShares(in: database) { return true }
    let watched = WatchedType(recordType, in: database)
    if watchers[watched] == nil {
      try session.ask([question(queriesOn: recordType, in: database)])
    }
    return watchers[watched] ?? false
  }

  /// One that is damaged, or of a form that only a newer version knows, is noted.
  private func stored(_ row: Row, _ scope: SubscriptionScope, _ id: String) -> Found {
    do {
      return .success(
        StoredSubscription(
          scope: scope, subscription: try coders.decodeSubscription(row.bytes(1)),
          starts: try LogPositions(text: row.text(0))))
    } catch {
      session.damaged.note("subscriptions", "'\(id)' of \(scope.user.name)")
      return .failure(.damaged("the subscription '\(NameRules.shown(id))'"))
    }
  }

  // MARK: Writing

  func put(_ subscription: StoredSubscription) throws {
    try session.requireCoordinator()
    let (scope, id) = (subscription.scope, subscription.subscription.id)
    session.put(
      row(scope, id) + [
        .text(subscription.starts.text), .text(subscription.subscription.watchedType),
        .bytes(coders.encodeSubscription(subscription.subscription)),
      ], in: Self.table)
    remember(.success(subscription), id, scope)
  }

  /// Only where nobody has asked whether there is one, that costs an exchange.
  func remove(_ id: String, in scope: SubscriptionScope) throws -> Bool {
    guard try found(id, in: scope) != nil else { return false }
    session.remove(row(scope, id), from: Self.table)
    remember(nil, id, scope)
    return true
  }

  private func remember(_ found: Found?, _ id: String, _ scope: SubscriptionScope) {
    known[Key(id, scope)] = .some(found)
    lists[scope] = nil
    watchers = [:]
  }

  private func place(_ scope: SubscriptionScope) -> [SQLValue] {
    [places.bucketValue(of: scope.logDatabase)] + scope.containerEnvironment.values + [
      .text(scope.scope.rawValue), .text(scope.user.name),
    ]
  }

  private func row(_ scope: SubscriptionScope, _ id: String) -> [SQLValue] {
    place(scope) + [.text(id)]
  }

  // MARK: Plans

  func question(_ scope: SubscriptionScope, id: String) -> Question {
    Question(Self.find, row(scope, id)) { [self] rows in
      known[Key(id, scope)] = .some(rows.first.map { stored($0, scope, id) })
    }
  }

  func question(_ scope: SubscriptionScope) -> Question {
    Question(Self.ofScope, place(scope)) { [self] rows in
      let all = rows.map { row in
        let id = row.text(2)
        return (id: id, found: stored(row, scope, id))
      }
      lists[scope] = all.compactMap { try? $0.found.get() }
      for (id, found) in all { known[Key(id, scope)] = found }
    }
  }

  func question(queriesOn recordType: String, in database: DatabaseKey) -> Question {
    let watched = WatchedType(recordType, in: database)
    let values =
      [places.bucketValue(of: database)] + database.containerEnvironment.values + [
        .text(recordType)
      ]
    guard let owner = database.owner else {
      return Question(Self.watchedPublic, values) { [self] in watchers[watched] = $0.count > 0 }
    }
    return Question(Self.watchedOwned, values + [.text(owner.name)]) { [self] rows in
      watchers[watched] = rows.count > 0
    }
  }

  func forget() { (known, lists, watchers) = ([:], [:], [:]) }
}

// MARK: Statements

extension PostgresSubscriptions {
  private static let table = Table(
    "subscriptions",
    key: [
      ("bucket", .integer), ("container", .text), ("environment", .text), ("scope", .text),
      ("user_id", .text), ("id", .text),
    ],
    columns: [("starts", .text), ("watched_type", .text), ("content", .bytes)])
  private static let place = """
    bucket = $1 AND container = $2 AND environment = $3 AND scope = $4 AND user_id = $5
    """
  private static let find = SQL(
    "SELECT starts, content FROM subscriptions WHERE \(place) AND id = $6",
    each: [.integer, .text, .text, .text, .text, .text])
  private static let ofScope = SQL(
    "SELECT starts, content, id FROM subscriptions WHERE \(place) ORDER BY id",
    each: [.integer, .text, .text, .text, .text])
  private static let pageOfBucket = """
    SELECT \(pageColumns) FROM subscriptions
    WHERE bucket = $3 AND scope <> 'shared' AND serial > $1 ORDER BY serial LIMIT $2
    """
  private static let page = SQL(pageOfBucket)
  private static let pageWithShared = SQL(
    """
    SELECT * FROM (
      (\(pageOfBucket))
      UNION ALL
      (SELECT \(pageColumns) FROM subscriptions
        WHERE scope = 'shared' AND serial > $1 ORDER BY serial LIMIT $2)) AS found
    ORDER BY serial LIMIT $2
    """)
  private static let pageColumns =
    "starts, content, serial, container, environment, scope, user_id, id"
  private static let watched = """
    SELECT 1 FROM subscriptions
    WHERE bucket + 0 = $1 AND container = $2 AND environment = $3 AND watched_type = $4
    """
  private static let watchedPublic = SQL(
    "\(watched) AND scope = 'public' LIMIT 1", each: [.integer, .text, .text, .text])
  private static let watchedOwned = SQL(
    "\(watched) AND scope = 'private' AND user_id = $5 LIMIT 1",
    each: [.integer, .text, .text, .text, .text])
}
