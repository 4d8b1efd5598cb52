// What of a record one part of the query index holds: a field's value, or the words of its text. Parts
// have names, which engines store.

package import BrumeModel
import BrumePredicate
import BrumeStorage

/// One part of the index.
package enum IndexedField: Hashable, Sendable {
  case value(FieldName)
  /// The words of one field, or of every field; for token search.
  case words(String?)

  /// Fields begin with a letter, system fields with underscores, words with this.
  private static let wordsMark = "~"

  /// The name in the index.
  package var indexName: String {
    switch self {
    case .value(let field): field.schemaName
    case .words(let name): Self.wordsMark + (name ?? "")
    }
  }

  package init(indexName name: String) {
    guard name.hasPrefix(Self.wordsMark) else {
      self = .value(FieldName(indexName: name))
      return
    }
    let field = String(name.dropFirst())
    self = .words(field.isEmpty ? nil : field)
  }
}

// MARK: Fields

extension FieldName {
  /// The field with this name in the index, which is that of schemas.
  init(indexName name: String) {
    let system = Record.indexedSystemFields.first { $0.schemaName == name }
    self = system.map { .system($0) } ?? .field(name)
  }

  /// Whether values of the field can have a place in the index.
  package var isIndexed: Bool {
    switch self {
    case .field: true
    case .system(let field): Record.indexedSystemFields.contains(field)
    }
  }

  /// Nearly every record of a private database was created by its owner. Such a row would cost much
  /// and select nothing, so the index has only other creators.
  package func hidesOwner(of database: DatabaseKey) -> Bool {
    self == .system(.createdUserRecordName) && database.owner != nil
  }
}

// MARK: Records

extension Record {
  /// System fields that have a place in the index, besides the record's own fields. The record name
  /// has the records' own index; who modified a record last is looked up by nobody and left out.
  fileprivate static let indexedSystemFields: [SystemField] = [
    .createdTimestamp, .modifiedTimestamp, .createdUserRecordName, .parent, .share,
  ]

  /// What of the record the index of `database` holds there; nil: nothing.
  package func indexedValue(of field: IndexedField, in database: DatabaseKey) -> FieldValue? {
    switch field {
    case .value(let name): indexedValue(of: name, in: database)
    case .words(let name): words(of: name).map { .list($0.map { .string($0) }, of: .string) }
    }
  }

  private func indexedValue(of field: FieldName, in database: DatabaseKey) -> FieldValue? {
    if case .field(let name) = field, encryptedFields.contains(name) { return nil }
    if field.hidesOwner(of: database), created?.user == database.owner { return nil }
    return value(of: field)
  }

  /// In byte order, so that equal words are equal lists.
  private func words(of name: String?) -> [String]? {
    let words: Set<String>?
    if let name {
      words = encryptedFields.contains(name) ? nil : fields[name].flatMap { Tokens.of($0) }
    } else {
      words = searchableWords { _ in true }
    }
    guard let words else { return nil }
    return Self.inByteOrder(words.map { IndexedWord.spelling(of: $0) ?? IndexedWord.others })
  }

  /// Each once. Swift's own order is that of the bytes where all is ASCII, and takes less than half of the time.
  private static func inByteOrder(_ words: [String]) -> [String] {
    if words.allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } }) { return Set(words).sorted() }
    return Set(words.map { ByteText($0) }).sorted().map(\.text)
  }
}
