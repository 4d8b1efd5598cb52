// The log in memory.

import BrumeModel

final class MemoryLog: LogWriting {
  private let draft: MemoryDraft

  init(_ draft: MemoryDraft) { self.draft = draft }

  func entries(in bucket: Bucket, after position: Int64, limit: Int) throws -> [LogEntry] {
    let start = draft.state.log.firstIndex { $0.position > position } ?? draft.state.log.endIndex
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
}
