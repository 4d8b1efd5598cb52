// Keeps the query index in step with records: for each field of a record one row, or one for each
// element of a list. Only fields that changed are touched.

import BrumeModel
import BrumePredicate
import BrumeStorage

struct RecordTypePlace: Hashable {
  let zone: Int64
  let type: String
}

/// One key of the index: a field of a record type in a zone, with the kind of its values.
struct IndexKey: Equatable {
  let id: Int64
  let kind: IndexKind
  /// Some record of the type may have no row under this key.
  var isSparse: Bool
  /// Some text under this key is only its beginning.
  var isCut: Bool
}

/// The keys of one record type in one zone, by field.
struct TypeKeys {
  var fields: [String: [IndexKey]] = [:]
  /// How many keys every record of the type has a row under.
  var denseCount = 0

  /// The record at hand is the type's first.
  var isNew = false

  /// Every type that ever had a record has a key.
  var isUnknown: Bool { fields.isEmpty }
}

// MARK: Writing

extension SQLiteTransaction {
  func updateIndex(
    _ place: RecordPlace, in database: DatabaseKey, from old: Record?, to new: Record?
  ) throws {
    if let old, let new, old.type != new.type {
      try updateIndex(place, in: database, from: old, to: nil)
      return try updateIndex(place, in: database, from: nil, to: new)
    }
    guard let type = (new ?? old)?.type else { return }
    let typePlace = RecordTypePlace(zone: place.zone, type: type)
    var keys = try typeKeys(typePlace)
    if keys.isUnknown { try addFirstKey(&keys, typePlace) }
    var denseSeen = 0
    if let new {
      try new.eachIndexedField(in: database) { field, value in
        let before = old?.indexedValue(of: field, in: database)
        if let before, before != value { try removeRows(field, before, place, &keys, typePlace) }
        let key = try addRows(
          field, value, place, &keys, typePlace, isNew: before != value)
        if let key, key.kind.isSingle, !key.isSparse { denseSeen += 1 }
      }
      if denseSeen < keys.denseCount { try markSparse(new, in: database, &keys) }
    }
    try old?.eachIndexedField(in: database) { field, value in
      if new?.indexedValue(of: field, in: database) == nil {
        try removeRows(field, value, place, &keys, typePlace)
      }
    }
    keys.isNew = false
    cache.typeKeys[typePlace] = keys
  }

  /// Answers the key of a value that is not a list.
  private func addRows(
    _ field: FieldName, _ value: FieldValue, _ place: RecordPlace, _ keys: inout TypeKeys,
    _ typePlace: RecordTypePlace, isNew: Bool
  ) throws -> IndexKey? {
    if case .list(let elements, _) = value {
      guard isNew else { return nil }
      for element in elements {
        guard let (kind, value) = element.indexed else { continue }
        let key = try key(field, kind.ofElements, place, &keys, typePlace)
        try add(value, key, field, place, &keys)
      }
      return try self.key(field, .unindexed, place, &keys, typePlace)
    }
    guard let (kind, value) = value.indexed else {
      return try key(field, .unindexed, place, &keys, typePlace)
    }
    let key = try key(field, kind, place, &keys, typePlace)
    if isNew { try add(value, key, field, place, &keys) }
    return key
  }

  private func add(
    _ value: IndexValue, _ key: IndexKey, _ field: FieldName, _ place: RecordPlace,
    _ keys: inout TypeKeys
  ) throws {
    try connection.run(Self.addRow) { $0.bind(key, value, place.name) }
    guard value.isCut, !key.isCut else { return }
    try connection.run(Self.markCut) { $0.bind(1, key.id) }
    cache.isProvisional = true
    keys.change(key, field: field.indexName) { $0.isCut = true }
  }

  private func removeRows(
    _ field: FieldName, _ value: FieldValue, _ place: RecordPlace, _ keys: inout TypeKeys,
    _ typePlace: RecordTypePlace
  ) throws {
    if case .list(let elements, _) = value {
      for element in elements {
        guard let (kind, value) = element.indexed else { continue }
        let key = try key(field, kind.ofElements, place, &keys, typePlace)
        try connection.run(Self.removeRow) { $0.bind(key, value, place.name) }
      }
    } else if let (kind, value) = value.indexed {
      let key = try key(field, kind, place, &keys, typePlace)
      try connection.run(Self.removeRow) { $0.bind(key, value, place.name) }
    }
  }

  private static let addRow = SQL("INSERT OR IGNORE INTO query_index VALUES (?1, ?2, ?3)")
  private static let removeRow = SQL(
    "DELETE FROM query_index WHERE key = ?1 AND value = ?2 AND name = ?3")
}

// MARK: Keys

extension SQLiteTransaction {
  func typeKeys(_ place: RecordTypePlace) throws -> TypeKeys {
    if let known = cache.typeKeys[place] { return known }
    var keys = TypeKeys()
    let bind: (Prepared) -> Void = {
      $0.bind(1, place.zone)
      $0.bind(2, place.type)
    }
    try connection.each(Self.findKeys, bind) { row in
      let kind = try row.known(IndexKind(rawValue: row.int(2)), "index kind")
      keys.add(
        IndexKey(id: row.int(0), kind: kind, isSparse: row.bool(3), isCut: row.bool(4)),
        field: row.text(1))
      return true
    }
    cache.typeKeys[place] = keys
    return keys
  }

  private func key(
    _ field: FieldName, _ kind: IndexKind, _ place: RecordPlace, _ keys: inout TypeKeys,
    _ typePlace: RecordTypePlace
  ) throws -> IndexKey {
    let name = field.indexName
    if let known = keys.fields[name]?.first(where: { $0.kind == kind }) { return known }
    let isSparse =
      try !kind.isSingle
      || !keys.isNew
        && connection.exists(Self.findOther) {
          $0.bind(1, typePlace.zone)
          $0.bind(2, typePlace.type)
          $0.bind(3, place.name)
        }
    let number = try addKey(name, kind, isSparse: isSparse, typePlace)
    cache.isProvisional = true
    let key = IndexKey(id: number, kind: kind, isSparse: isSparse, isCut: false)
    keys.add(key, field: name)
    return key
  }

  /// The key that says that the type exists.
  private func addFirstKey(_ keys: inout TypeKeys, _ typePlace: RecordTypePlace) throws {
    let name = FieldName.system(.recordName).indexName
    let number = try addKey(name, .unindexed, isSparse: true, typePlace)
    cache.isProvisional = true
    keys.add(IndexKey(id: number, kind: .unindexed, isSparse: true, isCut: false), field: name)
    keys.isNew = true
  }

  private func addKey(
    _ field: String, _ kind: IndexKind, isSparse: Bool, _ typePlace: RecordTypePlace
  ) throws -> Int64 {
    try connection.run(Self.addKey) {
      $0.bind(1, typePlace.zone)
      $0.bind(2, typePlace.type)
      $0.bind(3, field)
      $0.bind(4, kind.rawValue)
      $0.bind(5, isSparse)
    }
    return connection.lastRowID
  }

  /// A record without a row under some dense key: from now on the key is sparse, for good.
  private func markSparse(
    _ record: Record, in database: DatabaseKey, _ keys: inout TypeKeys
  ) throws {
    var present: Set<Int64> = []
    record.eachIndexedField(in: database) { field, value in
      let key = keys.fields[field.indexName]?.first { $0.kind == value.indexed?.kind }
      if let key { present.insert(key.id) }
    }
    for (field, list) in keys.fields {
      for key in list where key.kind.isSingle && !key.isSparse && !present.contains(key.id) {
        try connection.run(Self.markSparse) { $0.bind(1, key.id) }
        keys.change(key, field: field) { $0.isSparse = true }
        keys.denseCount -= 1
        cache.isProvisional = true
      }
    }
  }

  private static let findKeys = SQL(
    "SELECT id, field, kind, sparse, cut FROM index_keys WHERE zone = ?1 AND type = ?2")
  private static let addKey = SQL(
    "INSERT INTO index_keys (zone, type, field, kind, sparse, cut) VALUES (?1, ?2, ?3, ?4, ?5, 0)")
  private static let markSparse = SQL("UPDATE index_keys SET sparse = 1 WHERE id = ?1")
  private static let markCut = SQL("UPDATE index_keys SET cut = 1 WHERE id = ?1")
  private static let findOther = SQL(
    """
    SELECT 1 FROM records
    WHERE zone = ?1 AND type = ?2 AND name <> ?3 LIMIT 1
    """)
}

extension TypeKeys {
  fileprivate mutating func add(_ key: IndexKey, field: String) {
    fields[field, default: []].append(key)
    if key.kind.isSingle, !key.isSparse { denseCount += 1 }
  }
}

extension TypeKeys {
  fileprivate mutating func change(
    _ key: IndexKey, field: String, _ change: (inout IndexKey) -> Void
  ) {
    guard let index = fields[field]?.firstIndex(where: { $0.id == key.id }) else { return }
    if var changed = fields[field]?[index] {
      change(&changed)
      fields[field]?[index] = changed
    }
  }
}

extension FieldName {
  /// The field's name in the index. Fields begin with a letter, system fields with underscores.
  var indexName: String {
    switch self {
    case .field(let name): name
    case .system(let field): field.schemaName
    }
  }
}

extension Record {
  fileprivate func indexedValue(of field: FieldName, in database: DatabaseKey) -> FieldValue? {
    if field.hidesOwner(of: database), created?.user == database.owner { return nil }
    return value(of: field)
  }

  fileprivate func eachIndexedField(
    in database: DatabaseKey, _ visit: (FieldName, FieldValue) throws -> Void
  ) rethrows {
    for (name, value) in fields where !encryptedFields.contains(name) {
      try visit(.field(name), value)
    }
    for system in Record.indexedSystemFields {
      let field = FieldName.system(system)
      if let value = indexedValue(of: field, in: database) { try visit(field, value) }
    }
  }
}

extension Prepared {
  fileprivate func bind(_ key: IndexKey, _ value: IndexValue, _ name: String) {
    bind(1, key.id)
    bind(2, value)
    bind(3, name)
  }
}
