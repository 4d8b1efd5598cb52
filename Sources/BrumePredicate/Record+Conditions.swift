// What conditions and sorts see of a record. Encrypted fields are invisible to them.

package import BrumeModel

extension Record {
  /// The value that a condition on `field` looks at; nil when there is none. System fields that name
  /// a record or a user are references.
  package func value(of field: FieldName) -> FieldValue? {
    switch field {
    case .field(let name): encryptedFields.contains(name) ? nil : fields[name]
    case .system(.recordName): .reference(Reference(recordName: name))
    case .system(.createdTimestamp): created.map { .timestamp($0.time) }
    case .system(.modifiedTimestamp): modified.map { .timestamp($0.time) }
    case .system(.createdUserRecordName): created.map { pointer($0.user.name) }
    case .system(.modifiedUserRecordName): modified.map { pointer($0.user.name) }
    case .system(.share): share.map(pointer)
    case .system(.parent): parent.map(pointer)
    }
  }

  /// The words of every field that `isSearchable` names; nil when the record has none of them.
  package func searchableWords(_ isSearchable: (String) -> Bool) -> Set<String>? {
    var words: Set<String>?
    for (name, value) in fields where !encryptedFields.contains(name) && isSearchable(name) {
      guard let found = Tokens.of(value) else { continue }
      words = (words ?? []).union(found)
    }
    return words
  }

  private func pointer(_ name: String) -> FieldValue { .reference(Reference(recordName: name)) }
}

extension Filter {
  /// A filter that asks whether a record has a parent or a share: comparing with an empty record
  /// name, which no record has. `EQUALS` means "has none".
  package var asksForPresence: Bool {
    guard comparator == .equals || comparator == .notEquals,
      field == .system(.parent) || field == .system(.share)
    else { return false }
    switch value {
    case .string(let name): return name.isEmpty
    case .reference(let reference): return reference.recordName.isEmpty
    case .int64, .double, .bytes, .timestamp, .location, .asset, .list: return false
    }
  }
}
