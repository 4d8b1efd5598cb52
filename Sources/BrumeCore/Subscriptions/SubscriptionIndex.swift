// Which subscriptions a log entry concerns, without looking at all of them.
//
// A value that follows the log: the notifier puts and removes subscriptions in log order. It answers
// the same as asking `FireRules.fires` of every subscription. Subscriptions of shared databases are
// found by their user, because only the share says which users see a zone (`Audience`).

package import BrumeModel

package struct SubscriptionIndex: Sendable {
  /// A subscription that fires.
  package struct Match: Hashable, Sendable, Comparable {
    package let key: SubscriptionKey
    /// Tells a subscription from a later one with the same ID.
    package let birth: Int64
    package static func < (a: Match, b: Match) -> Bool { a.key < b.key }
  }
  /// A zone or database subscription: all that it asks of a change is the record type.
  private struct Watcher: Sendable {
    let birth: Int64
    let recordType: String?
  }
  private struct Database: Sendable {
    var queries: [String: PredicateIndex] = [:]
    var zones: [String: [SubscriptionKey: Watcher]] = [:]
    var all: [SubscriptionKey: Watcher] = [:]
    var isEmpty: Bool { queries.isEmpty && zones.isEmpty && all.isEmpty }
  }
  private enum Place: Sendable {
    case query(DatabaseKey, type: String, node: Int32)
    case zone(DatabaseKey, name: String)
    case database(DatabaseKey)
    case shared
  }
  /// Where a user's subscriptions of a shared database are.
  private struct Reader: Hashable, Sendable {
    let container: ContainerID
    let environment: Environment
    let user: UserID
  }

  private var databases: [DatabaseKey: Database] = [:]
  private var shared: [Reader: [SubscriptionKey: Watcher]] = [:]
  private var places: [SubscriptionKey: Place] = [:]

  package init() {}

  package var count: Int { places.count }
  /// Whether anybody watches a shared database.
  package var hasSharedDatabases: Bool { !shared.isEmpty }

  // MARK: Changing

  /// Adds a subscription, or replaces the one with the same key.
  package mutating func put(_ stored: StoredSubscription) {
    let key = stored.key
    remove(key)
    guard let database = stored.scope.database else {
      // Others than database subscriptions do not exist there.
      guard case .database(let type) = stored.subscription.kind else { return }
      shared[reader(stored.scope), default: [:]][key] =
        Watcher(birth: stored.birth, recordType: type)
      places[key] = .shared
      return
    }
    places[key] = put(stored, in: database)
  }

  private mutating func put(_ stored: StoredSubscription, in database: DatabaseKey) -> Place {
    let key = stored.key
    switch stored.subscription.kind {
    case .query(let query, let zone, let events, _):
      let owner = QueryOwner(key: key, birth: stored.birth, events: events, zone: zone?.name)
      let node = databases[database, default: Database()]
        .queries[query.recordType, default: PredicateIndex()]
        .insert(owner, filters: query.filters)
      return .query(database, type: query.recordType, node: node)
    case .zone(let zone, let type):
      databases[database, default: Database()].zones[zone.name, default: [:]][key] =
        Watcher(birth: stored.birth, recordType: type)
      return .zone(database, name: zone.name)
    case .database(let type):
      databases[database, default: Database()].all[key] =
        Watcher(birth: stored.birth, recordType: type)
      return .database(database)
    }
  }

  package mutating func remove(_ key: SubscriptionKey) {
    guard let place = places.removeValue(forKey: key) else { return }
    switch place {
    case .query(let database, let type, let node):
      databases[database]?.queries[type]?.remove(key, at: node)
      if databases[database]?.queries[type]?.isEmpty == true {
        databases[database]?.queries[type] = nil
      }
      drop(database)
    case .zone(let database, let name):
      databases[database]?.zones[name]?[key] = nil
      if databases[database]?.zones[name]?.isEmpty == true {
        databases[database]?.zones[name] = nil
      }
      drop(database)
    case .database(let database):
      databases[database]?.all[key] = nil
      drop(database)
    case .shared:
      shared[reader(key.scope)]?[key] = nil
      if shared[reader(key.scope)]?.isEmpty == true { shared[reader(key.scope)] = nil }
    }
  }

  private mutating func drop(_ database: DatabaseKey) {
    if databases[database]?.isEmpty == true { databases[database] = nil }
  }

  private func reader(_ scope: SubscriptionScope) -> Reader {
    Reader(container: scope.container, environment: scope.environment, user: scope.user)
  }

  // MARK: Matching

  /// Whether the entry's record has to be decoded to judge it.
  package func needsImage(of change: RecordChange, in database: DatabaseKey) -> Bool {
    databases[database]?.queries[change.recordType] != nil
  }

  /// The subscriptions of the changed database itself that fire, in key order.
  package func matches(
    _ entry: LogEntry, image: Record?, searchable: (String) -> Bool
  ) -> [Match] {
    guard let database = databases[entry.database] else { return [] }
    var found: [Match] = []
    switch entry.event {
    case .record(let change):
      let isDefault = change.record.zone.isDefault
      if let image, let index = database.queries[change.recordType] {
        collect(index, change, entry.position, image, searchable, into: &found)
      }
      if !isDefault {
        let type = change.recordType
        collect(database.zones[change.record.zone.name] ?? [:], type, entry.position, &found)
        collect(database.all, type, entry.position, &found)
      }
    case .zoneCreated(let zone), .zoneDeleted(let zone):
      if !zone.isDefault { collect(database.all, nil, entry.position, &found) }
    case .membership, .subscription: break
    }
    return found.sorted()
  }

  /// The subscriptions of users' shared databases that fire for an entry which these users may see.
  package func matches(_ entry: LogEntry, sharedWith users: some Sequence<UserID>) -> [Match] {
    var found: [Match] = []
    for user in users {
      let reader = Reader(
        container: entry.database.container, environment: entry.database.environment, user: user)
      guard let watchers = shared[reader] else { continue }
      if case .record(let change) = entry.event {
        collect(watchers, change.recordType, entry.position, &found)
      } else {
        collect(watchers, nil, entry.position, &found)
      }
    }
    return found.sorted()
  }

  private func collect(
    _ index: PredicateIndex, _ change: RecordChange, _ position: Int64, _ image: Record,
    _ searchable: (String) -> Bool, into found: inout [Match]
  ) {
    let event = FireRules.event(change.kind)
    let zone = change.record.zone.name
    index.forEachOwner(matching: image, searchable: searchable) { owner in
      guard owner.events.contains(event), owner.zone.map({ $0 == zone }) ?? true,
        FireRules.isBorn(owner.birth, at: position)
      else { return }
      found.append(Match(key: owner.key, birth: owner.birth))
    }
  }

  /// `type` nil stands for a change of a zone itself, which only unfiltered watchers hear of.
  private func collect(
    _ watchers: [SubscriptionKey: Watcher], _ type: String?, _ position: Int64,
    _ found: inout [Match]
  ) {
    for (key, watcher) in watchers where FireRules.isBorn(watcher.birth, at: position) {
      if watcher.recordType == nil || watcher.recordType == type {
        found.append(Match(key: key, birth: watcher.birth))
      }
    }
  }
}
