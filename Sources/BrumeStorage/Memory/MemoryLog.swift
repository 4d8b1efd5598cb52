// The log in memory.

import BrumeModel

final class MemoryLog: MemoryFeature, LogWriting {
  func entries(in bucket: Bucket, after position: Int64, limit: Int) throws -> [LogEntry] {
    let log = draft.state.buckets[bucket.number].log
    // What is wanted is at the end, behind what is kept for the history.
    let start = log.lastIndex { $0.position <= position }.map { $0 + 1 } ?? 0
    return Array(log[start...].prefix(limit))
  }

  func lastPosition(in bucket: Bucket) throws -> Int64 {
    draft.state.buckets[bucket.number].lastLogPosition
  }

  func lastPositions() throws -> LogPositions {
    var positions = LogPositions()
    for (number, bucket) in draft.state.buckets.enumerated() {
      positions[Bucket(number)] = bucket.lastLogPosition
    }
    return positions
  }

  func bucket(of database: DatabaseKey) -> Bucket { draft.bucket(of: database) }

  func append(
    _ event: LogEntry.Event, in database: DatabaseKey, origin: Origin
  ) throws -> Int64 {
    draft.requireScope(.database(database))
    let number = draft.bucket(of: database).number
    let position = draft.state.buckets[number].lastLogPosition + 1
    draft.state.buckets[number].lastLogPosition = position
    draft.state.buckets[number].log.append(
      LogEntry(position: position, database: database, event: event, origin: origin))
    return position
  }

  func trim(in bucket: Bucket, through position: Int64) throws {
    draft.requireScope(.bucket(bucket))
    draft.state.buckets[bucket.number].log.removeAll { $0.position <= position }
  }

  func trim(
    in bucket: Bucket, through position: Int64, before time: Milliseconds, rows: Int
  ) throws {
    let log = draft.state.buckets[bucket.number].log
    let oldest = log.prefix { $0.position <= position }.prefix(max(0, rows))
    if let old = oldest.last(where: { $0.origin.time < time }) {
      try trim(in: bucket, through: old.position)
    }
  }

  func dropImages(
    in bucket: Bucket, after start: Int64, through end: Int64, largerThan bytes: Int
  ) throws {
    draft.requireScope(.bucket(bucket))
    for (index, entry) in draft.state.buckets[bucket.number].log.enumerated()
    where entry.position > start && entry.position <= end && size(of: entry) > bytes {
      draft.state.buckets[bucket.number].log[index] = entry.withoutImage
    }
  }

  /// Of its image, as an engine with columns would store it.
  private func size(of entry: LogEntry) -> Int {
    guard case .record(let change) = entry.event, case .value(let record)? = change.image?.content
    else { return entry.imageBytes }
    return draft.coders.record.encode(record).count
  }

  func newest(_ filter: LogFilter, limit: Int) throws -> [LogEntry] {
    let found = draft.state.buckets.flatMap { bucket in
      bucket.log.reversed().lazy.filter(filter.admits).prefix(max(0, limit))
    }
    // In one bucket they are in the order of commits, whatever the clock said.
    if draft.bucketCount == 1 { return found }
    return Array(found.sorted { $0.origin.time > $1.origin.time }.prefix(max(0, limit)))
  }
}

extension LogEntry {
  fileprivate var withoutImage: LogEntry {
    guard case .record(let change) = event else { return self }
    let rest = RecordChange(
      record: change.record, recordType: change.recordType, kind: change.kind, image: nil,
      coveringShares: change.coveringShares)
    return LogEntry(position: position, database: database, event: .record(rest), origin: origin)
  }
}
