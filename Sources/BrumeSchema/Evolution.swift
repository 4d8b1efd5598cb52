// The difference of two schemas, and which differences are allowed where. A field keeps its type and
// its encryption as long as a schema has it, except that a reset takes production's; what production has is never
// removed; the rest may come and go.

package import BrumeModel

extension Schema {
  /// One step from a schema to another.
  package enum Change: Equatable, Sendable {
    case addType(String)
    case removeType(String)
    case addField(type: String, field: String, Field)
    case removeField(type: String, field: String)
    case changeType(type: String, field: String, from: FieldType, to: FieldType)
    case changeEncryption(type: String, field: String, isEncrypted: Bool)
    case addIndex(type: String, field: String, Index)
    case removeIndex(type: String, field: String, Index)
    case changeGrants(type: String)
    case addRole(String)
    case removeRole(String)
  }

  /// What makes a schema another one.
  package enum Occasion: Sendable {
    /// A text, in either environment.
    case importing
    /// Development's schema becomes production's.
    case deploying
    /// Production's schema becomes development's again, whatever saves made of a field there.
    case resetting
  }

  /// The steps from this schema to another: roles, then types in name order. Shares are the server's, whether a
  /// schema lists their type or not, so that type never goes.
  package func changes(to other: Schema) -> [Change] {
    var changes: [Change] = []
    let (old, new) = (Set(roles), Set(other.roles))
    changes += new.subtracting(old).sorted().map { .addRole($0) }
    changes += old.subtracting(new).sorted().map { .removeRole($0) }
    for name in Set(recordTypes.keys).union(other.recordTypes.keys).sorted() {
      switch (recordTypes[name], other.recordTypes[name]) {
      case (let old?, let new?): changes += old.changes(to: new, of: name)
      case (nil, let new?): changes += [.addType(name)] + new.ownFields(of: name)
      case (_?, nil) where name == Record.shareType: break
      case (_?, nil): changes.append(.removeType(name))
      case (nil, nil): break
      }
    }
    return changes
  }

  /// Checks that this schema may become `other`. In development `deployed` is production's schema:
  /// what it has must stay. In production a deployment may only add, apart from indexes, grants and
  /// roles. All or nothing: the error lists what is wrong.
  ///
  /// - Throws: `badRequest` with the first obstacles; nothing is changed either way.
  package func checkChange(
    to other: Schema, in environment: Environment, deployed: Schema,
    by occasion: Occasion
  ) throws(BrumeError) {
    let faults = changes(to: other).compactMap {
      $0.obstacle(kept: kept(in: environment, deployed: deployed), by: occasion)
    }
    guard !faults.isEmpty else { return }
    let rest = faults.count > 5 ? "; and \(faults.count - 5) more" : ""
    throw BrumeError(
      .badRequest,
      "the schema cannot be changed: \(faults.prefix(5).joined(separator: "; "))\(rest); nothing "
        + "was changed")
  }
}

extension Schema {
  /// The schema whose types and fields must stay.
  package func kept(in environment: Environment, deployed: Schema) -> Schema {
    environment == .production ? self : deployed
  }
}

// MARK: Differences of a type

extension Schema.RecordType {
  fileprivate func ownFields(of type: String) -> [Schema.Change] {
    fields.filter { Schema.systemFields[$0.key] == nil }.sorted { $0.key < $1.key }
      .map { .addField(type: type, field: $0.key, $0.value) }
  }

  fileprivate func changes(to other: Self, of type: String) -> [Schema.Change] {
    var changes: [Schema.Change] = []
    for name in Set(fields.keys).union(other.fields.keys).sorted() {
      switch (fields[name], other.fields[name]) {
      case (let old?, let new?): changes += old.changes(to: new, type: type, field: name)
      case (nil, let new?): changes.append(.addField(type: type, field: name, new))
      case (_?, nil): changes.append(.removeField(type: type, field: name))
      case (nil, nil): break
      }
    }
    if Schema.Grant.merged(grants) != Schema.Grant.merged(other.grants) {
      changes.append(.changeGrants(type: type))
    }
    return changes
  }
}

extension Schema.Field {
  fileprivate func changes(to other: Self, type: String, field: String) -> [Schema.Change] {
    var changes: [Schema.Change] = []
    if self.type != other.type {
      changes.append(.changeType(type: type, field: field, from: self.type, to: other.type))
    }
    if isEncrypted != other.isEncrypted {
      changes.append(
        .changeEncryption(type: type, field: field, isEncrypted: other.isEncrypted))
    }
    for index in Index.allCases {
      switch (indexes.contains(index), other.indexes.contains(index)) {
      case (false, true): changes.append(.addIndex(type: type, field: field, index))
      case (true, false): changes.append(.removeIndex(type: type, field: field, index))
      case (true, true), (false, false): break
      }
    }
    return changes
  }
}

// MARK: What is allowed

extension Schema.Change {
  /// Why the change is not allowed while the types and fields of `kept` must stay; nil when it is.
  package func obstacle(kept: Schema, by occasion: Schema.Occasion) -> String? {
    switch self {
    case .removeType(let type):
      kept.recordTypes[type].map { _ in "record type '\(type)' is in production and cannot go" }
    case .removeField(let type, let field):
      kept.recordTypes[type]?.fields[field].map { _ in
        "field '\(field)' of '\(type)' is in production and cannot go"
      }
    case .changeType where occasion == .resetting, .changeEncryption where occasion == .resetting:
      nil
    case .changeType(let type, let field, let old, let new):
      "field '\(field)' of '\(type)' is \(Schema.text(of: old)) and cannot become "
        + "\(Schema.text(of: new)); \(occasion.wayOut)"
    case .changeEncryption(let type, let field, let isEncrypted):
      "field '\(field)' of '\(type)' exists and cannot become "
        + "\(isEncrypted ? "encrypted" : "unencrypted"); \(occasion.wayOut)"
    case .addType, .addField, .addIndex, .removeIndex, .changeGrants, .addRole, .removeRole: nil
    }
  }
}

extension Schema.Occasion {
  /// What to do where a field cannot change.
  fileprivate var wayOut: String {
    switch self {
    case .importing, .resetting: "add a field of another name"
    case .deploying:
      "add a field of another name, and take this one back to what production has with `brume schema reset`"
    }
  }
}

extension Schema.Change: CustomStringConvertible {
  package var description: String {
    switch self {
    case .addType(let type): "add record type \(type)"
    case .removeType(let type): "remove record type \(type) and its records"
    case .addField(let type, let field, let value):
      "add field \(type).\(field) \(Schema.text(of: value))"
    case .removeField(let type, let field): "remove field \(type).\(field)"
    case .changeType(let type, let field, let old, let new):
      "change \(type).\(field) from \(Schema.text(of: old)) to \(Schema.text(of: new))"
    case .changeEncryption(let type, let field, let isEncrypted):
      "make \(type).\(field) \(isEncrypted ? "encrypted" : "unencrypted")"
    case .addIndex(let type, let field, let index): "add index \(type).\(field) \(index.rawValue)"
    case .removeIndex(let type, let field, let index):
      "remove index \(type).\(field) \(index.rawValue)"
    case .changeGrants(let type): "change the grants of \(type)"
    case .addRole(let role): "add role \(role)"
    case .removeRole(let role): "remove role \(role)"
    }
  }
}
