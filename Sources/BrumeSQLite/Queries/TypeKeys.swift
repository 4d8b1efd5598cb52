// What the query index holds of one record type in one zone: the fields that queries have asked for,
// and under which keys their values are. A field that nobody asks for costs a save nothing.

import BrumeModel
import BrumePredicate
import BrumeStorage

struct RecordTypeRowKey: Hashable, Sendable {
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
  /// What the rows find must still be judged.
  var isRough: Bool { isCut || kind.isRough }
}

/// A field of a record type in a zone that a query has asked for.
struct WantedField: Equatable {
  /// Records up to this name are in the index; nil: all of them.
  var builtTo: String?
  /// Some record has been through the index, so that a new key cannot be under all of them.
  var isStarted: Bool
  var keys: [IndexKey] = []

  var isComplete: Bool { builtTo == nil }
}

/// The wanted fields of one record type in one zone, by their names in the index.
struct TypeKeys {
  var fields: [String: WantedField] = [:]

  /// The field's keys, if they cover every record.
  func complete(_ field: IndexedField) -> [IndexKey]? {
    fields[field.indexName].flatMap { $0.isComplete ? $0.keys : nil }
  }
}

extension SQLiteTransaction {
  func typeKeys(_ rowKey: RecordTypeRowKey) throws -> TypeKeys {
    if let known = cache.typeKeys[rowKey] { return known }
    var keys = TypeKeys()
    let bind: (Prepared) -> Void = {
      $0.bind(1, rowKey.zone)
      $0.bind(2, rowKey.type)
    }
    try connection.each(Self.findWanted, bind) { row in
      keys.fields[row.text(0)] = WantedField(
        builtTo: row.optionalText(1), isStarted: row.bool(2))
      return true
    }
    if !keys.fields.isEmpty {
      try connection.each(Self.findKeys, bind) { row in
        let kind = try row.known(IndexKind(rawValue: row.int(2)), "index kind")
        keys.fields[row.text(1)]?.keys.append(
          IndexKey(id: row.int(0), kind: kind, isSparse: row.bool(3), isCut: row.bool(4)))
        return true
      }
    }
    cache.typeKeys[rowKey] = keys
    return keys
  }

  private static let findWanted = SQL(
    "SELECT field, built_to, started FROM wanted_fields WHERE zone = ?1 AND type = ?2")
  private static let findKeys = SQL(
    "SELECT id, field, kind, sparse, cut FROM index_keys WHERE zone = ?1 AND type = ?2")
}

extension FieldName {
  /// The field's name in the index. Fields begin with a letter, system fields with underscores.
  var indexName: String {
    switch self {
    case .field(let name): name
    case .system(let field): field.schemaName
    }
  }

  /// The field with this name in the index.
  init(indexName name: String) {
    let system = Record.indexedSystemFields.first { $0.schemaName == name }
    self = system.map { .system($0) } ?? .field(name)
  }

  /// Whether values of the field can have a place in the index.
  var isIndexed: Bool {
    switch self {
    case .field: true
    case .system(let field): Record.indexedSystemFields.contains(field)
    }
  }
}

extension Record {
  /// What of the record the index holds under a field.
  func indexedValue(of field: FieldName, in database: DatabaseKey) -> FieldValue? {
    if case .field(let name) = field, encryptedFields.contains(name) { return nil }
    if field.hidesOwner(of: database), created?.user == database.owner { return nil }
    return value(of: field)
  }
}
