// Keeps the query index in step with records: for each wanted field of a record one row, or one for
// each element of a list. Only fields that changed are touched (`IndexChange`). Which fields are wanted,
// and how their rows come to be for records that were there before: `IndexGrowth.swift`. What was new in
// bulk is behind, and its rows are not there: they are removed all the same, which does no harm.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage

final class QueryIndex: Remembering {
  private let connection: Connection
  private let fields: FieldIndexes
  /// Which new records come into the index later.
  var delay = IndexDelay()

  init(_ connection: Connection, _ fields: FieldIndexes) {
    self.connection = connection
    self.fields = fields
  }

  func update(
    _ rowKey: RecordRowKey, row: Int64, sequence: Int64, in database: DatabaseKey,
    from old: Record?, to new: Record?
  ) throws {
    if let old, let new, old.type != new.type {
      try update(
        rowKey, row: row, sequence: sequence, in: database, from: old, to: nil)
      return try update(
        rowKey, row: row, sequence: sequence, in: database, from: nil, to: new)
    }
    guard let type = (new ?? old)?.type else { return }
    let typeRowKey = RecordTypeRowKey(zone: rowKey.zone, type: type)
    let isLate = old == nil && delay.isLate(newOf: typeRowKey)
    var isLeft = false
    for (name, wanted) in try fields.keys(of: typeRowKey).fields {
      var entry = IndexEntry(
        part: IndexPart(type: typeRowKey, field: name), wanted: wanted, record: rowKey.name,
        row: row)
      let leaves = try new != nil && leaves(&entry, sequence, isLate)
      isLeft = isLeft || leaves
      // Of a new record that is left for later nothing needs to be known now.
      if !leaves || old != nil {
        try update(&entry, leaves: leaves, in: database, from: old, to: new)
      }
      fields.keep(entry)
    }
    if isLeft { delay.leftForLater() }
  }

  private func update(
    _ entry: inout IndexEntry, leaves: Bool, in database: DatabaseKey, from old: Record?,
    to new: Record?
  ) throws {
    let field = IndexedField(indexName: entry.part.field)
    guard let change = IndexChange(of: field, from: old, to: new, in: database) else { return }
    if let gone = change.gone { try remove(gone, &entry) }
    if change.isThere, !leaves { try add(change.come, &entry, insert) }
  }

  /// Whether the rows of a record come later, with those of others.
  private func leaves(_ entry: inout IndexEntry, _ sequence: Int64, _ isLate: Bool) throws -> Bool {
    if let behind = entry.wanted.behind { return behind < sequence && delay.mayWait }
    guard isLate else { return false }
    try fields.setBehind(entry.part, sequence - 1)
    entry.wanted.behind = sequence - 1
    return true
  }

  /// Puts a record under its keys; nil is a record without the field.
  func add(
    _ value: FieldValue?, _ entry: inout IndexEntry, _ put: (IndexRow) throws -> Void
  ) throws {
    var own: IndexKey?
    try value?.eachIndexRow { kind, value in
      let key = try fields.key(kind, &entry)
      if kind.isSingle { own = key }
      try put(IndexRow(key: key.id, value: value, name: entry.record, row: entry.row))
      if value.isCut, !key.isCut { try fields.markCut(key, &entry) }
    }
    if value != nil, own == nil { _ = try fields.key(.unindexed, &entry) }
    try fields.markSparse(except: own, &entry)
    try fields.start(&entry)
  }

  func insert(_ row: IndexRow) throws {
    try connection.run(Self.addRow) {
      $0.bind(row.key, row.value, row.name)
      $0.bind(4, row.row)
    }
  }

  private func remove(_ value: FieldValue, _ entry: inout IndexEntry) throws {
    try value.eachIndexRow { kind, value in
      let key = try fields.key(kind, &entry)
      try connection.run(Self.removeRow) { $0.bind(key.id, value, entry.record) }
    }
  }

  func removeContents(ofZone zone: Int64) throws {
    try connection.run(Self.removeAll) { $0.bind(1, zone) }
    try fields.removeContents(ofZone: zone)
  }

  func bodyBegins() { delay.bodyBegins() }

  /// The delay only counts, and may be wrong.
  func forget() {}

  private static let addRow = SQL("INSERT OR IGNORE INTO query_index VALUES (?1, ?2, ?3, ?4)")
  private static let removeRow = SQL(
    "DELETE FROM query_index WHERE key = ?1 AND value = ?2 AND name = ?3")
  private static let removeAll = SQL(
    "DELETE FROM query_index WHERE key IN (SELECT id FROM index_keys WHERE zone = ?1)")
}

/// A row of the index.
struct IndexRow {
  let key: Int64
  let value: IndexValue
  let name: String
  /// The record's row.
  let row: Int64
}

extension IndexRow: Comparable {
  /// Nearly the order of the index, which is enough to write pages one after the other.
  static func < (a: IndexRow, b: IndexRow) -> Bool {
    if a.key != b.key { return a.key < b.key }
    switch (a.value, b.value) {
    case (.int(let x), .int(let y)): if x != y { return x < y }
    case (.double(let x), .double(let y)): if x != y { return x < y }
    case (.text(let x), .text(let y)): if x != y { return x < y }
    default: break
    }
    return a.name < b.name
  }
}

extension Prepared {
  fileprivate func bind(_ key: Int64, _ value: IndexValue, _ name: String) {
    bind(1, key)
    bind(2, value)
    bind(3, name)
  }

  /// SQLite compares numbers of both types exactly, and texts by their bytes: its order under a key is
  /// `Order.of`.
  func bind(_ index: Int32, _ value: IndexValue) {
    switch value {
    case .int(let value): bind(index, value)
    case .double(let value): bind(index, value)
    case .text(let value): bind(index, value)
    case .cut(let bytes): bind(index, textBytes: bytes)
    }
  }
}
