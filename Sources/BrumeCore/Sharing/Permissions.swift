// The one decision on who may do what with a record. Saves, fetches, queries, change feeds and
// notifications all ask here, with the image of the record that is at stake (docs/visibility.md).

package import BrumeModel

/// Decides who may do what with a record.
package enum Permissions {
  /// What somebody wants to do with a record; writing includes deleting.
  package enum Action: String, Sendable { case read, create, write }

  /// Who asks.
  package struct Principal: Equatable, Sendable {
    package let user: UserID?
    /// Roles of the container's own that the user has; they matter in the public database only.
    package let roles: Set<String>
    /// Whether everything is allowed, whoever the user is.
    package let isOperator: Bool
    package init(user: UserID?, roles: Set<String> = [], isOperator: Bool = false) {
      self.user = user
      self.roles = roles
      self.isOperator = isOperator
    }
  }

  /// Where the record is, seen from the principal.
  package enum Context: Equatable, Sendable {
    /// The principal's own private database.
    case own
    /// The public database, with the rights that the schema gives on the record's type.
    case `public`(PublicRights)
    /// Somebody else's zone, with what the covering shares grant; nil if none covers the record.
    case shared(SharePermission?)
  }

  /// Nil when allowed; the error otherwise.
  ///
  /// - Parameter creator: who made the record, with the public database.
  package static func decide(
    _ principal: Principal, _ action: Action, in context: Context, creator: UserID?
  ) -> BrumeError? {
    if principal.isOperator { return nil }
    switch context {
    case .own: return nil
    case .public(let rights): return decide(principal, action, rights, creator)
    case .shared(let permission): return decide(action, permission)
    }
  }

  private static func decide(
    _ principal: Principal, _ action: Action, _ rights: PublicRights, _ creator: UserID?
  ) -> BrumeError? {
    let roles = rights.roles(for: action)
    if roles.contains(.world) { return nil }
    guard let user = principal.user else {
      return BrumeError(
        .authenticationRequired,
        "request needs authorization: \(action.rawValue) in the public database needs a "
          + "signed-in user; send a web auth token"
      )
    }
    if roles.contains(.icloud) { return nil }
    if roles.contains(.creator), action == .create || creator == user { return nil }
    if principal.roles.contains(where: { roles.contains(.custom($0)) }) { return nil }
    return BrumeError(
      .accessDenied,
      "\(action.rawValue.uppercased()) operation not permitted: the schema grants it to "
        + (roles.contains(.creator) ? "the record's creator only" : "nobody of your roles"))
  }

  private static func decide(_ action: Action, _ permission: SharePermission?) -> BrumeError? {
    switch (action, permission) {
    case (_, .readWrite), (.read, .readOnly): return nil
    case (.create, nil), (.create, .some(.none)):
      return BrumeError(
        .accessDenied,
        "CREATE operation not permitted: a record in the shared database needs a parent that is "
          + "shared with you")
    case (_, .readOnly):
      return BrumeError(
        .accessDenied,
        "\(action.rawValue.uppercased()) operation not permitted: the share is read-only; its "
          + "owner can give you READ_WRITE")
    case (_, nil), (_, .some(.none)):
      return BrumeError(
        .accessDenied,
        "\(action.rawValue.uppercased()) operation not permitted: not shared with you; its owner "
          + "can invite you")
    }
  }
}

/// Who may do what with one record type in the public database.
package struct PublicRights: Equatable, Sendable {
  /// Whom a grant in a schema names.
  package enum Role: Hashable, Sendable {
    case world, icloud, creator
    /// One of the container's own.
    case custom(String)

    /// The role with a name as schemas and clients write it.
    package init(_ name: String) {
      switch name {
      case "_world": self = .world
      case "_icloud": self = .icloud
      case "_creator": self = .creator
      default: self = .custom(name)
      }
    }
  }
  /// Who may read; the same for the two below.
  package var read: Set<Role>
  package var create: Set<Role>
  package var write: Set<Role>

  /// What a type without grants has: everybody reads, users create, creators write (SCH-09).
  package static let standard = PublicRights(read: [.world], create: [.icloud], write: [.creator])
  /// User records come with the account: nobody creates one.
  package static let users = PublicRights(read: [.world], create: [], write: [.creator])

  /// True when who has which role of the container's own makes a difference.
  package var namesCustomRoles: Bool {
    [read, create, write].contains { roles in
      roles.contains { role in
        if case .custom = role { true } else { false }
      }
    }
  }

  /// Who may do this.
  package func roles(for action: Permissions.Action) -> Set<Role> {
    switch action {
    case .read: read
    case .create: create
    case .write: write
    }
  }
}

extension Caller {
  /// The caller as rights are asked for.
  package var principal: Permissions.Principal {
    Permissions.Principal(user: user, roles: roles, isOperator: kind == .operator)
  }
}
