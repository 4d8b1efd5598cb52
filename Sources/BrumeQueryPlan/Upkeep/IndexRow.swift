// Rows of the index, and what they are rows of.

/// A field of a record type in a zone.
package struct IndexPart: Hashable, Sendable {
  package let type: RecordTypeRowKey
  /// The field's name in the index.
  package let field: String

  package init(type: RecordTypeRowKey, field: String) {
    self.type = type
    self.field = field
  }
}

/// A row of the index.
package struct IndexRow: Sendable {
  /// The engine's number of the key.
  package let key: Int64
  package let value: IndexValue
  /// The record's name.
  package let name: String
  /// The engine's number of the record.
  package let row: Int64
}

extension IndexRow: Comparable {
  /// Nearly the order of the index, which is enough to write pages one after the other.
  package static func < (a: IndexRow, b: IndexRow) -> Bool {
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

/// One record under one wanted field.
struct IndexEntry {
  let part: IndexPart
  var wanted: WantedField
  var record: String
  /// The record's row.
  var row: Int64
}
