// What all transactions of a process share.

import BrumeModel
import BrumeStorage

struct Node: Sendable {
  let coders: StoreCoders
  /// Into how many buckets the store is divided.
  let bucketCount: Int
  let leases: PostgresLeases
  let numbers = PlaceNumbers()

  init(coders: StoreCoders, bucketCount: Int, leases: PostgresLeases) {
    self.coders = coders
    self.bucketCount = bucketCount
    self.leases = leases
  }
}
