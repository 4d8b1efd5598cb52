// The unit in which a store is divided: of the lock, of the log, of the lease, of distribution.

/// A part of a store. A database is in one bucket with all that it holds; a user's devices, mailboxes and
/// kept notifications are in the bucket of their private database.
package struct Bucket: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// From 0 to the store's number of buckets, excluded.
  package let number: Int

  package init(_ number: Int) {
    precondition(number >= 0, "buckets are counted from 0")
    self.number = number
  }

  /// The bucket of stores that have one: SQLite and memory.
  package static let only = Bucket(0)

  /// The bucket of a database in a store with `count` buckets. It never changes: engines keep it.
  package init(of database: DatabaseKey, among count: Int) {
    precondition(count > 0, "a store has a bucket")
    var hash = StableHash()
    hash.add(database.container.name)
    hash.add(database.environment.rawValue)
    hash.add(database.ownerName)
    self.init(Int(hash.value % UInt64(count)))
  }

  /// In the order of their numbers, which is that of locking.
  package static func < (a: Bucket, b: Bucket) -> Bool { a.number < b.number }
  package var description: String { String(number) }
}
