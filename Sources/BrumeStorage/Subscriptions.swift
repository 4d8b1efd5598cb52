// The port's part for subscriptions.

package import BrumeModel

package protocol SubscriptionReading {
  func subscription(_ id: String, in scope: SubscriptionScope) throws -> StoredSubscription?
  /// All of one user in one database, in ID order.
  func subscriptions(in scope: SubscriptionScope) throws -> [StoredSubscription]
  /// Every subscription of the store in a stable order, for building the matcher's index: those
  /// after `cursor` (nil: from the start), at most `limit`, with the cursor to go on from.
  func allSubscriptions(
    after cursor: Int64?, limit: Int
  ) throws -> (subscriptions: [StoredSubscription], next: Int64?)
  /// True if some query subscription watches this record type in this database: only then does a
  /// change's log entry need its image.
  func hasQuerySubscriptions(on recordType: String, in database: DatabaseKey) throws -> Bool
}

package protocol SubscriptionWriting {
  /// Inserts or overwrites by scope and ID.
  func put(_ subscription: StoredSubscription) throws
  /// Answers whether there was one.
  @discardableResult
  func removeSubscription(_ id: String, in scope: SubscriptionScope) throws -> Bool
}
