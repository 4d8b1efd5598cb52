// Records and their change feed in memory.

import BrumeModel

extension MemoryTransaction {
  func record(_ key: RecordKey) throws -> StoredRecord? {
    zone(of: key.zone)?.records[ByteText(key.name)].map(stored)
  }

  func deletedRecord(_ key: RecordKey) throws -> DeletedRecord? {
    zone(of: key.zone)?.deletions[ByteText(key.name)]
      .map { DeletedRecord(type: $0.line.type, creator: $0.creator) }
  }

  func children(of key: RecordKey, limit: Int) throws -> [String] {
    names(in: key.zone, limit: limit) { record in
      record.parent.map { ByteText($0) == ByteText(key.name) } ?? false
    }
  }

  func descendants(of roots: [String], in zone: ZoneKey, limit: Int) throws -> [String] {
    guard let records = self.zone(of: zone)?.records else { return [] }
    let children = Dictionary(grouping: records.filter { $0.value.record.parent != nil }) {
      ByteText($0.value.record.parent ?? "")
    }
    var found: Set<ByteText> = []
    var open = roots.map { ByteText($0) }
    while let next = open.popLast(), found.count < limit {
      for (name, _) in children[next] ?? [] where found.insert(name).inserted { open.append(name) }
    }
    return found.prefix(limit).map(\.text)
  }

  func referrers(
    to key: RecordKey, by action: Reference.Action, limit: Int
  ) throws -> [String] {
    let pointer = Record.Pointer(target: ByteText(key.name), action: action)
    return names(in: key.zone, limit: limit) { $0.pointers(within: key.zone).contains(pointer) }
  }

  func changes(
    in zone: ZoneKey, after: Int64, through: Int64, limit: Int, byteLimit: Int, newestFirst: Bool
  ) throws -> [StoredChange] {
    guard let zone = self.zone(of: zone), after < through else { return [] }
    let range = after + 1...through
    var changes = zone.records.values.filter { range.contains($0.sequence) }
      .map { ($0.sequence, StoredChange.changed(stored($0))) }
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

  func put(_ record: Record, in zone: ZoneKey, sequence: Int64) throws -> StoredRecord {
    requireScope(.database(zone.database))
    let bytes = coders.record.encode(record)
    let kept = MemoryRecord(
      record: try coders.record.decode(bytes), bytes: bytes, sequence: sequence)
    assetsLetGo(from: self.zone(of: zone)?.records[ByteText(record.name)]?.record, to: kept.record)
    change(zone) {
      $0.deletions[ByteText(record.name)] = nil
      $0.records[ByteText(record.name)] = kept
    }
    return stored(kept)
  }

  func remove(_ key: RecordKey, type: String, coveringShares: [String], sequence: Int64) throws {
    requireScope(.database(key.zone.database))
    let old = zone(of: key.zone)?.records[ByteText(key.name)]?.record
    assetsLetGo(from: old, to: nil)
    let creator = key.zone.database.owner == nil ? old?.created?.user : nil
    change(key.zone) {
      $0.records[ByteText(key.name)] = nil
      let line = StoredDeletion(
        name: key.name, type: type, coveringShares: coveringShares, sequence: sequence)
      $0.deletions[ByteText(key.name)] = (line, creator)
    }
  }

  private func names(
    in zone: ZoneKey, limit: Int, where condition: (Record) -> Bool
  ) -> [String] {
    let found = self.zone(of: zone)?.records.filter { condition($0.value.record) } ?? [:]
    return found.keys.sorted().prefix(limit).map(\.text)
  }
}
