// Keeps the query index in step with records: for each wanted field of a record one row, or one for
// each element of a list. Only fields that changed are touched (`IndexChange`). Which fields are wanted,
// and how their rows come to be for records that were there before: `IndexGrowth.swift`. What was new in
// bulk is behind, and its rows are not there: they are removed all the same, which does no harm.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage

extension SQLiteTransaction {
  func updateIndex(
    _ rowKey: RecordRowKey, row: Int64, sequence: Int64, in database: DatabaseKey,
    from old: Record?, to new: Record?
  ) throws {
    if let old, let new, old.type != new.type {
      try updateIndex(
        rowKey, row: row, sequence: sequence, in: database, from: old, to: nil)
      return try updateIndex(
        rowKey, row: row, sequence: sequence, in: database, from: nil, to: new)
    }
    guard let type = (new ?? old)?.type else { return }
    let typeRowKey = RecordTypeRowKey(zone: rowKey.zone, type: type)
    let isLate = old == nil && indexDelay.isLate(newOf: typeRowKey)
    var isLeft = false
    for (name, wanted) in try typeKeys(typeRowKey).fields {
      var entry = IndexEntry(
        name: name, type: typeRowKey, wanted: wanted, record: rowKey.name, row: row)
      let leaves = try new != nil && leaves(&entry, sequence, isLate)
      isLeft = isLeft || leaves
      // Of a new record that is left for later nothing needs to be known now.
      if !leaves || old != nil {
        try update(&entry, leaves: leaves, in: database, from: old, to: new)
      }
      try keep(entry)
    }
    if isLeft { indexDelay.leftForLater() }
  }

  private func update(
    _ entry: inout IndexEntry, leaves: Bool, in database: DatabaseKey, from old: Record?,
    to new: Record?
  ) throws {
    let field = IndexedField(indexName: entry.name)
    guard let change = IndexChange(of: field, from: old, to: new, in: database) else { return }
    if let gone = change.gone { try remove(gone, &entry) }
    if change.isThere, !leaves { try add(change.come, &entry, insert) }
  }

  /// Whether the rows of a record come later, with those of others.
  private func leaves(_ entry: inout IndexEntry, _ sequence: Int64, _ isLate: Bool) throws -> Bool {
    if let behind = entry.wanted.behind { return behind < sequence && indexDelay.mayWait }
    guard isLate else { return false }
    try setBehind(IndexPart(type: entry.type, field: entry.name), sequence - 1)
    entry.wanted.behind = sequence - 1
    return true
  }

  /// Remembers what the entry taught about its field.
  func keep(_ entry: IndexEntry) throws {
    guard cache.typeKeys[entry.type]?.fields[entry.name] != entry.wanted else { return }
    cache.isProvisional = true
    cache.typeKeys[entry.type]?.fields[entry.name] = entry.wanted
  }
}

/// One record under one wanted field.
struct IndexEntry {
  let name: String
  let type: RecordTypeRowKey
  var wanted: WantedField
  var record: String
  /// The record's row.
  var row: Int64
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

extension SQLiteTransaction {
  /// Puts a record under its keys; nil is a record without the field.
  func add(
    _ value: FieldValue?, _ entry: inout IndexEntry, _ put: (IndexRow) throws -> Void
  ) throws {
    var own: IndexKey?
    try value?.eachIndexRow { kind, value in
      let key = try key(kind, &entry)
      if kind.isSingle { own = key }
      try put(IndexRow(key: key.id, value: value, name: entry.record, row: entry.row))
      if value.isCut, !key.isCut { try markCut(key, &entry) }
    }
    if value != nil, own == nil { _ = try key(.unindexed, &entry) }
    try markSparse(except: own, &entry)
    try start(&entry)
  }

  func insert(_ row: IndexRow) throws {
    try connection.run(Self.addRow) {
      $0.bind(row.key, row.value, row.name)
      $0.bind(4, row.row)
    }
  }

  private func markCut(_ key: IndexKey, _ entry: inout IndexEntry) throws {
    try connection.run(Self.markCut) { $0.bind(1, key.id) }
    entry.wanted.change(key) { $0.isCut = true }
  }

  private func remove(_ value: FieldValue, _ entry: inout IndexEntry) throws {
    try value.eachIndexRow { kind, value in
      let key = try key(kind, &entry)
      try connection.run(Self.removeRow) { $0.bind(key.id, value, entry.record) }
    }
  }

  private static let addRow = SQL("INSERT OR IGNORE INTO query_index VALUES (?1, ?2, ?3, ?4)")
  private static let removeRow = SQL(
    "DELETE FROM query_index WHERE key = ?1 AND value = ?2 AND name = ?3")
  private static let markCut = SQL("UPDATE index_keys SET cut = 1 WHERE id = ?1")
}

// MARK: Keys

extension SQLiteTransaction {
  private func key(_ kind: IndexKind, _ entry: inout IndexEntry) throws -> IndexKey {
    if let known = entry.wanted.key(kind) { return known }
    let isSparse = entry.wanted.isSparse(new: kind)
    try connection.run(Self.addKey) {
      $0.bind(1, entry.type.zone)
      $0.bind(2, entry.type.type)
      $0.bind(3, entry.name)
      $0.bind(4, kind.rawValue)
      $0.bind(5, isSparse)
    }
    let key = IndexKey(id: connection.lastRowID, kind: kind, isSparse: isSparse, isCut: false)
    entry.wanted.keys.append(key)
    return key
  }

  /// A record without a row under some dense key: from now on the key is sparse, for good.
  private func markSparse(except own: IndexKey?, _ entry: inout IndexEntry) throws {
    for key in entry.wanted.keys where !key.isSparse && key.id != own?.id {
      try connection.run(Self.markSparse) { $0.bind(1, key.id) }
      entry.wanted.change(key) { $0.isSparse = true }
    }
  }

  private func start(_ entry: inout IndexEntry) throws {
    guard !entry.wanted.isStarted else { return }
    try connection.run(Self.start) {
      $0.bind(1, entry.type.zone)
      $0.bind(2, entry.type.type)
      $0.bind(3, entry.name)
    }
    entry.wanted.isStarted = true
  }

  private static let addKey = SQL(
    "INSERT INTO index_keys (zone, type, field, kind, sparse, cut) VALUES (?1, ?2, ?3, ?4, ?5, 0)")
  private static let markSparse = SQL("UPDATE index_keys SET sparse = 1 WHERE id = ?1")
  private static let start = SQL(
    "UPDATE wanted_fields SET started = 1 WHERE zone = ?1 AND type = ?2 AND field = ?3")
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
