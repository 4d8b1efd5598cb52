// What a container's records look like in one environment: record types, their fields with indexes,
// who may do what with public records. The text form is Parse.swift and Print.swift; which change is
// allowed where is Evolution.swift. Values only; nothing here knows records or storage.

package import BrumeModel

/// The record types and roles of one container environment.
package struct Schema: Equatable, Sendable {
  /// By name. Every schema has `Users`.
  package var recordTypes: [String: RecordType]
  /// Roles of the container's own, in name order.
  package var roles: [String]

  package init(recordTypes: [String: RecordType] = [:], roles: [String] = []) {
    self.recordTypes = recordTypes
    self.roles = Set(roles).sorted()
    if recordTypes[Record.usersType] == nil {
      self.recordTypes[Record.usersType] = .users
    }
  }
}

extension Schema {
  /// Fields and grants of one record type.
  package struct RecordType: Equatable, Sendable {
    /// By name; system fields under their schema names, such as `___recordID`.
    package var fields: [String: Field]
    /// One entry a role, in role order. They matter in the public database only.
    package var grants: [Grant]

    /// System fields that are left out are added without an index; no grant at all means the
    /// customary three.
    package init(fields: [String: Field] = [:], grants: [Grant] = []) {
      self.fields = fields
      for (name, type) in Schema.systemFields where fields[name] == nil {
        self.fields[name] = Field(type)
      }
      self.grants = grants.isEmpty ? Grant.customary : Grant.merged(grants)
    }
  }

  /// What is declared of one field.
  package struct Field: Equatable, Sendable {
    package var type: FieldType
    package var isEncrypted: Bool
    /// Those that it is to have; which it can have is `obstacle(to:)`.
    package var indexes: Set<Index>

    package init(_ type: FieldType, isEncrypted: Bool = false, indexes: Set<Index> = []) {
      self.type = type
      self.isEncrypted = isEncrypted
      self.indexes = indexes
    }
  }

  /// As fields have it.
  package typealias Index = Field.Index
}

extension Schema.Field {
  /// Raw values are the keywords of the schema language.
  package enum Index: String, Hashable, Sendable, CaseIterable {
    /// Equality and membership.
    case queryable = "QUERYABLE"
    /// Full text.
    case searchable = "SEARCHABLE"
    /// Ranges and order.
    case sortable = "SORTABLE"

    /// Every index that has a meaning for an unencrypted field of a type: what a field gets when a
    /// save in development creates it. Texts may have more, as Apple's exports do: `SORTABLE` lists.
    package static func allowed(for type: FieldType) -> Set<Index> {
      switch type {
      case .string: [.queryable, .searchable, .sortable]
      case .int64, .double, .timestamp, .location, .reference: [.queryable, .sortable]
      case .bytes, .asset: []
      case .list(.string): [.queryable, .searchable]
      case .list(let element): allowed(for: element).intersection([.queryable])
      }
    }
  }

  /// A field as a save in development creates it: with every index that its type allows.
  package static func justInTime(_ type: FieldType, isEncrypted: Bool = false) -> Schema.Field {
    Schema.Field(
      type, isEncrypted: isEncrypted, indexes: isEncrypted ? [] : Index.allowed(for: type))
  }
}

// MARK: System fields

extension Schema {
  /// The fields that every type has. `___parent` and `___share` are not in schemas.
  package static let systemFields: [String: FieldType] = [
    "___createTime": .timestamp,
    "___createdBy": .reference,
    "___etag": .string,
    "___modTime": .timestamp,
    "___modifiedBy": .reference,
    "___recordID": .reference,
  ]
}

extension Schema.RecordType {
  /// A type as a save in development creates it: all fields with every index.
  package static func justInTime(_ fields: [String: Schema.Field] = [:]) -> Schema.RecordType {
    let system = Schema.systemFields.mapValues { Schema.Field.justInTime($0) }
    return Schema.RecordType(fields: fields.merging(system) { own, _ in own })
  }

  /// Users read each other and write themselves; queries on them are off until somebody asks.
  package static let users = Schema.RecordType(
    fields: ["roles": Schema.Field(.list(.int64))],
    grants: [Schema.Grant("_creator", [.write]), Schema.Grant("_world", [.read])])

  /// The field that a condition or a sort names. Parent and share can always be asked for.
  package func field(_ name: FieldName) -> Schema.Field? {
    switch name {
    case .field(let name): fields[name]
    case .system(.parent), .system(.share): Schema.Field(.reference, indexes: [.queryable])
    case .system(let system): fields[system.schemaName]
    }
  }
}
