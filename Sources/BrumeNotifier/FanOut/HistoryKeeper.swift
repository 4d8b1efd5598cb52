// What a transaction of the notifier adds to the history of deliveries, and what of it and of the log it drops.
//
// The changes themselves are not copied: the log keeps them for a while longer. So a history costs one row for
// each change that concerns somebody, in the transaction that delivers it (docs/internals/trace.md).

import BrumeCore
import BrumeModel
import BrumeStorage

/// Where the history of a bucket is before a transaction.
struct HistoryPlace: Sendable {
  /// The number of the newest delivery.
  var lastDelivery: Int64 = 0
  /// It is time to drop what is too old.
  var sweeps = false
  /// The log position behind which images may be too large to be kept; nil if none is.
  var largeImagesAfter: Int64?
  /// Changes and deliveries that are kept of this bucket.
  var rows = 0
}

/// The history's part of one transaction.
struct HistoryKeeper {
  private let place: HistoryPlace
  private let bucket: Bucket
  private let limits: Limits
  private let generation: Int64
  private let now: Milliseconds
  private var packer = Packer()
  private var deliveries = 0
  private var rows: [ServedChange] = []
  private(set) var lastDelivery: Int64

  init(
    _ place: HistoryPlace, of bucket: Bucket, _ limits: Limits, generation: Int64,
    now: Milliseconds
  ) {
    self.place = place
    self.bucket = bucket
    self.limits = limits
    self.generation = generation
    self.now = now
    lastDelivery = place.lastDelivery
  }

  private var isOn: Bool { limits.historyAge > 0 }

  /// A subscription was served or refused.
  mutating func note(_ delivery: @autoclosure () -> ServedDelivery) {
    guard isOn else { return }
    delivery().add(to: &packer)
    deliveries += 1
  }

  /// All that was noted since the last call is of this change.
  mutating func ended(_ entry: LogEntry) {
    guard deliveries > 0 else { return }
    lastDelivery += Int64(deliveries)
    rows.append(
      ServedChange(
        last: lastDelivery, position: entry.position, generation: generation, time: now,
        deliveries: deliveries, bytes: packer.bytes))
    (packer, deliveries) = (Packer(), 0)
  }

  /// Writes what was noted, and drops what is beyond the bounds.
  ///
  /// - Parameters:
  ///   - cursor: how far the log is served.
  ///   - free: how far nobody else needs it.
  mutating func save(
    to transaction: any WriteTransaction, cursor: Int64, free: Int64
  ) throws {
    guard isOn else { return try forget(in: transaction, free) }
    if !rows.isEmpty { try transaction.history.append(rows, in: bucket) }
    try transaction.log.trim(in: bucket, through: min(free, cursor - Int64(place.rows)))
    let end = lastDelivery - Int64(place.rows)
    if end > 0 { try transaction.history.trim(in: bucket, through: end) }
    if let start = place.largeImagesAfter {
      try transaction.log.dropImages(
        in: bucket, after: start, through: cursor, largerThan: limits.historyImageBytes)
    }
    if place.sweeps { try sweep(transaction, free) }
  }

  private func sweep(_ transaction: any WriteTransaction, _ free: Int64) throws {
    let (time, most) = (now - limits.historyAge, limits.historySweepRows)
    try transaction.log.trim(in: bucket, through: free, before: time, rows: most)
    try transaction.history.trim(in: bucket, before: time, rows: most)
  }

  /// The history is off: nothing of one that was on before remains.
  private mutating func forget(in transaction: any WriteTransaction, _ free: Int64) throws {
    try transaction.log.trim(in: bucket, through: free)
    guard lastDelivery > 0 else { return }
    try transaction.history.trim(in: bucket, through: lastDelivery)
    lastDelivery = 0
  }
}
