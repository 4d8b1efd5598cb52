// How far something has come in the logs of a store's buckets.

/// A position in the log of each bucket; 0 in those that are not named, where nothing was passed yet.
///
/// Positions of different buckets cannot be compared: each log counts by itself.
package struct LogPositions: Hashable, Sendable {
  private var positions: [Bucket: Int64] = [:]

  /// At the beginning of every log.
  package init() {}

  package init(_ position: Int64, in bucket: Bucket) { self[bucket] = position }

  /// The position in a bucket's log; 0 if nothing of it was passed.
  package subscript(bucket: Bucket) -> Int64 {
    get { positions[bucket] ?? 0 }
    set { positions[bucket] = newValue == 0 ? nil : newValue }
  }

  /// The buckets in which something was passed, in order.
  package var buckets: [Bucket] { positions.keys.sorted() }
}
