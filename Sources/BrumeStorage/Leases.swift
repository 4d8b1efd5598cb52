// Who notifies for a bucket. Where several processes share a store, each owns some buckets for a while.
//
// An engine gives a commit hint for each bucket that it gets, and refuses the fan-out of a process that
// does not own the bucket any more, so a late answer here does no harm.

package import BrumeModel

package protocol Leases: Sendable {
  /// Whether this process notifies for a bucket now.
  func owns(_ bucket: Bucket) -> Bool
}

/// The leases of a store that one process holds alone.
package struct AlwaysOwned: Leases {
  package init() {}
  package func owns(_ bucket: Bucket) -> Bool { true }
}
