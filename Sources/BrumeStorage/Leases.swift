// Who notifies for a bucket. Where several processes share a store, each owns some buckets for a while.
//
// An engine gives a commit hint for each bucket that it gets, and refuses what is written under another lease
// than the present one, so a late answer here does no harm.

package import BrumeModel

/// Which buckets this process notifies for. For calls from any thread; they wait for nothing.
package protocol Leases: Sendable {
  /// The lease under which this process notifies for a bucket now; nil if another process does. Each lease of
  /// a bucket has a greater number than the one before, and whoever renews it keeps the number.
  func epoch(of bucket: Bucket) -> Int64?
  /// How many processes share the store, this one included, as far as it knows.
  var processes: Int { get }
  /// How many times buckets have come to this process. One whose lease ended here and was taken back, perhaps under the same
  /// number, comes again: what was to be done for it meanwhile was left.
  var arrivals: Int { get }
}

extension Leases {
  /// Whether this process notifies for a bucket now.
  package func owns(_ bucket: Bucket) -> Bool { epoch(of: bucket) != nil }
  package var arrivals: Int { 0 }
}

/// The leases of a store that one process holds alone.
package struct AlwaysOwned: Leases {
  package init() {}
  /// The only lease there is.
  package static let epoch: Int64 = 0
  package func epoch(of bucket: Bucket) -> Int64? { Self.epoch }
  package var processes: Int { 1 }
}
