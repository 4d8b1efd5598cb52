// One transaction of the SQLite engine, for readers and for the writer. The writer keeps one for
// good, and with it what it has learnt: numbers of zones, sequences, index keys. Whatever a body
// that failed may have taught it is forgotten.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage

final class SQLiteTransaction {
  let connection: Connection
  let coders: StoreCoders
  let isWriter: Bool

  /// Ours: below this many, candidates of a sorted query are fetched and sorted; above, the sort's
  /// index is walked.
  var fewCandidates = 1000
  /// Whether a query that misses an index throws `IndexWanted` instead of doing without.
  var asksForIndex = false

  /// Whether the running body shares its commit with others before it, whose callers want to be
  /// answered.
  var keepsOthersWaiting = false
  /// Whether writes wait behind the running one.
  var othersWait: @Sendable () -> Bool = { false }
  /// Places in mailboxes and among kept notifications; only the writer gives any.
  let positions: DeliveryPositions
  /// What stays true from body to body.
  var cache = TransactionCache()
  /// Which new records come into the index later.
  var indexDelay = IndexDelay()
  /// Records that the running body has looked at, so that a write knows what it replaces.
  var seen: [RecordRowKey: SeenRecord] = [:]
  /// The running body added something to the log that somebody follows, or the log has grown by so
  /// much that it is time to look.
  private(set) var logGrew = false
  /// Log entries in databases that nobody follows, since the last hint.
  private var unfollowedEntries: Int64 = 0

  init(
    _ connection: Connection, _ coders: StoreCoders, _ positions: DeliveryPositions, isWriter: Bool
  ) {
    self.connection = connection
    self.coders = coders
    self.positions = positions
    self.isWriter = isWriter
  }
}

extension SQLiteTransaction: WriteTransaction {
  var isAwaited: Bool { keepsOthersWaiting || othersWait() }
}

/// What a transaction knows without asking SQLite.
struct TransactionCache {
  /// Ours: a cache beyond this starts anew.
  static let limit = 100_000

  /// Ours: of inboxes fewer are enough. A change to very many asks for each of theirs once.
  static let inboxLimit = 10_000

  var databases: [DatabaseKey: Int64] = [:]
  var zones: [ZoneKey: Int64] = [:]
  var devices: [DeviceKey: Int64] = [:]
  /// The one asked for last: a delivery asks for its device more than once.
  var lastDevice: (key: DeviceKey, number: Int64)?
  /// Entries in a device's mailbox.
  var mailboxCounts: [Int64: Int] = [:]
  var inboxes: [AccountKey: Inbox] = [:]
  /// The one decoded last.
  var lastSubscription: (content: [UInt8], subscription: Subscription)?
  var sequences: [Int64: Int64] = [:]
  var changedSequences: Set<Int64> = []
  var typeKeys: [RecordTypeRowKey: TypeKeys] = [:]
  var watchers: [WatchedType: Bool] = [:]
  var followed: [DatabaseKey: Bool] = [:]
  var lastLogPosition: Int64?
  /// Every new sequence is above it.
  var sequenceFloor: Int64?
  /// How many signatures are remembered.
  var usedSignatures: Int?
  /// Something above is not committed.
  var isProvisional = false

  var isOverfull: Bool {
    devices.count > Self.limit || mailboxCounts.count > Self.limit || zones.count > Self.limit
      || databases.count > Self.limit
      || typeKeys.count > Self.limit
      || sequences.count > Self.limit || watchers.count > Self.limit || followed.count > Self.limit
  }
}

// MARK: Bodies, in the order of events

extension SQLiteTransaction {
  func bodyBegins() {
    seen.removeAll(keepingCapacity: true)
    logGrew = false
    indexDelay.bodyBegins()
    if cache.isOverfull { cache = TransactionCache() }
  }

  /// Writes what was kept in memory for the length of the body.
  func bodyEnds() throws {
    for database in cache.changedSequences {
      try connection.run(Self.setSequence) {
        $0.bind(1, cache.sequences[database] ?? 0)
        $0.bind(2, database)
      }
    }
    cache.changedSequences = []
    cache.isProvisional = false
  }

  func bodyFailed() {
    logGrew = false
    if cache.isProvisional { cache = TransactionCache() }
  }

  /// The whole group is undone.
  func groupFailed() {
    logGrew = false
    seen = [:]
    cache = TransactionCache()
  }

  func noteLogGrew(followed: Bool) {
    if followed || unfollowedEntries >= CommitSignals.unfollowedEntries { logGrew = true }
    unfollowedEntries = logGrew ? 0 : unfollowedEntries + 1
  }

  private static let setSequence = SQL("UPDATE databases SET sequence = ?1 WHERE id = ?2")
}
