// Records in memory.

import BrumeModel

final class MemoryRecords: RecordWriting {
  private let draft: MemoryDraft
  private let assets: MemoryAssets

  init(_ draft: MemoryDraft, _ assets: MemoryAssets) {
    self.draft = draft
    self.assets = assets
  }

  func find(_ key: RecordKey) throws -> StoredRecord? {
    draft.zone(of: key.zone)?.records[ByteText(key.name)].map(draft.stored)
  }

  func deleted(_ key: RecordKey) throws -> DeletedRecord? {
    draft.zone(of: key.zone)?.deletions[ByteText(key.name)]
      .map { gone in
        DeletedRecord(
          type: gone.line.type, creator: gone.creator, coveringShares: gone.line.coveringShares)
      }
  }

  func children(of key: RecordKey, limit: Int) throws -> [String] {
    names(in: key.zone, limit: limit) { record in
      record.parent.map { ByteText($0) == ByteText(key.name) } ?? false
    }
  }

  func descendants(of roots: [String], in zone: ZoneKey, limit: Int) throws -> [String] {
    let children = childrenByParent(in: zone)
    var found: Set<ByteText> = []
    var open = roots.map { ByteText($0) }
    while let next = open.popLast(), found.count < limit {
      for name in children[next] ?? [] where found.insert(name).inserted { open.append(name) }
    }
    return found.prefix(limit).map(\.text)
  }

  func depth(
    below key: RecordKey, levels: Int, limit: Int
  ) throws -> (levels: Int, records: Int) {
    let children = childrenByParent(in: key.zone)
    var (level, count) = (0, 0)
    var open = children[ByteText(key.name)] ?? []
    while !open.isEmpty, level < levels, count < limit {
      level += 1
      count = min(limit, count + open.count)
      open = open.flatMap { children[$0] ?? [] }
    }
    return (level, count)
  }

  private func childrenByParent(in zone: ZoneKey) -> [ByteText: [ByteText]] {
    var children: [ByteText: [ByteText]] = [:]
    for (name, kept) in draft.zone(of: zone)?.records ?? [:] {
      guard let parent = kept.record.parent else { continue }
      children[ByteText(parent), default: []].append(name)
    }
    return children
  }

  func referrers(
    to key: RecordKey, by action: Reference.Action, limit: Int
  ) throws -> [String] {
    let pointer = Record.Pointer(target: ByteText(key.name), action: action)
    return names(in: key.zone, limit: limit) { $0.pointers(within: key.zone).contains(pointer) }
  }

  func put(_ record: Record, in zone: ZoneKey, sequence: Int64) throws -> StoredRecord {
    draft.requireScope(.database(zone.database))
    let bytes = draft.coders.record.encode(record)
    let kept = MemoryRecord(
      record: try draft.coders.record.decode(bytes), bytes: bytes, sequence: sequence)
    assets.letGo(
      from: draft.zone(of: zone)?.records[ByteText(record.name)]?.record, to: kept.record)
    draft.change(zone) {
      $0.deletions[ByteText(record.name)] = nil
      $0.records[ByteText(record.name)] = kept
    }
    return draft.stored(kept)
  }

  func remove(_ key: RecordKey, type: String, coveringShares: [String], sequence: Int64) throws {
    draft.requireScope(.database(key.zone.database))
    let old = draft.zone(of: key.zone)?.records[ByteText(key.name)]?.record
    assets.letGo(from: old, to: nil)
    let creator = key.zone.database.owner == nil ? old?.created?.user : nil
    draft.change(key.zone) {
      $0.records[ByteText(key.name)] = nil
      let line = StoredDeletion(
        name: key.name, type: type, coveringShares: coveringShares, sequence: sequence)
      $0.deletions[ByteText(key.name)] = (line, creator)
    }
  }

  func removeAll(in zone: ZoneKey) throws {
    draft.requireScope(.database(zone.database))
    for kept in draft.zone(of: zone)?.records.values.map(\.record) ?? [] {
      assets.letGo(from: kept, to: nil)
    }
    draft.change(zone) {
      $0.records = [:]
      $0.deletions = [:]
    }
  }

  func forgetDeletions(
    of names: [String], in zone: ZoneKey, through sequence: Int64
  ) throws -> Int {
    draft.requireScope(.database(zone.database))
    let kept = draft.zone(of: zone)?.deletions ?? [:]
    let gone = Set(names.map { ByteText($0) }).filter {
      kept[$0].map { $0.line.sequence <= sequence } ?? false
    }
    if gone.isEmpty { return 0 }
    draft.change(zone) { zone in for name in gone { zone.deletions[name] = nil } }
    return gone.count
  }

  private func names(
    in zone: ZoneKey, limit: Int, where condition: (Record) -> Bool
  ) -> [String] {
    let found = draft.zone(of: zone)?.records.filter { condition($0.value.record) } ?? [:]
    return found.keys.sorted().prefix(limit).map(\.text)
  }
}
