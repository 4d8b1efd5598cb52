// The audit log in memory.

import BrumeModel

final class MemoryAudit: MemoryFeature, AuditWriting {
  func entries(
    _ filter: AuditFilter, before position: Int64, limit: Int
  ) throws -> [AuditEntry] {
    let admitted = draft.state.audit.reversed().lazy.filter {
      $0.position < position && filter.admits($0)
    }
    return Array(admitted.prefix(max(0, limit)))
  }

  func append(_ entry: AuditEntry, keeping bounds: AuditBounds) throws {
    draft.requireScope(.server)
    var entry = entry
    draft.state.lastAuditPosition += 1
    entry.position = draft.state.lastAuditPosition
    draft.state.audit.append(entry)
    draft.state.audit.removeAll { $0.time < bounds.oldest }
    drop(beyond: bounds.lines) { !$0.isRefused }
    drop(beyond: bounds.refusals) { $0.isRefused }
  }

  private func drop(beyond limit: Int, where isCounted: (AuditEntry) -> Bool) {
    let excess = draft.state.audit.count(where: isCounted) - max(0, limit)
    for _ in 0..<max(0, excess) {
      draft.state.audit.firstIndex(where: isCounted).map { _ = draft.state.audit.remove(at: $0) }
    }
  }

  func setStatus(_ status: Int, ofRequest requestID: String) throws {
    draft.requireScope(.server)
    let index = draft.state.audit.lastIndex { $0.requestID == requestID && $0.status == nil }
    if let index { draft.state.audit[index].status = status }
  }
}
