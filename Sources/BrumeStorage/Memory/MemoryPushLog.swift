// The log of what was sent, in memory.

import BrumeModel

final class MemoryPushLog: MemoryFeature, PushLogWriting {
  func entries(
    _ filter: PushLogFilter, after position: Int64, limit: Int
  ) throws -> [PushLogEntry] {
    Array(
      draft.state.pushLog.filter { $0.position > position && filter.admits($0) }.suffix(
        max(0, limit)))
  }

  func append(_ entries: [PushLogEntry], limit: Int) throws {
    for var entry in entries {
      draft.state.lastPushLogPosition += 1
      entry.position = draft.state.lastPushLogPosition
      draft.state.pushLog.append(entry)
    }
    if draft.state.pushLog.count > limit {
      draft.state.pushLog.removeFirst(draft.state.pushLog.count - max(0, limit))
    }
  }
}
