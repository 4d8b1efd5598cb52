// What all transactions of a process share.

import BrumeModel
import BrumeStorage

struct Node: Sendable {
  let coders: StoreCoders
  /// Into how many buckets the store is divided.
  let bucketCount: Int
  let leases: PostgresLeases
  let numbers = PlaceNumbers()
  let acknowledgements: Acknowledgements
  let webhooks = KnownWebhooks()
  /// Whether a server that may lose what it has confirmed will do, for tests.
  let acceptsLoss: Bool
  /// False only where a test shows what the locks are for.
  let locksBuckets: Bool

  init(
    coders: StoreCoders, bucketCount: Int, leases: PostgresLeases, acceptsLoss: Bool,
    locksBuckets: Bool = true
  ) {
    self.coders = coders
    self.bucketCount = bucketCount
    self.leases = leases
    self.acceptsLoss = acceptsLoss
    self.locksBuckets = locksBuckets
    acknowledgements = Acknowledgements(isOrdered: locksBuckets)
  }
}
