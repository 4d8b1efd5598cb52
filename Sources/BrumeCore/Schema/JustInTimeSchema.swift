// What a save may bring that the schema does not know. In development a new type or field is simply
// learned, with every index its type allows; production refuses (cases SAV-30 to SAV-33). A field
// that is known keeps its type and its encryption.
//
// A field can leave a schema and come back with another type. Records keep the values that they have then, and one
// that a save leaves as it is keeps no record from being saved.

import BrumeModel
import BrumeSchema

struct JustInTimeSchema: Sendable {
  private(set) var schema: Schema
  private(set) var didChange = false
  /// Production: nothing is learned.
  let isStrict: Bool
  private let limits: Limits
  /// Of the schema's text, or nearly.
  private var bytes: Int

  /// - Parameter bytes: of the text that the schema is stored as.
  init(_ schema: Schema, bytes: Int, isStrict: Bool, limits: Limits) {
    self.schema = schema
    self.bytes = bytes
    self.isStrict = isStrict
    self.limits = limits
  }

  /// The fields with their values in the schema's types, after the schema learned what is new.
  ///
  /// - Parameter stored: the record as it is; nil: it is new.
  mutating func admit(
    _ fields: [String: DraftField], of type: String, in scope: DatabaseScope, after stored: Record?
  ) throws(BrumeError) -> [String: DraftField] {
    // Shares have fields of the system and of apps that nobody queries; schemas do not list them.
    if type == Record.shareType { return fields }
    let known = try recordType(type)
    let (admitted, new) = try admitted(fields, as: known, of: type, in: scope, stored)
    // Not before: a save that is refused brings nothing.
    if schema.recordTypes[type] == nil { learn(known, type) }
    if !new.isEmpty {
      // In place: who takes the type out and puts it back copies all its fields for each record.
      schema.recordTypes[type]?.fields.merge(new) { known, _ in known }
      bytes += new.keys.reduce(0) { $0 + Self.lineBytes(of: $1) }
      didChange = true
    }
    return admitted
  }

  private func admitted(
    _ fields: [String: DraftField], as known: Schema.RecordType, of type: String,
    in scope: DatabaseScope, _ stored: Record?
  ) throws(BrumeError) -> (fields: [String: DraftField], new: [String: Schema.Field]) {
    var admitted = fields
    var new: [String: Schema.Field] = [:]
    var more = schema.recordTypes[type] == nil ? Self.lineBytes(of: type) : 0
    for name in fields.keys.sorted() {
      guard let draft = fields[name], let value = draft.value else { continue }
      try checkEncryption(draft, value, name, type, in: scope)
      if let field = known.fields[name] {
        admitted[name]?.value = try Self.admit(draft, value, as: field, name, type, stored)
      } else if isStrict {
        throw BrumeError(
          .badRequest,
          "Cannot create or modify field '\(name)' in record '\(type)' in production schema; add the "
            + "field in development and deploy the schema")
      } else if let valueType = value.type {
        try requireRoom(for: name, in: known.fields.count + new.count, type)
        more += Self.lineBytes(of: name)
        try requireBytes(for: more, type)
        new[name] = .justInTime(valueType, isEncrypted: draft.isEncrypted)
      }
    }
    return (admitted, new)
  }

  private func recordType(_ type: String) throws(BrumeError) -> Schema.RecordType {
    if let known = schema.recordTypes[type] { return known }
    if isStrict {
      throw BrumeError(
        .badRequest,
        "Cannot create new type '\(type)' in production schema; save a record of it in development "
          + "and deploy the schema")
    }
    guard schema.recordTypes.count < limits.learnedRecordTypes else {
      throw BrumeError(
        .badRequest,
        "Cannot create new type '\(type)': the development schema has \(schema.recordTypes.count) record types, "
          + "as many as saves may bring; use one of them, or remove some with 'brume schema import'"
      )
    }
    try requireBytes(for: Self.lineBytes(of: type), type)
    return .justInTime()
  }

  /// Each save works with the whole schema, so nobody may make it grow without end.
  private func requireRoom(
    for field: String, in count: Int, _ type: String
  ) throws(BrumeError) {
    guard count >= limits.learnedFieldsPerType else { return }
    throw BrumeError(
      .badRequest,
      "Cannot create field '\(field)' in record '\(type)': the type has \(count) fields, as "
        + "many as saves may bring; use one of them, or remove some with 'brume schema import'")
  }

  private func requireBytes(for more: Int, _ type: String) throws(BrumeError) {
    guard bytes + more > limits.learnedSchemaBytes else { return }
    throw BrumeError(
      .badRequest,
      "Cannot create what is new in record '\(type)': the development schema has \(bytes) bytes, and saves bring it "
        + "to \(limits.learnedSchemaBytes) at most; use known types and fields, or remove some with 'brume schema import'"
    )
  }

  /// A line of the text, with what is said of the field beside its name.
  private static func lineBytes(of name: String) -> Int { name.utf8.count + 64 }

  private mutating func learn(_ recordType: Schema.RecordType, _ type: String) {
    schema.recordTypes[type] = recordType
    bytes += Self.lineBytes(of: type)
    didChange = true
  }

  private func checkEncryption(
    _ draft: DraftField, _ value: FieldValue, _ name: String, _ type: String,
    in scope: DatabaseScope
  ) throws(BrumeError) {
    guard draft.isEncrypted else { return }
    if scope == .public {
      throw BrumeError(
        .badRequest,
        "field '\(name)' of '\(type)' is encrypted; encrypted fields are not supported in the "
          + "public database; keep the record in the private one")
    }
    switch value.type?.element {
    case .reference, .asset:
      throw BrumeError(
        .badRequest,
        "field '\(name)' of '\(type)' holds a \(value.type?.wireName ?? ""), which cannot be "
          + "encrypted; use a field that is not"
      )
    case .string, .int64, .double, .bytes, .timestamp, .location, .list, nil: return
    }
  }

  private static func admit(
    _ draft: DraftField, _ value: FieldValue, as field: Schema.Field, _ name: String,
    _ type: String, _ stored: Record?
  ) throws(BrumeError) -> FieldValue {
    if let value = value.coerced(to: field, draft) { return value }
    if let value = stored?.value(of: name, leftBy: draft) { return value }
    guard draft.isEncrypted == field.isEncrypted else {
      throw BrumeError(
        .badRequest,
        field.isEncrypted
          ? "field '\(name)' of '\(type)' is defined as ENCRYPTED; write it with isEncrypted"
          : "attempt to save encrypted data in a non encrypted field type: field '\(name)' of "
            + "'\(type)'; use a new field for encrypted values")
    }
    throw BrumeError(
      .badRequest,
      "Invalid value, expected type \(field.type.wireName): field '\(name)' of record type "
        + "'\(type)' got \(value.kind(insteadOf: field.type)); send that type, or use another "
        + "field")
  }

  /// Who may do what with public records of a type.
  func rights(of type: String) -> PublicRights { schema.rights(of: type) }
}

extension FieldValue {
  /// Nil if a field of the schema cannot hold it.
  fileprivate func coerced(to field: Schema.Field, _ draft: DraftField) -> FieldValue? {
    guard draft.isEncrypted == field.isEncrypted else { return nil }
    return coerced(to: field.type, isTagged: draft.isTagged)
  }

  /// Of assets the checksum counts: a client sends back the address that it got one at.
  fileprivate func isLeft(by other: FieldValue) -> Bool {
    switch (self, other) {
    case (.asset(let asset), .asset(let other)): asset.fileChecksum == other.fileChecksum
    case (.list(let values, _), .list(let others, _)):
      values.count == others.count && zip(values, others).allSatisfy { $0.isLeft(by: $1) }
    default: self == other
    }
  }
}

extension Record {
  /// A field's value, if a draft says the same again.
  fileprivate func value(of name: String, leftBy draft: DraftField) -> FieldValue? {
    guard let own = fields[name], encryptedFields.contains(name) == draft.isEncrypted,
      let value = draft.value
    else { return nil }
    let again = own.type.map { value.coerced(to: $0, isTagged: draft.isTagged) } ?? value
    return again.map { own.isLeft(by: $0) } ?? false ? own : nil
  }
}

extension Schema {
  /// Whether some types are not for all users to read, or without a user not for everybody.
  func hidesTypes(from user: UserID?) -> Bool {
    recordTypes.keys.contains { type in
      let read = rights(of: type).read
      return !read.contains(.world) && (user == nil || !read.contains(.icloud))
    }
  }

  /// Who may do what with public records of a type that are stored. It may have left the schema: then nobody may anything.
  func rightsOfStored(_ type: String) -> PublicRights {
    let isKnown = type == Record.usersType || recordTypes[type] != nil
    return isKnown ? rights(of: type) : PublicRights(read: [], create: [], write: [])
  }

  /// Who may do what with public records of a type.
  func rights(of type: String) -> PublicRights {
    if type == Record.usersType, recordTypes[type] == nil { return .users }
    guard let grants = recordTypes[type]?.grants, !grants.isEmpty else { return .standard }
    var rights = PublicRights(read: [], create: [], write: [])
    for grant in grants {
      let role = PublicRights.Role(grant.role)
      if grant.permissions.contains(.read) { rights.read.insert(role) }
      if grant.permissions.contains(.create) { rights.create.insert(role) }
      if grant.permissions.contains(.write) { rights.write.insert(role) }
    }
    // Who may write a record may read it.
    rights.read.formUnion(rights.write)
    return rights
  }
}
