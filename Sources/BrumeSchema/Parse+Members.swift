// The fields of a record type: their types, and which index a type can have.

package import BrumeModel

extension SchemaParser {
  mutating func field(
    of recordType: String, into fields: inout [String: Schema.Field]
  ) throws(SchemaFault) {
    let position = token.position
    let name = try name("a field name or GRANT")
    guard fields[name] == nil else {
      throw Self.fault(
        position, "encountered field \(NameRules.quoted(name)) of '\(recordType)' again",
        "another name")
    }
    let typePosition = token.position
    var field = try type()
    if let system = Schema.systemFields[name] {
      guard field.type == system, !field.isEncrypted else {
        throw Self.fault(
          typePosition, "encountered another type for \(name)", Schema.text(of: system))
      }
    } else {
      try Self.check(position) { () throws(BrumeError) in
        try NameRules.fieldName(name, ofShare: recordType == Record.shareType, limits: .apple)
      }
    }
    while let index = try index(of: name, field) { field.indexes.insert(index) }
    fields[name] = field
  }

  private mutating func index(
    of name: String, _ field: Schema.Field
  ) throws(SchemaFault) -> Schema.Index? {
    let position = token.position
    guard let index = acceptOne(of: Schema.Index.allCases, \.rawValue) else { return nil }
    if let obstacle = field.obstacle(to: index) {
      throw Self.fault(position, "encountered \(index.rawValue) on '\(name)'", "none: \(obstacle)")
    }
    return index
  }
}

extension Schema.Field {
  /// Why a field cannot have an index, in a text and by a command alike; nil when it can.
  package func obstacle(to index: Schema.Index) -> String? {
    if isEncrypted { return "an encrypted field has no index" }
    switch (type.element, index) {
    case (.bytes, _), (.asset, _): return "\(Schema.text(of: type)) fields have no index"
    case (.string, _): return nil
    case (_, .searchable): return "only text is searchable"
    default: return nil
    }
  }
}

// MARK: Types

extension SchemaParser {
  /// A field of the type that follows, without indexes.
  private mutating func type() throws(SchemaFault) -> Schema.Field {
    guard accept("LIST") else { return try primitive() }
    try expect(sign: "<")
    var field = try primitive()
    try expect(sign: ">")
    field.type = .list(field.type)
    return field
  }

  private mutating func primitive() throws(SchemaFault) -> Schema.Field {
    if accept("NUMBER") { return Schema.Field(try number()) }
    let isEncrypted = accept("ENCRYPTED")
    let types: [FieldType] =
      isEncrypted ? Schema.encryptable : Schema.encryptable + [.asset, .reference]
    guard let type = acceptOne(of: types, Schema.text) else {
      throw unexpected(
        isEncrypted
          ? "a type that can be encrypted: \(types.map(Schema.text).joined(separator: ", "))"
          : "a type: \(types.map(Schema.text).joined(separator: ", ")), NUMBER, LIST or ENCRYPTED")
    }
    return Schema.Field(type, isEncrypted: isEncrypted)
  }

  /// `NUMBER` is a field whose type a save left open. Both kinds of number fit a `DOUBLE`.
  private mutating func number() throws(SchemaFault) -> FieldType {
    guard accept("PREFERRED") else { return .double }
    try expect("AS")
    if accept("INT64") { return .int64 }
    try expect("DOUBLE")
    return .double
  }
}

extension Schema {
  static let encryptable: [FieldType] = [.bytes, .double, .int64, .location, .string, .timestamp]

  /// A type's spelling in the schema language.
  package static func text(of type: FieldType) -> String {
    switch type {
    case .asset: "ASSET"
    case .list(let element): "LIST<\(text(of: element))>"
    case .string, .int64, .double, .bytes, .timestamp, .location, .reference: type.wireName
    }
  }
}
