// The change feed in memory.

import BrumeModel

final class MemoryChanges: MemoryFeature, ChangeReading {
  func page(
    in zone: ZoneKey, after: Int64, through: Int64, limit: Int, byteLimit: Int, newestFirst: Bool
  ) throws -> [StoredChange] {
    guard let zone = draft.zone(of: zone), after < through else { return [] }
    let range = after + 1...through
    var changes = zone.records.values.filter { range.contains($0.sequence) }
      .map { ($0.sequence, StoredChange.changed(draft.stored($0))) }
    for (_, gone) in zone.deletions where range.contains(gone.line.sequence) {
      changes.append((gone.line.sequence, .deleted(gone.line)))
    }
    var bytes = 0
    return changes.sorted { newestFirst ? $0.0 > $1.0 : $0.0 < $1.0 }.map(\.1).prefix(limit)
      .prefix { change in
        defer { bytes += change.byteCount }
        return bytes < byteLimit
      }
  }

  func deletions(
    in zone: ZoneKey, after: Int64, through: Int64, limit: Int
  ) throws -> [StoredDeletion] {
    guard let zone = draft.zone(of: zone), after < through else { return [] }
    let range = after + 1...through
    return Array(
      zone.deletions.values.map(\.line).filter { range.contains($0.sequence) }
        .sorted { $0.sequence < $1.sequence }.prefix(limit))
  }
}
