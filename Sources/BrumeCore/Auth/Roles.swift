// Who has which of a container's own security roles. What a role may do is in the schema's grants; the
// decision is Sharing/Permissions.swift.

package import BrumeModel
import BrumeSchema
import BrumeStorage

/// Who has which of a container's own roles.
package struct Roles: Sendable {
  private let store: any Store
  private let limits: Limits
  private let schemas: SchemaCache
  private let knownCredentials: KnownCredentials

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    schemas = parts.schemas
    knownCredentials = parts.knownCredentials
  }

  /// Gives a user a role of the schema, or takes it away (case SCH-09).
  ///
  /// - Throws: `notFound` if the schema has no such role or there is no such user, `badRequest` for a role
  ///   that is built in, `limitExceeded` if as many are members of roles as may be. To take a role away never fails so.
  package func set(
    _ role: String, of user: UserID, to hasRole: Bool, in containerEnvironment: ContainerEnvironment
  ) async throws {
    let member = RoleMember(in: containerEnvironment, role: role, user: user)
    let (schemas, limits) = (schemas, limits)
    try await store.write(in: .server) { transaction in
      guard hasRole else { return try transaction.roles.remove(member) }
      let schema = try schemas.schema(of: containerEnvironment, in: transaction)
      guard schema.roles.contains(role) else { throw Self.unknownRole(role, schema) }
      guard try transaction.users.find(user) != nil else { throw User.missing(user) }
      try transaction.roles.add(member, limits: limits)
    }
    knownCredentials.forget()
  }

  /// Everybody who has a role, in role and user order.
  ///
  /// - Throws: what the store throws.
  package func members(in containerEnvironment: ContainerEnvironment) async throws -> [RoleMember] {
    try await store.read { try $0.roles.members(in: containerEnvironment) }
  }

  private static func unknownRole(_ role: String, _ schema: Schema) -> BrumeError {
    if Schema.builtInRoles.contains(role) {
      return BrumeError(
        .badRequest, "role '\(role)' is built in: nobody is given it; grant it in the schema")
    }
    let known = schema.roles.isEmpty ? "none" : schema.roles.joined(separator: ", ")
    return BrumeError(
      .notFound,
      "the schema has no role '\(role)' (it has \(known)); add 'CREATE ROLE \(role);' and import it"
    )
  }
}

extension RoleWriting {
  /// Who has the role already needs no room.
  fileprivate func add(_ member: RoleMember, limits: Limits) throws {
    let members = try members(in: member.containerEnvironment)
    guard !members.contains(member) else { return }
    try CountRules.room(
      for: "members of roles in \(member.containerEnvironment)", beside: members.count,
      upTo: limits.roleMembersPerContainer,
      next: "take a role away from somebody with `brume schema role remove ROLE USER`")
    try put(member)
  }
}
