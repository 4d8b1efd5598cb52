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
  private var counters: [Lock: Int64] = [:]
  /// Taken, or to be taken with the next exchange.
  private var asked: Set<Lock> = []
  /// Whether the transaction takes locks, as all do that write.
  private(set) var isWriter = false

  init(_ session: Session) { self.session = session }

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

  /// What takes a lock.
  func question(_ lock: Lock) -> Question {
    isWriter = true
    asked.insert(lock)
    return Question(
      lock.kind == .saves ? Self.lockSaves : Self.lockMailboxes, [.integer(lock.bucket)]
    ) { [self] rows in counters[lock] = rows.first?.integer(0) ?? 0 }
  }

  /// What takes a lock, if the transaction does not have it.
  func missing(_ kind: Kind, in bucket: Bucket) -> [Question] {
    let lock = Lock(kind: kind, bucket: bucket)
    return asked.contains(lock) ? [] : [question(lock)]
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

  /// What was counted is asked again. Locks that the undone body took are lost, and the others stay as long
  /// as the transaction; whoever needs one takes it again.
  func forget() { (counters, asked) = ([:], []) }

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
  // An update and not FOR UPDATE, which Citus does not carry over when it moves a shard.
  private static let lockSaves = SQL(
    "UPDATE buckets SET last = last WHERE bucket = $1 RETURNING last")
  private static let lockMailboxes = SQL(
    "UPDATE mail SET last = last WHERE bucket = $1 RETURNING last")
}
