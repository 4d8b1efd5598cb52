// An engine in memory for the tests of the planner: keeps rows of the index, with values as bytes that
// sort, and decides nothing. Zones have the number 1, records are numbered as they come.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage
import BrumeTestKit

final class RowEngine {
  struct Row: Hashable {
    let key: Int64
    let bytes: [UInt8]
    let name: ByteText
    let row: Int64
  }

  static let zone = SearchedZone(number: 1, name: "A")
  /// Whether rows bring their records along and were asked for the probes.
  let bringsRecords: Bool
  private(set) var records: [ByteText: FoundRecord] = [:]
  private(set) var rows: Set<Row> = []
  /// Records whose rows go later.
  private(set) var notes: [(type: RecordTypeRowKey, id: Int64, record: Record, row: Int64)] = []
  private var types: [RecordTypeRowKey: TypeKeys] = [:]
  private var lastNumber: Int64 = 0
  /// How often a single record or probe was asked for.
  private(set) var questions = 0
  /// Records that pages were filled with.
  private(set) var fetched = 0
  /// Names of records that cannot be read.
  var damaged: Set<String> = []

  init(bringsRecords: Bool) { self.bringsRecords = bringsRecords }

  private func nextNumber() -> Int64 {
    lastNumber += 1
    return lastNumber
  }

  /// Puts a record, or removes it, and says so to the index.
  func put(_ record: Record?, _ name: String, sequence: Int64, _ index: QueryIndex) throws {
    let old = records[ByteText(name)]
    let row = old?.row ?? nextNumber()
    records[ByteText(name)] = record.map { FoundRecord(row: row, record: $0, sequence: sequence) }
    try index.update(
      name, row: row, sequence: sequence, inZone: Self.zone.number, of: .sample(),
      from: old?.record, to: record)
  }

  func field(_ part: IndexPart) -> WantedField? { types[part.type]?.fields[part.field] }
}

// MARK: Keys

extension RowEngine: IndexKeyStoring {
  func keys(of type: RecordTypeRowKey) -> TypeKeys { types[type] ?? TypeKeys() }

  func add(_ part: IndexPart) {
    types[part.type, default: TypeKeys()].fields[part.field] = WantedField(
      builtTo: "", isStarted: false)
  }

  private func change(_ part: IndexPart, _ change: (inout WantedField) -> Void) {
    change(&types[part.type]!.fields[part.field]!)
  }

  func setBuilt(_ part: IndexPart, to name: String?) { change(part) { $0.builtTo = name } }
  func setBehind(_ part: IndexPart, _ sequence: Int64?) { change(part) { $0.behind = sequence } }
  func start(_ part: IndexPart) { change(part) { $0.isStarted = true } }

  func addKey(_ kind: IndexKind, of part: IndexPart, isSparse: Bool) -> Int64 {
    let key = IndexKey(id: nextNumber(), kind: kind, isSparse: isSparse, isCut: false)
    change(part) { $0.keys.append(key) }
    return key.id
  }

  func markCut(key: Int64) { changeKey(key) { $0.isCut = true } }
  func markSparse(key: Int64) { changeKey(key) { $0.isSparse = true } }

  private func changeKey(_ id: Int64, _ change: (inout IndexKey) -> Void) {
    for (type, keys) in types {
      for (name, field) in keys.fields {
        guard let key = field.keys.first(where: { $0.id == id }) else { continue }
        types[type]!.fields[name]!.change(key, change)
      }
    }
  }

  func unfinishedType(after last: RecordTypeRowKey?, leavesBehind: Bool) -> RecordTypeRowKey? {
    types.filter { _, keys in
      keys.fields.values.contains { $0.builtTo != nil || (!leavesBehind && $0.behind != nil) }
    }.map(\.key).filter { last == nil || $0.type > last!.type }.min { $0.type < $1.type }
  }

  func countUnfinished() -> Int {
    types.values.flatMap(\.fields.values).count { !$0.isComplete }
  }

  func removeKeys(ofZone zone: Int64) { types = types.filter { $0.key.zone != zone } }
}

// MARK: Changing rows

extension RowEngine: IndexRowStoring, IndexBuildReading {
  func insert(_ row: IndexRow) { rows.insert(Row(row)) }
  func remove(_ row: IndexRow) { rows.remove(Row(row)) }
  func removeRows(ofZone zone: Int64) { rows = [] }

  func database(ofZone zone: Int64) -> DatabaseKey? { .sample() }

  func records(of type: RecordTypeRowKey, afterName name: String, limit: Int) -> [FoundRecord] {
    Array(
      all(of: type.type).filter { ByteText(name) < ByteText($0.record.name) }.prefix(limit))
  }

  func records(
    of type: RecordTypeRowKey, afterSequence sequence: Int64, limit: Int
  ) -> [FoundRecord] {
    let later = all(of: type.type).filter { $0.sequence > sequence }
    return Array(later.sorted { $0.sequence < $1.sequence }.prefix(limit))
  }

  /// In name order.
  private func all(of type: String) -> [FoundRecord] {
    records.sorted { $0.key < $1.key }.map(\.value).filter { $0.record.type == type }
  }
}

extension RowEngine: GoneRecordStoring {
  func add(_ record: Record, row: Int64, of type: RecordTypeRowKey) {
    notes.append((type, nextNumber(), record, row))
  }

  func first(of type: RecordTypeRowKey) -> GoneRecord? {
    notes.first { $0.type == type }.map { note in
      let now = records[ByteText(note.record.name)].flatMap { $0.row == note.row ? $0.record : nil }
      return GoneRecord(id: note.id, record: note.record, row: note.row, now: now)
    }
  }

  func remove(_ id: Int64) { notes.removeAll { $0.id == id } }
  func removeAll(ofZone zone: Int64) { notes.removeAll { $0.type.zone == zone } }
}

extension RowEngine.Row {
  fileprivate init(_ row: IndexRow) {
    self.init(key: row.key, bytes: row.value.orderedBytes, name: ByteText(row.name), row: row.row)
  }
}

// MARK: Reading rows

extension RowEngine: IndexRowReading {
  func count(_ rows: ZonePlan.Rows, limit: Int) -> Int { min(limit, found(rows).count) }

  func each(
    _ rows: ZonePlan.Rows, after: String?, _ needs: RowNeeds, _ visit: (RecordRow) throws -> Bool
  ) rethrows {
    let names = Dictionary(found(rows).map { ($0.name, $0.row) }) { first, _ in first }
    try each(names.sorted { $0.key < $1.key }, after, needs, visit)
  }

  func each(
    ofType type: String, in zone: Int64, after: String?, _ needs: RowNeeds,
    _ visit: (RecordRow) throws -> Bool
  ) rethrows {
    try each(all(of: type).map { (ByteText($0.record.name), $0.row) }, after, needs, visit)
  }

  func each(
    ofType type: String, in zone: Int64, without key: IndexKey, _ needs: RowNeeds,
    _ visit: (RecordRow) throws -> Bool
  ) rethrows {
    let under = Set(rows.filter { $0.key == key.id }.map(\.name))
    let without = all(of: type).map { (ByteText($0.record.name), $0.row) }
    try each(without.filter { !under.contains($0.0) }, nil, needs, visit)
  }

  func each(
    under key: IndexKey, _ range: ValueRange?, ascending: Bool, _ needs: RowNeeds,
    _ visit: (RecordRow, SortedValue) throws -> Bool
  ) rethrows {
    let ordered = found(ZonePlan.Rows(key: key, range: range ?? .all)).sorted { a, b in
      if a.bytes == b.bytes { return a.name < b.name }
      return a.bytes.lexicographicallyPrecedes(b.bytes) == ascending
    }
    for row in ordered.prefix(needs.limit ?? .max) {
      guard let found = recordRow(row.name, row.row, needs) else { continue }
      // Two values are equal here if their bytes are: as a text, one digit for each.
      let value = SortedValue.text(row.bytes.map { String($0, radix: 16) }.joined(separator: " "))
      if try !visit(found, value) { return }
    }
  }

  func holds(_ probe: ZonePlan.Rows, for name: String) -> Bool {
    questions += 1
    return found(probe).contains { $0.name == ByteText(name) }
  }

  private func each(
    _ rows: [(ByteText, Int64)], _ after: String?, _ needs: RowNeeds,
    _ visit: (RecordRow) throws -> Bool
  ) rethrows {
    let left = rows.filter { row in after.map { ByteText($0) < row.0 } ?? true }
      .compactMap { recordRow($0.0, $0.1, needs) }
    for row in left.prefix(needs.limit ?? .max) {
      if try !visit(row) { return }
    }
  }

  /// Nil: some probe does not hold.
  private func recordRow(_ name: ByteText, _ row: Int64, _ needs: RowNeeds) -> RecordRow? {
    guard bringsRecords else { return RecordRow(name: name.text, row: row) }
    for probe in needs.probes where !found(probe).contains(where: { $0.name == name }) {
      return nil
    }
    return RecordRow(
      name: name.text, row: row, stored: needs.records ? stored(name) : nil, holdsProbes: true)
  }

  private func found(_ asked: ZonePlan.Rows) -> [Row] {
    rows.filter { $0.key == asked.key.id && asked.range.contains($0.bytes) }
  }
}

extension ValueRange {
  fileprivate func contains(_ bytes: [UInt8]) -> Bool {
    switch self {
    case .equals(let value): value.orderedBytes == bytes
    case .oneOf(let values): values.contains { $0.orderedBytes == bytes }
    case .between(let lower, let upper):
      (lower.map { bytes.isBehind($0) } ?? true) && (upper.map { bytes.isBefore($0) } ?? true)
    case .within(let ranges):
      ranges.contains { range in
        bytes.isBehind(Bound(value: .int(range.lowerBound), isIncluded: true))
          && bytes.isBefore(Bound(value: .int(range.upperBound), isIncluded: true))
      }
    }
  }
}

extension [UInt8] {
  fileprivate func isBehind(_ bound: ValueRange.Bound) -> Bool {
    let end = bound.value.orderedBytes
    return end.lexicographicallyPrecedes(self) || (bound.isIncluded && end == self)
  }

  fileprivate func isBefore(_ bound: ValueRange.Bound) -> Bool {
    let end = bound.value.orderedBytes
    return lexicographicallyPrecedes(end) || (bound.isIncluded && end == self)
  }
}

// MARK: Reading records

extension RowEngine: RecordRowReading {
  func stored(_ row: RecordRow, in zone: Int64) -> StoredRecord? {
    questions += 1
    return stored(ByteText(row.name))
  }

  func stored(_ rows: [RecordRow], in zone: Int64, bytes: Int) -> [StoredRecord?] {
    var (found, left): ([StoredRecord?], Int) = ([], bytes)
    for row in rows where left >= 0 {
      found.append(stored(ByteText(row.name)))
      left -= found.last??.byteCount ?? 0
    }
    fetched += found.count
    return found
  }

  func each(
    named names: [String], in zone: Int64, _ visit: (RecordRow) throws -> Bool
  ) rethrows {
    for name in names {
      let stored = bringsRecords ? stored(ByteText(name)) : nil
      // One that is not there need not be mentioned.
      if bringsRecords, stored == nil { continue }
      if try !visit(RecordRow(name: name, row: nil, stored: stored)) { return }
    }
  }

  private func stored(_ name: ByteText) -> StoredRecord? {
    records[name].map {
      if damaged.contains($0.record.name) {
        return StoredRecord(damaged: $0.record.name, sequence: $0.sequence)
      }
      return StoredRecord(
        name: $0.record.name, type: $0.record.type, sequence: $0.sequence,
        content: .value($0.record))
    }
  }
}
