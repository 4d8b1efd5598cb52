// The names that predicates and sort descriptors may use: a field of the record itself, or a system
// field by the framework's property name, its schema name or its name on the wire.

package import BrumeModel

extension FieldName {
  /// Plain `parent` and `share` are fields of the app's own: those names are not reserved, and the
  /// framework's `SystemFieldKey` spells the system's `___parent` and `___share`.
  ///
  /// - Throws: `badRequest` for a path, a reserved name, and a system field that queries cannot ask for.
  package init(keyPath: String) throws(BrumeError) {
    if let field = Self.properties[keyPath] ?? SystemField(schemaName: keyPath) {
      self = .system(field)
      return
    }
    let shown = NameRules.quoted(keyPath)
    guard !keyPath.utf8.contains(UInt8(ascii: ".")) else {
      throw Predicate.refused(
        "the key path \(shown)", "name a field of the record itself; copy the value into it")
    }
    guard !keyPath.isEmpty, !keyPath.utf8.contains(UInt8(ascii: "@")) else {
      throw Predicate.refused("the key \(shown)", "name a field of the record itself")
    }
    guard !Self.hidden.contains(keyPath), keyPath.utf8.first != UInt8(ascii: "_") else {
      throw Predicate.refused(
        "a condition on \(shown)",
        "system fields in queries are \(Self.properties.keys.sorted().joined(separator: ", "))")
    }
    self = .field(keyPath)
  }

  private static let properties: [String: SystemField] = [
    "recordID": .recordName,
    "recordName": .recordName,
    "creationDate": .createdTimestamp,
    "createdTimestamp": .createdTimestamp,
    "modificationDate": .modifiedTimestamp,
    "modifiedTimestamp": .modifiedTimestamp,
    "creatorUserRecordID": .createdUserRecordName,
    "createdUserRecordName": .createdUserRecordName,
    "lastModifiedUserRecordID": .modifiedUserRecordName,
    "modifiedUserRecordName": .modifiedUserRecordName,
  ]
  private static let hidden: Set<String> = ["recordType", "recordChangeTag"]
}
