// What all transactions of a process share.

import BrumeModel
import BrumeStorage

struct Node: Sendable {
  let coders: StoreCoders
  /// Into how many buckets the store is divided.
  let bucketCount: Int
  let numbers = PlaceNumbers()

  init(coders: StoreCoders, bucketCount: Int) {
    self.coders = coders
    self.bucketCount = bucketCount
  }
}
