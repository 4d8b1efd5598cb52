// What the query index holds of one record type in one zone: the fields that queries have asked for,
// and under which keys their values are. A field that nobody asks for costs a save nothing. The engine
// stores these values; what a key, a field or a type needs next is said here.

/// A record type in a zone.
package struct RecordTypeRowKey: Hashable, Sendable {
  /// The engine's number of the zone.
  package let zone: Int64
  package let type: String

  package init(zone: Int64, type: String) {
    self.zone = zone
    self.type = type
  }
}

/// One key of the index: a field of a record type in a zone, with the kind of its values.
package struct IndexKey: Equatable, Sendable {
  /// The engine's number of the key.
  package let id: Int64
  package let kind: IndexKind
  /// Some record of the type may have no row under this key.
  package var isSparse: Bool
  /// Some text under this key is only its beginning.
  package var isCut: Bool
  /// What the rows find must still be evaluated.
  package var isRough: Bool { isCut || kind.isRough }

  package init(id: Int64, kind: IndexKind, isSparse: Bool, isCut: Bool) {
    self.id = id
    self.kind = kind
    self.isSparse = isSparse
    self.isCut = isCut
  }
}

/// A field of a record type in a zone that a query has asked for.
package struct WantedField: Equatable, Sendable {
  /// Records up to this name are in the index; nil: all of them.
  package var builtTo: String?
  /// Records with a greater sequence may not be in the index; nil: there are none.
  package var behind: Int64?
  /// Some record has been through the index, so that a new key cannot be under all of them.
  package var isStarted: Bool
  package var keys: [IndexKey] = []

  package init(
    builtTo: String?, behind: Int64? = nil, isStarted: Bool, keys: [IndexKey] = []
  ) {
    self.builtTo = builtTo
    self.behind = behind
    self.isStarted = isStarted
    self.keys = keys
  }

  /// Whether the index has all records under the field.
  package var isComplete: Bool { builtTo == nil && behind == nil }

  /// The field's key for one kind of value; nil if it has none yet.
  package func key(_ kind: IndexKind) -> IndexKey? { keys.first { $0.kind == kind } }

  /// Whether a key that is made now has no row of some record from the start.
  package func isSparse(new kind: IndexKind) -> Bool { !kind.isSingle || isStarted }

  /// Changes what is known of a key.
  package mutating func change(_ key: IndexKey, _ change: (inout IndexKey) -> Void) {
    guard let index = keys.firstIndex(where: { $0.id == key.id }) else { return }
    change(&keys[index])
  }
}

/// The wanted fields of one record type in one zone, by their names in the index.
package struct TypeKeys: Equatable, Sendable {
  package var fields: [String: WantedField] = [:]

  package init(fields: [String: WantedField] = [:]) { self.fields = fields }

  /// The field's keys, if they cover every record.
  package func complete(_ field: IndexedField) -> [IndexKey]? {
    fields[field.indexName].flatMap { $0.isComplete ? $0.keys : nil }
  }

  /// The name of the field that a key is of; nil if the key is of none of them.
  package func field(of key: IndexKey) -> String? {
    fields.first { $0.value.keys.contains { $0.id == key.id } }?.key
  }
}
