// Going back through the log from one change, for one zone.

import BrumeCore
import BrumeModel
import BrumeStorage

/// What became of a zone's records since a position of the log, and what is known of them before it.
struct ZoneWalk {
  private struct Next {
    let position: Int64
    let change: RecordChange
  }
  private let zone: ZoneKey
  private let place: (bucket: Bucket, position: Int64)
  private let limits: Limits
  private let transaction: any ReadTransaction
  /// The first change since, of each record that has one.
  private var next: [ByteText: Next] = [:]
  /// In the order of their changes.
  private var names: [ByteText] = []
  /// Where the zone was deleted since.
  private(set) var deletion: Int64?
  private(set) var isComplete = true

  init(
    _ zone: ZoneKey, _ place: (bucket: Bucket, position: Int64), _ limits: Limits,
    _ transaction: any ReadTransaction
  ) {
    self.zone = zone
    self.place = place
    self.limits = limits
    self.transaction = transaction
  }

  mutating func forwards() throws {
    var position = place.position
    while true {
      try Task.checkCancellation()
      let page = try transaction.log.entries(
        in: place.bucket, after: position, limit: limits.notifierEntries,
        imageBytes: limits.notifierBytes)
      guard let last = page.last else { return }
      for entry in page { note(entry) }
      if deletion != nil { return }
      position = last.position
    }
  }

  private mutating func note(_ entry: LogEntry) {
    guard entry.event.zone == zone, deletion == nil else { return }
    switch entry.event {
    case .zoneDeleted: deletion = entry.position
    case .record(let change):
      let name = ByteText(change.record.name)
      guard next[name] == nil else { return }
      next[name] = Next(position: entry.position, change: change)
      names.append(name)
    case .zoneCreated, .membership, .subscription: break
    }
  }

  /// Records that changed since.
  mutating func changed() throws -> [PastZone.Item] {
    let some = names.prefix(limits.operatorListPage)
    if some.count < names.count { isComplete = false }
    // An update says what came of it, a deletion what was before it; of a creation it is known without.
    let wanted = some.filter { next[$0].map { Self.content(before: $0.change) == nil } ?? false }
    let earlier = try backwards(Set(wanted))
    return some.compactMap { name in
      guard let next = next[name] else { return nil }
      let item = Self.content(before: next.change) ?? earlier[name] ?? .unknown
      return PastZone.Item(
        name.text, type: next.change.recordType, item.state, record: item.record,
        nextChange: "\(place.bucket)-\(next.position)")
    }
  }

  private enum Content {
    case there(StoredRecord)
    case absent
    case unknown

    var state: PastZone.Item.State {
      switch self {
      case .there: .other
      case .absent: .absent
      case .unknown: .unknown
      }
    }
    var record: StoredRecord? { if case .there(let record) = self { record } else { nil } }
  }

  /// What the first change since says of the record before it; nil: nothing.
  private static func content(before next: RecordChange) -> Content? {
    switch next.kind {
    case .created: .absent
    case .updated: nil
    case .deleted: next.image.flatMap { $0.isUnreadable ? nil : .there($0) }
    }
  }

  /// The last change before, of each of these records.
  private func backwards(_ wanted: Set<ByteText>) throws -> [ByteText: Content] {
    if wanted.isEmpty { return [:] }
    var found: [ByteText: Content] = [:]
    for entry in try transaction.log.walkBack(
      in: place.bucket, before: place.position + 1, most: limits.historyRows)
    {
      guard case .record(let change) = entry.event, change.record.zone == zone else { continue }
      let name = ByteText(change.record.name)
      guard wanted.contains(name), found[name] == nil else { continue }
      switch (change.kind, change.image) {
      case (.deleted, _): found[name] = .absent
      case (_, let image?) where !image.isUnreadable: found[name] = .there(image)
      default: found[name] = .unknown
      }
      if found.count == wanted.count { break }
    }
    return found
  }

  /// Records that are as they were.
  mutating func unchanged() throws -> [PastZone.Item] {
    var items: [PastZone.Item] = []
    var (position, bytes): (Int64, Int) = (0, limits.answerBytes)
    let page = limits.operatorListPage
    while bytes > 0 {
      try Task.checkCancellation()
      let found = try transaction.changes.page(
        in: zone, after: position, through: .max, limit: page, byteLimit: bytes, newestFirst: false)
      guard let last = found.last else { return items }
      for case .changed(let stored) in found where next[ByteText(stored.name)] == nil {
        guard items.count < page else {
          isComplete = false
          return items
        }
        items.append(PastZone.Item(stored.name, type: stored.type, .same, record: stored))
        bytes -= stored.byteCount
      }
      position = last.sequence
    }
    isComplete = false
    return items
  }
}
