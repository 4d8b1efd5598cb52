// The port's part for subscriptions.

package import BrumeModel

package protocol SubscriptionReading: AnyObject {
  func find(_ id: String, in scope: SubscriptionScope) throws -> StoredSubscription?
  /// All of one user in one database, in ID order.
  func all(in scope: SubscriptionScope) throws -> [StoredSubscription]
  /// Every subscription of the store in a stable order, for building the matcher's index: those
  /// after `cursor` (nil: from the start), at most `limit`, with the cursor to go on from.
  func page(
    after cursor: Int64?, limit: Int
  ) throws -> (subscriptions: [StoredSubscription], next: Int64?)
  /// True if some query subscription watches this record type in this database: only then does a
  /// change's log entry need its image.
  func hasQueries(on recordType: String, in database: DatabaseKey) throws -> Bool
}

package protocol SubscriptionWriting: SubscriptionReading {
  /// Inserts or overwrites by scope and ID.
  func put(_ subscription: StoredSubscription) throws
  /// Answers whether there was one.
  @discardableResult
  func remove(_ id: String, in scope: SubscriptionScope) throws -> Bool
}
