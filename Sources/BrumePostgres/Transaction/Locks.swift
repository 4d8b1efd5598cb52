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
    case saves, mailboxes
  }
  struct Lock: Hashable, Comparable {
    let kind: Kind
    let bucket: Int64

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

  private let session: Session
  private let isLocking: Bool
  private var counters: [Lock: Int64] = [:]
  /// Whether the transaction has taken a lock, as all do that write.
  private(set) var isWriter = false

  init(_ session: Session, isLocking: Bool = true) {
    self.session = session
    self.isLocking = isLocking
  }

  /// The locks that a write of this scope needs, in the order of locking.
  static func all(of scope: WriteScope, among bucketCount: Int) -> [Lock] {
    var locks: Set<Lock> = []
    for part in scope.parts {
      switch part {
      case .database(let database):
        let bucket = Bucket(of: database, among: bucketCount)
        locks.insert(Lock(kind: .saves, bucket: bucket))
      case .account(let user, let containerEnvironment):
        let own = DatabaseKey(in: containerEnvironment, owner: user)
        let bucket = Bucket(of: own, among: bucketCount)
        locks.insert(Lock(kind: .mailboxes, bucket: bucket))
      case .bucket(let bucket):
        locks.insert(Lock(kind: .mailboxes, bucket: bucket))
      case .server: locks.insert(server)
      }
    }
    return locks.sorted()
  }

  func question(_ lock: Lock) -> Question {
    Question(isLocking ? Self.statement(lock.kind) : Self.look, [.integer(lock.bucket)]) {
      [self] rows in
      counters[lock] = rows.first?.integer(0) ?? 0
      isWriter = true
    }
  }

  /// What takes a lock, if the transaction does not have it.
  func missing(_ kind: Kind, in bucket: Bucket) -> [Question] {
    let lock = Lock(kind: kind, bucket: Int64(bucket.number))
    return counters[lock] == nil ? [question(lock)] : []
  }

  /// Takes a lock. Answers whether the transaction did not have it, or has forgotten.
  func take(_ kind: Kind, in bucket: Bucket) throws -> Bool {
    let missing = missing(kind, in: bucket)
    try session.ask(missing)
    return !missing.isEmpty
  }

  /// Counts one on. Takes the lock if the transaction does not have it.
  func next(_ kind: Kind, in bucket: Bucket) throws -> Int64 {
    let lock = Lock(kind: kind, bucket: bucket)
    let next = try last(lock) + 1
    counters[lock] = next
    session.put([.integer(lock.bucket), .integer(next)], in: Self.table(kind))
    return next
  }

  private func last(_ lock: Lock) throws -> Int64 {
    if let known = counters[lock] { return known }
    try session.ask([question(lock)])
    return counters[lock] ?? 0
  }

  /// The locks stay as long as the transaction; what was counted under them is asked again.
  func forget() { counters = [:] }

  private static func statement(_ kind: Kind) -> SQL {
    switch kind {
    case .saves: lockSaves
    case .mailboxes: lockMailboxes
    }
  }
  private static func table(_ kind: Kind) -> Table {
    switch kind {
    case .saves: savesTable
    case .mailboxes: mailboxesTable
    }
  }
  private static let savesTable = Table(
    "buckets", key: [("bucket", .integer)], columns: [("last", .integer)])
  private static let mailboxesTable = Table(
    "mail", key: [("bucket", .integer)], columns: [("last", .integer)])
  private static let look = SQL("SELECT last FROM buckets WHERE bucket = $1")
  // An update and not FOR UPDATE, which Citus does not carry over when it moves a shard.
  private static let lockSaves = SQL(
    "UPDATE buckets SET last = last WHERE bucket = $1 RETURNING last")
  private static let lockMailboxes = SQL(
    "UPDATE mail SET last = last WHERE bucket = $1 RETURNING last")
}
