// Admin tokens: what programs call the operator's endpoints with. Each has a name, a role, an end or none,
// and belongs to the operator who made it, with whom it goes. The data folder's own token is not among
// them.

package import BrumeModel
import BrumeStorage

/// Admin tokens.
package struct AdminTokens: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host
  /// Ours, in days: the longest that one is good that has an end.
  private static let longest: Int64 = 3650

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
  }

  /// In the order of creation, with the names of the operators whose they are, by ID.
  ///
  /// - Throws: what the store throws.
  package func all() async throws -> (tokens: [OperatorCredential], owners: [String: String]) {
    try await store.read { transaction in
      (
        try transaction.operators.credentials().filter { $0.kind == .token },
        try transaction.operators.namesByID()
      )
    }
  }

  /// - Parameters:
  ///   - days: how long it is good; nil: until it is revoked.
  ///   - maker: whose it is. It never has a greater role.
  /// - Throws: `exists`, `limitExceeded`, `badRequest` with a name or a number of days that cannot be.
  package func create(
    name: String, role: OperatorRole, days: Int64?, by maker: OperatorAccess
  ) async throws -> NewOperatorCredential {
    try AccountRules.checkName(name, limits: limits)
    if let days, !(1...Self.longest).contains(days) {
      throw BrumeError(
        .badRequest, "'days' is \(days); a token is good for 1 to \(Self.longest) days")
    }
    let token = NewOperatorCredential(
      .token, name: name, operatorID: maker.operatorID, role: role.atMost(maker.role),
      lifetime: days.map { $0 * 86_400_000 }, host: host)
    let (limits, now) = (limits, host.now())
    try await store.write(in: .server) { transaction in
      try transaction.operators.removeCredentials { $0.hasEnded(at: now) }
      let others = try transaction.operators.credentials().filter { $0.kind == .token }
      guard !others.contains(where: { $0.name == name }) else {
        throw BrumeError(
          .exists, "an admin token '\(name)' exists already; revoke it, or choose another name")
      }
      try CountRules.room(
        for: "admin tokens", beside: others.count, upTo: limits.adminTokens,
        next: "revoke one with `brume operator token revoke NAME`")
      try transaction.operators.put(token.credential)
    }
    return token
  }

  /// From now on no request may use the token.
  ///
  /// - Throws: `notFound`.
  package func revoke(_ name: String) async throws -> OperatorCredential {
    try await store.write(in: .server) { transaction in
      let found = try transaction.operators.credentials().first {
        $0.kind == .token && $0.name == name
      }
      guard let found else {
        throw BrumeError(
          .notFound,
          "there is no admin token '\(NameRules.shown(name))'; `brume operator token list` shows them"
        )
      }
      try transaction.operators.removeCredential(found.id)
      return found
    }
  }
}
