// This counts the exchanges of the history of deliveries.

import BrumeModel
import BrumeStorage

final class CountedHistory<Inner: HistoryReading>: HistoryReading {
  private let inner: Inner
  private let count: ExchangeCount

  init(_ inner: Inner, _ count: ExchangeCount) {
    self.inner = inner
    self.count = count
  }

  func lastDelivery(in bucket: Bucket) throws -> Int64 {
    count.asks()
    return try inner.lastDelivery(in: bucket)
  }

  func served(at position: Int64, in bucket: Bucket) throws -> [ServedChange] {
    count.asks()
    return try inner.served(at: position, in: bucket)
  }

  func served(after delivery: Int64, in bucket: Bucket, limit: Int) throws -> [ServedChange] {
    count.asks()
    return try inner.served(after: delivery, in: bucket, limit: limit)
  }
}

extension CountedHistory: HistoryWriting where Inner: HistoryWriting {
  func append(_ served: [ServedChange], in bucket: Bucket) throws {
    count.writes()
    try inner.append(served, in: bucket)
  }

  func trim(in bucket: Bucket, through delivery: Int64) throws {
    count.writes()
    try inner.trim(in: bucket, through: delivery)
  }

  func trim(in bucket: Bucket, before time: Milliseconds, rows: Int) throws {
    count.writes()
    try inner.trim(in: bucket, before: time, rows: rows)
  }
}
