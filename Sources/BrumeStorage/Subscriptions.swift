// The port's part for subscriptions.

package import BrumeModel

/// Lists leave out what is damaged. Every call throws what ``ReadTransaction`` says.
package protocol SubscriptionReading: AnyObject {
  /// A user's subscription by its ID; nil if there is none.
  ///
  /// - Throws: also the `BrumeError` for damage, if it cannot be read.
  func find(_ id: String, in scope: SubscriptionScope) throws -> StoredSubscription?
  /// All of one user in one database, in ID order.
  func all(in scope: SubscriptionScope) throws -> [StoredSubscription]
  /// Those of several users, in one exchange.
  func all(in scopes: [SubscriptionScope]) throws -> [StoredSubscription]
  /// Every subscription that changes in a bucket can concern, in a stable order: those after `cursor` (nil: from the
  /// start), at most `limit`, with the cursor to go on from.
  ///
  /// - Parameter withShared: whether those to shared databases are among them, which concern all buckets.
  func page(
    watching bucket: Bucket, withShared: Bool, after cursor: Int64?, limit: Int
  ) throws -> (subscriptions: [StoredSubscription], next: Int64?)
  /// Whether a change's log entry needs its image: some query subscription watches this record type in this database, or
  /// in somebody's shared database that a zone with shares may be part of. The zone has been read in this transaction. An
  /// engine that would have to look in other buckets for the latter may say yes of any zone with shares.
  func hasQueries(on recordType: String, in database: DatabaseKey) throws -> Bool
}

extension SubscriptionReading {
  package func all(in scopes: [SubscriptionScope]) throws -> [StoredSubscription] {
    try scopes.flatMap { try all(in: $0) }
  }

  /// As `find`, for callers that cannot report damage: nil also for one that is damaged.
  package func findWhole(_ id: String, in scope: SubscriptionScope) throws -> StoredSubscription? {
    try BrumeError.unlessDamaged { try find(id, in: scope) }
  }
}

/// Every call throws what ``WriteTransaction`` says; the write's scope has the database in whose log the
/// subscription's changes are.
package protocol SubscriptionWriting: SubscriptionReading {
  /// Inserts or overwrites by scope and ID.
  func put(_ subscription: StoredSubscription) throws
  /// Answers whether there was one.
  @discardableResult
  func remove(_ id: String, in scope: SubscriptionScope) throws -> Bool
}
