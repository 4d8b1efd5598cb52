// The history of deliveries, in memory.

import BrumeModel

final class MemoryHistory: MemoryFeature, HistoryWriting {
  private func history(of bucket: Bucket) -> [ServedChange] {
    draft.state.buckets[bucket.number].history
  }

  func lastDelivery(in bucket: Bucket) throws -> Int64 { history(of: bucket).last?.last ?? 0 }

  func served(at position: Int64, in bucket: Bucket) throws -> [ServedChange] {
    history(of: bucket).filter { $0.position == position }
  }

  func served(after delivery: Int64, in bucket: Bucket, limit: Int) throws -> [ServedChange] {
    Array(history(of: bucket).drop { $0.last <= delivery }.prefix(max(0, limit)))
  }

  func append(_ served: [ServedChange], in bucket: Bucket) throws {
    draft.requireScope(.bucket(bucket))
    draft.state.buckets[bucket.number].history += served
  }

  func trim(in bucket: Bucket, through delivery: Int64) throws {
    draft.requireScope(.bucket(bucket))
    draft.state.buckets[bucket.number].history.removeAll { $0.last <= delivery }
  }

  func trim(in bucket: Bucket, before time: Milliseconds, rows: Int) throws {
    let old = history(of: bucket).prefix(max(0, rows)).last { $0.time < time }
    if let old { try trim(in: bucket, through: old.last) }
  }
}
