// The log in memory.

import BrumeModel

extension MemoryTransaction {
  func log(in bucket: Bucket, after position: Int64, limit: Int) throws -> [LogEntry] {
    let start = state.log.firstIndex { $0.position > position } ?? state.log.endIndex
    return Array(state.log[start...].prefix(limit))
  }

  func lastLogPosition(in bucket: Bucket) throws -> Int64 { state.lastLogPosition }

  func lastLogPositions() throws -> LogPositions {
    LogPositions(state.lastLogPosition, in: .only)
  }

  func bucket(of database: DatabaseKey) -> Bucket { .only }

  func append(
    _ event: LogEntry.Event, in database: DatabaseKey, origin: Origin
  ) throws -> Int64 {
    requireScope(.database(database))
    state.lastLogPosition += 1
    state.log.append(
      LogEntry(
        position: state.lastLogPosition, database: database, event: event, origin: origin))
    return state.lastLogPosition
  }

  func trimLog(in bucket: Bucket, through position: Int64) throws {
    requireScope(.bucket(bucket))
    state.log.removeAll { $0.position <= position }
  }
}
