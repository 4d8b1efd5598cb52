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
  /// False only where a test shows what the locks are for.
  let locksBuckets: Bool

  init(
    coders: StoreCoders, bucketCount: Int, leases: PostgresLeases, locksBuckets: Bool = true
  ) {
    self.coders = coders
    self.bucketCount = bucketCount
    self.leases = leases
    self.locksBuckets = locksBuckets
    acknowledgements = Acknowledgements(isOrdered: locksBuckets)
  }
}
