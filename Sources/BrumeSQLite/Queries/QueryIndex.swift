// Keeps the query index in step with records: for each wanted field of a record one row, or one for
// each element of a list. Only fields that changed are touched (`IndexChange`). Which fields are wanted,
// and how their rows come to be for records that were there before: `IndexGrowth.swift`.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage

extension SQLiteTransaction {
  func updateIndex(
    _ rowKey: RecordRowKey, row: Int64, in database: DatabaseKey, from old: Record?, to new: Record?
  ) throws {
    if let old, let new, old.type != new.type {
      try updateIndex(rowKey, row: row, in: database, from: old, to: nil)
      return try updateIndex(rowKey, row: row, in: database, from: nil, to: new)
    }
    guard let type = (new ?? old)?.type else { return }
    let typeRowKey = RecordTypeRowKey(zone: rowKey.zone, type: type)
    let keys = try typeKeys(typeRowKey)
    for (name, wanted) in keys.fields {
      let field = IndexedField(indexName: name)
      guard let change = IndexChange(of: field, from: old, to: new, in: database) else { continue }
      var entry = IndexEntry(
        name: name, type: typeRowKey, wanted: wanted, record: rowKey.name, row: row)
      if let gone = change.gone { try remove(gone, &entry) }
      if change.isThere { try add(change.come, &entry) }
      try keep(entry)
    }
  }

  /// Remembers what the entry taught about its field.
  private func keep(_ entry: IndexEntry) throws {
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
  let record: String
  /// The record's row.
  let row: Int64
}

extension SQLiteTransaction {
  /// Puts a record under its keys; nil is a record without the field.
  func add(_ value: FieldValue?, _ entry: inout IndexEntry) throws {
    var own: IndexKey?
    try value?.eachIndexRow { kind, value in
      let key = try key(kind, &entry)
      if kind.isSingle { own = key }
      try addRow(value, key, &entry)
    }
    if value != nil, own == nil { _ = try key(.unindexed, &entry) }
    try markSparse(except: own, &entry)
    try start(&entry)
  }

  private func addRow(_ value: IndexValue, _ key: IndexKey, _ entry: inout IndexEntry) throws {
    try connection.run(Self.addRow) {
      $0.bind(key, value, entry.record)
      $0.bind(4, entry.row)
    }
    guard value.isCut, !key.isCut else { return }
    try connection.run(Self.markCut) { $0.bind(1, key.id) }
    entry.wanted.change(key) { $0.isCut = true }
  }

  private func remove(_ value: FieldValue, _ entry: inout IndexEntry) throws {
    try value.eachIndexRow { kind, value in
      let key = try key(kind, &entry)
      try connection.run(Self.removeRow) { $0.bind(key, value, entry.record) }
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
  fileprivate func bind(_ key: IndexKey, _ value: IndexValue, _ name: String) {
    bind(1, key.id)
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
