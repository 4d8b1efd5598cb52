// What a transaction locks, and the counters that the locks guard: of each bucket one row for saves, whose
// counter is the last position of the log, and one for mailboxes, whose counter is the last position there.
// Saves and notifications of a bucket do not wait for each other.
//
// A group locks what the scopes of its writes name, in one order, with its first exchange. What a body
// needs beyond that is locked when it asks; then two transactions may wait for each other, PostgreSQL
// ends one, and it runs again.

import BrumeModel
import BrumeStorage

final class Locks: Remembering {
  enum Kind: Int64 {
    /// Before the others: whoever does not own the bucket is to wait for nobody.
    case notifier
    case saves, mailboxes
  }
  struct Lock: Hashable, Comparable {
    let kind: Kind
    let bucket: Int64
    /// Of the notifier's lease.
    var epoch: Int64 = 0

    init(kind: Kind, bucket: Int64) {
      self.kind = kind
      self.bucket = bucket
    }

    init(kind: Kind, bucket: Bucket) { self.init(kind: kind, bucket: Int64(bucket.number)) }

    static func < (a: Lock, b: Lock) -> Bool {
      (a.kind.rawValue, a.bucket) < (b.kind.rawValue, b.bucket)
    }
  }
  /// The lock of what belongs to no bucket.
  static let server = Lock(kind: .saves, bucket: -1)
  /// The lock of attempts to sign in. One for all: each costs a tenth of a second of its server anyway.
  static let attempts = Lock(kind: .saves, bucket: -3)

  private let session: Session
  private let leases: PostgresLeases
  private let isLocking: Bool
  private var counters: [Lock: Int64] = [:]
  /// Taken, or to be taken with the next exchange.
  private var asked: Set<Lock> = []
  /// Whether the transaction takes locks, as all do that write.
  private(set) var isWriter = false

  init(_ session: Session, _ leases: PostgresLeases, isLocking: Bool) {
    self.session = session
    self.leases = leases
    self.isLocking = isLocking
  }

  /// The locks that a write of this scope needs, in the order of locking.
  static func all(of scope: WriteScope, among bucketCount: Int) -> [Lock] {
    Set(scope.parts.map { lock(for: $0, among: bucketCount) }).sorted()
  }

  private static func lock(for part: WriteScope.Part, among bucketCount: Int) -> Lock {
    guard let bucket = part.bucket(among: bucketCount) else { return server }
    switch part {
    case .database, .databases, .server: return Lock(kind: .saves, bucket: bucket)
    case .account, .bucket: return Lock(kind: .mailboxes, bucket: bucket)
    case .notifier(_, let epoch):
      var lock = Lock(kind: .notifier, bucket: bucket)
      lock.epoch = epoch
      return lock
    }
  }

  /// What takes a lock.
  func question(_ lock: Lock) -> Question {
    isWriter = true
    asked.insert(lock)
    return switch lock.kind {
    case .notifier: fence(lock)
    case .saves: counter(lock, Self.lockSaves)
    case .mailboxes: counter(lock, Self.lockMailboxes)
    }
  }

  private func counter(_ lock: Lock, _ sql: SQL) -> Question {
    Question(isLocking ? sql : Self.look, [.integer(lock.bucket)]) { [self] rows in
      guard let row = rows.first else { throw Self.noCounter(of: lock) }
      counters[lock] = row.integer(0)
    }
  }

  /// Without its row nobody knows what was given, and from 0 it would be given a second time.
  static func noCounter(of lock: Lock) -> StoreError {
    let table = lock.kind == .mailboxes ? "mail" : "buckets"
    return StoreError(
      .corrupt,
      "the table '\(table)' has no row of bucket \(lock.bucket), whose positions it counts: "
        + "nothing is written there; restore a backup")
  }

  /// A process whose lease has passed on writes nothing, however long it slept.
  private func fence(_ lock: Lock) -> Question {
    let claim: [SQLValue] = [.integer(lock.bucket), .text(leases.owner), .integer(lock.epoch)]
    return Question(Self.fence, claim) { rows in
      guard rows.count == 1 else {
        throw StoreError(.notOwned, "another process notifies for bucket \(lock.bucket) now")
      }
    }
  }

  /// What takes a lock, if the transaction does not have it.
  func missing(_ kind: Kind, in bucket: Bucket) -> [Question] {
    let lock = Lock(kind: kind, bucket: bucket)
    return asked.contains(lock) ? [] : [question(lock)]
  }

  /// Takes a lock. Answers whether the transaction did not have it, or has forgotten.
  func take(_ kind: Kind, in bucket: Bucket) throws -> Bool {
    let missing = missing(kind, in: bucket)
    try session.ask(missing)
    return !missing.isEmpty
  }

  /// Counts one on. It takes the lock if the transaction does not have it.
  func next(_ kind: Kind, in bucket: Bucket) throws -> Int64 {
    try next(Lock(kind: kind, bucket: bucket))
  }

  func next(_ lock: Lock) throws -> Int64 {
    let next = try last(lock) + 1
    counters[lock] = next
    let table = lock.kind == .mailboxes ? Self.mailboxesTable : Self.savesTable
    session.put([.integer(lock.bucket), .integer(next)], in: table)
    return next
  }

  private func last(_ lock: Lock) throws -> Int64 {
    if let known = counters[lock] { return known }
    try session.ask([question(lock)])
    guard let last = counters[lock] else { throw Self.noCounter(of: lock) }
    return last
  }

  /// What was counted is asked again. Locks that the undone body took are lost, and the others stay as long
  /// as the transaction; whoever needs one takes it again.
  func forget() { (counters, asked) = ([:], []) }

  private static let savesTable = Table(
    "buckets", key: [("bucket", .integer)], columns: [("last", .integer)])
  private static let mailboxesTable = Table(
    "mail", key: [("bucket", .integer)], columns: [("last", .integer)])
  private static let look = SQL("SELECT last FROM buckets WHERE bucket = $1")
  private static let lockSaves = lock("buckets")
  private static let fence = SQL(
    """
    UPDATE notifiers SET until = now() + interval '\(LeaseRound.lease) seconds'
    WHERE bucket = $1 AND owner = $2 AND epoch = $3 RETURNING epoch
    """)
  private static let lockMailboxes = lock("mail")
  // On Citus an update and not FOR UPDATE, which it does not carry over when it moves a shard, and by way of Citus: until the
  // transaction has ended, no shard moves of which Citus has planned a write. Elsewhere an update would leave a version of the
  // row for nothing.
  private static func lock(_ table: String) -> SQL {
    SQL(
      "SELECT last FROM \(table) WHERE bucket = $1 FOR UPDATE",
      onCitus: "UPDATE \(table) SET last = last WHERE bucket = $1 RETURNING last",
      rows: .anywhere, joined: JoinedSQL(SQL(inOrder(table)), [.integer]))
  }
  // Rows are locked when they have been sorted.
  private static func inOrder(_ table: String) -> String {
    """
    SELECT last, wanted.number
    FROM unnest($1::bigint[]) WITH ORDINALITY AS wanted (bucket, number)
      JOIN \(table) ON \(table).bucket = wanted.bucket
    ORDER BY \(table).bucket FOR UPDATE OF \(table)
    """
  }
}
