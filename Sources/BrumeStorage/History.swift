// The port's part for the history of deliveries: what the notifier did for which change, for as long as an
// operator may ask why a push did not come. What its bytes say is the notifier's.

package import BrumeModel

/// What one transaction of the notifier did for one change, or for a part of a large fan-out.
package struct ServedChange: Equatable, Sendable {
  /// The number of its last delivery. Deliveries of a bucket are counted without gaps.
  package let last: Int64
  /// Where the change is in the log of its bucket.
  package let position: Int64
  /// Of the store, when its notifications were made: part of their IDs.
  package let generation: Int64
  /// When the notifier did it.
  package let time: Milliseconds
  /// How many deliveries the bytes hold: subscriptions that were served or refused, with their devices.
  package let deliveries: Int
  /// What was done, in the notifier's form; engines do not look inside.
  package let bytes: [UInt8]

  package init(
    last: Int64, position: Int64, generation: Int64, time: Milliseconds, deliveries: Int,
    bytes: [UInt8]
  ) {
    self.last = last
    self.position = position
    self.generation = generation
    self.time = time
    self.deliveries = deliveries
    self.bytes = bytes
  }
}

/// Every call throws what ``ReadTransaction`` says.
package protocol HistoryReading: AnyObject {
  /// The number of the newest delivery of a bucket; 0 if none is kept.
  func lastDelivery(in bucket: Bucket) throws -> Int64
  /// What was done for the change at a log position, in order.
  func served(at position: Int64, in bucket: Bucket) throws -> [ServedChange]
  /// What was done after the delivery with this number, in order, at most `limit`.
  func served(after delivery: Int64, in bucket: Bucket, limit: Int) throws -> [ServedChange]
}

/// Every call throws what ``WriteTransaction`` says; the write's scope has the bucket's notifier.
package protocol HistoryWriting: HistoryReading {
  /// Adds what was done, in order.
  func append(_ served: [ServedChange], in bucket: Bucket) throws
  /// Drops what ended with this delivery or before.
  func trim(in bucket: Bucket, through delivery: Int64) throws
  /// Looks at the oldest `rows` and drops those up to the last one that is older than `time`.
  func trim(in bucket: Bucket, before time: Milliseconds, rows: Int) throws
}
