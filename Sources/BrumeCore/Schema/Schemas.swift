// The operator's calls on schemas: show, index, import, deploy. What may change is decided by
// BrumeSchema/Evolution.swift.

package import BrumeModel
package import BrumeSchema
import BrumeStorage

/// The schemas of containers, as an operator reads and changes them.
package struct Schemas: Sendable {
  private let store: any Store
  private let schemas: SchemaCache
  private let removal: TypeRemoval
  private let knownCredentials: KnownCredentials

  init(_ parts: EngineParts) {
    store = parts.store
    schemas = parts.schemas
    removal = TypeRemoval(parts)
    knownCredentials = parts.knownCredentials
  }

  /// The schema of a container environment.
  ///
  /// - Throws: what the store throws.
  package func current(of containerEnvironment: ContainerEnvironment) async throws -> Schema {
    let schemas = schemas
    return try await store.read { transaction in
      try schemas.schema(of: containerEnvironment, in: transaction)
    }
  }

  /// Adds or removes one index of a field. System fields go by `___recordID` and its like.
  ///
  /// - Throws: `notFound` for an unknown type; `badRequest` for an unknown field, or if the field cannot have
  ///   that index.
  package func setIndex(
    _ index: Schema.Index, on field: String, of type: String, to isOn: Bool,
    in containerEnvironment: ContainerEnvironment
  ) async throws {
    try await change(of: containerEnvironment) { schema, _ in
      guard schema.recordTypes[type] != nil else { throw Schema.missing(type: type) }
      guard let known = schema.recordTypes[type]?.fields[field] else {
        throw Schema.missing(field: field, type: type)
      }
      if isOn, let obstacle = known.obstacle(to: index) {
        throw BrumeError(
          .badRequest,
          "field '\(field)' of '\(type)' cannot be \(index.rawValue.lowercased()): \(obstacle); "
            + "use another field")
      }
      if isOn {
        schema.recordTypes[type]?.fields[field]?.indexes.insert(index)
      } else {
        schema.recordTypes[type]?.fields[field]?.indexes.remove(index)
      }
    }
  }

  /// Replaces a schema by the one in `text`. All or nothing: existing fields keep their type, and
  /// what production has stays.
  ///
  /// - Parameters:
  ///   - allowsDrops: whether record types may go, with all their records. Without it a text that lacks one is refused.
  ///   - types: those that may go then; nil: any.
  /// - Throws: `badRequest` for a text that is no schema, and for a change that may not be. Records of
  ///   dropped types may be gone then.
  package func replace(
    by text: String, in containerEnvironment: ContainerEnvironment, allowsDrops: Bool = true,
    of types: Set<String>? = nil
  ) async throws {
    try await replace(
      by: try Schema(parsing: text), in: containerEnvironment, .importing,
      dropping: allowsDrops ? types : [])
  }

  /// Makes development's schema what production's is. Types that production does not have go, with all
  /// their records. A field takes production's type, also where a save made it another one.
  ///
  /// - Parameter types: those that may go; nil: any.
  /// - Throws: `validatingReferenceError` if records of other types keep one from being deleted.
  package func reset(_ container: ContainerID, dropping types: Set<String>? = nil) async throws {
    let deployed = try await current(of: ContainerEnvironment(container, .production))
    try await replace(
      by: deployed, in: ContainerEnvironment(container, .development), .resetting,
      dropping: types)
  }

  private func replace(
    by new: Schema, in containerEnvironment: ContainerEnvironment, _ occasion: Schema.Occasion,
    dropping types: Set<String>?
  ) async throws {
    let difference = try await difference(to: new, in: containerEnvironment, occasion)
    try difference.checkDrops(of: types, by: occasion)
    if difference.isAllowed {
      try await removal.removeRecords(of: difference.dropped, in: containerEnvironment)
    }
    let dropped = try await change(of: containerEnvironment) { schema, deployed in
      try schema.checkChange(
        to: new, in: containerEnvironment.environment, deployed: deployed, by: occasion)
      let others = SchemaDifference(from: schema, to: new, kept: Schema(), by: occasion)
      try others.checkDrops(of: types, by: occasion)
      schema = new
      return others.dropped
    }
    // What was saved while the records went, also of types that a save brought meanwhile.
    try await removal.removeRecords(of: dropped, in: containerEnvironment)
  }

  // MARK: Differences

  /// What a schema would become with the one in `text`.
  ///
  /// - Throws: `badRequest` for a text that is no schema.
  package func difference(
    to text: String, in containerEnvironment: ContainerEnvironment
  ) async throws -> SchemaDifference {
    try await difference(to: try Schema(parsing: text), in: containerEnvironment, .importing)
  }

  /// What production's schema would become by a deployment.
  ///
  /// - Throws: what the store throws.
  package func differenceOfDeployment(_ container: ContainerID) async throws -> SchemaDifference {
    let development = try await current(of: ContainerEnvironment(container, .development))
    return try await difference(
      to: development, in: ContainerEnvironment(container, .production), .deploying)
  }

  /// What development's schema would become by a reset.
  ///
  /// - Throws: what the store throws.
  package func differenceOfReset(_ container: ContainerID) async throws -> SchemaDifference {
    let deployed = try await current(of: ContainerEnvironment(container, .production))
    return try await difference(
      to: deployed, in: ContainerEnvironment(container, .development), .resetting)
  }

  private func difference(
    to new: Schema, in containerEnvironment: ContainerEnvironment, _ occasion: Schema.Occasion
  ) async throws -> SchemaDifference {
    let schemas = schemas
    let container = containerEnvironment.container
    return try await store.read { transaction in
      let schema = try schemas.schema(of: containerEnvironment, in: transaction)
      let deployed = try schemas.schema(
        of: ContainerEnvironment(container, .production), in: transaction)
      return SchemaDifference(
        from: schema, to: new,
        kept: schema.kept(in: containerEnvironment.environment, deployed: deployed), by: occasion)
    }
  }

  /// Makes production's schema what development's is, and takes the kinds of subscriptions there.
  /// Deploying removes no type and no field.
  ///
  /// - Throws: `badRequest` if it would do more than add.
  package func deploy(_ container: ContainerID) async throws {
    let development = ContainerEnvironment(container, .development)
    let production = ContainerEnvironment(container, .production)
    let new = try await current(of: development)
    try await change(of: production) { schema, deployed in
      try schema.checkChange(to: new, in: .production, deployed: deployed, by: .deploying)
      schema = new
    }
    try await store.write(in: .server) { transaction in
      let key = SettingKey.subscriptionTypes(production)
      var types = SubscriptionTypes(try transaction.settings.value(key))
      types.add(SubscriptionTypes(try transaction.settings.value(.subscriptionTypes(development))))
      try transaction.settings.set(key, to: types.bytes)
    }
  }

  /// Whoever has a role that goes loses it: one of the same name may be made for others later. Saves that read the schema as
  /// it was are done before, so that who looks for their records afterwards finds them.
  private func change<Answer: Sendable>(
    of containerEnvironment: ContainerEnvironment,
    _ change: @escaping @Sendable (inout Schema, Schema) throws -> Answer
  ) async throws -> Answer {
    let schemas = schemas
    let answer = try await store.write(in: .serverBetweenSaves(of: store)) { transaction in
      let old = try schemas.schema(of: containerEnvironment, in: transaction)
      let deployed = try schemas.schema(
        of: ContainerEnvironment(containerEnvironment.container, .production), in: transaction)
      var new = old
      let answer = try change(&new, deployed)
      try transaction.settings.set(.schema(containerEnvironment), to: Array(new.text().utf8))
      let gone = Set(old.roles).subtracting(new.roles)
      try transaction.roles.removeMembers(of: gone, in: containerEnvironment)
      return answer
    }
    knownCredentials.forget()
    return answer
  }
}

extension RoleWriting {
  fileprivate func removeMembers(
    of roles: Set<String>, in containerEnvironment: ContainerEnvironment
  ) throws {
    if roles.isEmpty { return }
    for member in try members(in: containerEnvironment) where roles.contains(member.role) {
      try remove(member)
    }
  }
}

extension Schema {
  static func missing(type: String) -> BrumeError {
    let next =
      type == Record.shareType
      ? "shares can be fetched by name, and queried after `brume schema import` of a text with "
        + "RECORD TYPE \"\(type)\" (\"___recordID\" REFERENCE QUERYABLE)"
      : "check its spelling, or save a record of it in development first, and deploy the schema for "
        + "production"
    return BrumeError(
      .notFound, "Did not find record type: \(NameRules.shown(type)); \(next)")
  }
  static func missing(field: String, type: String) -> BrumeError {
    BrumeError(
      .badRequest,
      "Did not find field '\(NameRules.shown(field))' in record type '\(type)'; check its spelling, or "
        + "save a record with it first")
  }
}
