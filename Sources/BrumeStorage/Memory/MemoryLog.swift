// The log in memory.

import BrumeModel

final class MemoryLog: LogWriting {
  private let draft: MemoryDraft

  init(_ draft: MemoryDraft) { self.draft = draft }

  func entries(in bucket: Bucket, after position: Int64, limit: Int) throws -> [LogEntry] {
    // What is wanted is at the end, behind what is kept for the history.
    let start = draft.state.log.lastIndex { $0.position <= position }.map { $0 + 1 } ?? 0
    return Array(draft.state.log[start...].prefix(limit))
  }

  func lastPosition(in bucket: Bucket) throws -> Int64 { draft.state.lastLogPosition }

  func lastPositions() throws -> LogPositions {
    LogPositions(draft.state.lastLogPosition, in: .only)
  }

  func bucket(of database: DatabaseKey) -> Bucket { .only }

  func append(
    _ event: LogEntry.Event, in database: DatabaseKey, origin: Origin
  ) throws -> Int64 {
    draft.requireScope(.database(database))
    draft.state.lastLogPosition += 1
    draft.state.log.append(
      LogEntry(
        position: draft.state.lastLogPosition, database: database, event: event, origin: origin))
    return draft.state.lastLogPosition
  }

  func trim(in bucket: Bucket, through position: Int64) throws {
    draft.requireScope(.bucket(bucket))
    draft.state.log.removeAll { $0.position <= position }
  }

  func trim(
    in bucket: Bucket, through position: Int64, before time: Milliseconds, rows: Int
  ) throws {
    let oldest = draft.state.log.prefix { $0.position <= position }.prefix(max(0, rows))
    if let old = oldest.last(where: { $0.origin.time < time }) {
      try trim(in: bucket, through: old.position)
    }
  }

  func dropImages(
    in bucket: Bucket, after start: Int64, through end: Int64, largerThan bytes: Int
  ) throws {
    draft.requireScope(.bucket(bucket))
    for (index, entry) in draft.state.log.enumerated()
    where entry.position > start && entry.position <= end && size(of: entry) > bytes {
      draft.state.log[index] = entry.withoutImage
    }
  }

  /// Of its image, as an engine with columns would store it.
  private func size(of entry: LogEntry) -> Int {
    guard case .record(let change) = entry.event, case .value(let record)? = change.image?.content
    else { return entry.imageBytes }
    return draft.coders.record.encode(record).count
  }

  func newest(_ filter: LogFilter, limit: Int) throws -> [LogEntry] {
    Array(draft.state.log.reversed().lazy.filter(filter.admits).prefix(max(0, limit)))
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
