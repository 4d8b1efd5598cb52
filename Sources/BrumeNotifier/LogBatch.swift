// One reading of the log: its next entries, and the present state of what they name.

import BrumeCore
import BrumeModel
import BrumeStorage

struct LogBatch: Sendable {
  let entries: [LogEntry]
  /// The last position of the log.
  let newest: Int64
  private(set) var subscriptions: [SubscriptionKey: StoredSubscription?] = [:]
  /// Subscriptions of readers to their shared databases; nil: nobody asked. They are read in the same state of the store
  /// as the entries: whoever subscribed before an entry was saved is known when the entry is judged.
  private(set) var ofReaders: [StoredSubscription]?
  /// What `self CONTAINS` looks at.
  private(set) var searchable = SearchableFields()
  /// By an entry's position: the users whose shared database shows its change.
  private(set) var readers: [Int64: Set<UserID>] = [:]
  private var members: [ZoneKey: [Membership]] = [:]
  /// Whether an entry may be searched for: nobody asks for fields where nobody watches.
  private var isWatched = false

  /// - Parameters:
  ///   - imageBytes: after so many bytes of images only a few entries more are read.
  ///   - hasSubscriptions: whether anybody watches anything in the bucket, before these entries.
  ///   - needsReaders: whether it matters who reads what was changed in a shared database.
  ///   - isBare: whether what entries name is left unread, as that is damaged: whom it concerns is not notified.
  init(
    _ bucket: Bucket, after position: Int64, limit: Int, imageBytes: Int,
    hasSubscriptions: Bool, needsReaders: Bool, isBare: Bool = false,
    _ schemas: SchemaCache,
    _ transaction: any ReadTransaction
  ) throws {
    entries = try transaction.log.entries(
      in: bucket, after: position, limit: limit, imageBytes: imageBytes)
    newest = try transaction.log.lastPosition(in: bucket)
    var last = position
    isWatched = hasSubscriptions
    for entry in entries {
      precondition(entry.position > last, "positions of the log rise")
      last = entry.position
      if isBare {
        leaveUnread(entry)
        continue
      }
      try learn(entry, schemas, transaction)
      if needsReaders { readers[entry.position] = try readers(of: entry, transaction) }
    }
    if needsReaders, !isBare { ofReaders = try transaction.subscriptions.all(in: scopesOfReaders) }
  }

  /// As if what is damaged were not there.
  private mutating func leaveUnread(_ entry: LogEntry) {
    guard case .subscription(let scope, let id) = entry.event, scope.scope != .shared
    else { return }
    subscriptions[SubscriptionKey(scope: scope, id: id)] = .some(nil)
  }

  private var scopesOfReaders: [SubscriptionScope] {
    var scopes: Set<SubscriptionScope> = []
    for entry in entries {
      let place = entry.database.containerEnvironment
      for user in readers[entry.position] ?? [] {
        scopes.insert(SubscriptionScope(in: place, scope: .shared, user: user))
      }
    }
    return Array(scopes)
  }

  private mutating func learn(
    _ entry: LogEntry, _ schemas: SchemaCache, _ transaction: any ReadTransaction
  ) throws {
    switch entry.event {
    // Those to shared databases are found by who reads an entry, in any bucket.
    case .subscription(let scope, _) where scope.scope == .shared: break
    case .subscription(let scope, let id):
      let key = SubscriptionKey(scope: scope, id: id)
      subscriptions[key] = .some(try transaction.subscriptions.findWhole(id, in: scope))
      isWatched = true
    case .record(let change) where isWatched:
      try BrumeError.unlessDamaged {
        try searchable.learn(change.recordType, entry.database, schemas, transaction)
      }
    case .record, .zoneCreated, .zoneDeleted, .membership: break
    }
  }

  /// Whoever takes part later is notified of that itself; whoever no longer does is left out when the
  /// notification is made.
  private mutating func readers(
    of entry: LogEntry, _ transaction: any ReadTransaction
  ) throws -> Set<UserID> {
    switch entry.event {
    case .record(let change):
      if change.coveringShares.isEmpty { return [] }
      return Audience.readers(of: entry, among: try members(of: change.record.zone, transaction))
    case .zoneDeleted(let zone):
      return Audience.readers(of: entry, among: try members(of: zone, transaction))
    case .membership: return Audience.readers(of: entry, among: [])
    case .zoneCreated, .subscription: return []
    }
  }

  /// Looked up once a batch, not once an entry.
  private mutating func members(
    of zone: ZoneKey, _ transaction: any ReadTransaction
  ) throws -> [Membership] {
    if let known = members[zone] { return known }
    let found =
      try BrumeError.unlessDamaged { try transaction.shares.memberships(in: zone) } ?? []
    members[zone] = found
    return found
  }
}

extension SubscriptionIndex {
  /// Ours: subscriptions read at once.
  static let page = 1000

  /// All subscriptions that changes in the bucket can concern, but those to shared databases, which are as many in each.
  init(of bucket: Bucket, from transaction: any ReadTransaction) throws {
    self.init(of: bucket)
    var next: Int64?
    repeat {
      let page = try transaction.subscriptions.page(
        watching: bucket, withShared: false, after: next, limit: Self.page)
      for subscription in page.subscriptions { put(subscription) }
      next = page.next
    } while next != nil
  }
}
