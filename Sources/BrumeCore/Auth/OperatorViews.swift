// As whom an operator's call about data goes to the rules. Without `as` it is the operator, who may see and
// change everything and whose changes are made under the name of the user; with it, it is that user, and the
// same rules decide as for a request of theirs.

package import BrumeModel
import BrumeStorage

/// Finds the users that operators name.
package struct OperatorViews: Sendable {
  private let store: any Store

  init(_ parts: EngineParts) { store = parts.store }

  /// - Throws: `notFound` for a user that is not there, `badRequest` if the view names too little.
  package func open(
    _ view: OperatorView, in containerEnvironment: ContainerEnvironment, requestID: String
  ) async throws -> OpenedView {
    try await store.read { transaction in
      let user = try view.user.map { try transaction.users.named($0) }
      let reader = try view.actingAs.map { try transaction.users.named($0) }
      func caller(_ kind: Caller.Kind, _ user: UserID?) throws -> Caller {
        let roles = try user.map { user in
          try transaction.roles.names(of: user, in: containerEnvironment)
        }
        return Caller(
          in: containerEnvironment, user: user, device: nil, kind: kind, roles: Set(roles ?? []),
          requestID: requestID)
      }
      switch view.scope {
      case .public:
        return OpenedView(
          scope: .public, caller: try caller(reader == nil ? .operator : .user, reader ?? user),
          owner: nil)
      case .private:
        guard let user else { throw OperatorView.namesNobody(.private) }
        guard let reader, reader != user else {
          let kind: Caller.Kind = reader == nil ? .operator : .user
          return OpenedView(scope: .private, caller: try caller(kind, user), owner: nil)
        }
        return OpenedView(scope: .shared, caller: try caller(.user, reader), owner: user)
      case .shared:
        guard let participant = reader ?? user else { throw OperatorView.namesNobody(.shared) }
        // What is shared is a view of its reader; nobody else has it.
        return OpenedView(
          scope: .shared, caller: try caller(.user, participant),
          owner: reader == nil || reader == user ? nil : user)
      }
    }
  }
}

extension OperatorView {
  fileprivate static func namesNobody(_ scope: DatabaseScope) -> BrumeError {
    BrumeError(
      .badRequest,
      "the call names no user: give in 'user' whose \(scope.rawValue) database is meant")
  }
}

extension UserReading {
  /// A user by record name, which nobody chooses, or by sign-in name.
  ///
  /// - Throws: `notFound`.
  package func account(named name: String) throws -> User {
    if let user = try find(UserID(name)) ?? find(named: name) { return user }
    throw BrumeError(
      .notFound,
      "there is no user '\(NameRules.shown(name))'; 'brume user list' shows who there is, and "
        + "'brume user create \(NameRules.shown(name))' makes one")
  }

  fileprivate func named(_ name: String) throws -> UserID { try account(named: name).id }
}
