// Who may read, create and write records of a type in the public database.

extension Schema {
  /// What one role may do.
  package struct Grant: Equatable, Sendable {
    package var role: String
    package var permissions: Set<Permission>

    package init(_ role: String, _ permissions: Set<Permission>) {
      self.role = role
      self.permissions = permissions
    }

    /// What Apple advises for public types, and what a type without grants gets.
    package static let customary = [
      Grant("_creator", [.write]), Grant("_icloud", [.create]), Grant("_world", [.read]),
    ]

    /// One entry a role, in role order.
    static func merged(_ grants: [Grant]) -> [Grant] {
      var roles: [String: Set<Permission>] = [:]
      for grant in grants { roles[grant.role, default: []].formUnion(grant.permissions) }
      return roles.sorted { $0.key < $1.key }.map { Grant($0.key, $0.value) }
    }
  }

  /// Raw values are the keywords of the schema language.
  package enum Permission: String, Hashable, Sendable, CaseIterable {
    case read = "READ"
    case create = "CREATE"
    case write = "WRITE"
  }

  /// Anybody, any signed-in user, the creator of the record.
  package static let builtInRoles: Set<String> = ["_creator", "_icloud", "_world"]
}
