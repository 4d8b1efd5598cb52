// Invitations: one-time links with which somebody becomes an operator. Name and role are those of the invitation, so
// that the audit log says from the first line on who it is; the password is chosen by whoever opens the link. It goes
// with the operator who made it, and never gives more than that one may.

package import BrumeModel
import BrumeStorage

/// Links that make further operators.
package struct OperatorInvitations: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host
  /// Ours, in hours: the longest that one is good, and what holds for one that says nothing.
  package static let longest: Int64 = 168
  private static let usual: Int64 = 24

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
  }

  /// Those that are good, in the order of creation, with the names of the operators who made them, by ID.
  ///
  /// - Throws: what the store throws.
  package func all() async throws -> (invitations: [OperatorCredential], makers: [String: String]) {
    let now = host.now()
    return try await store.read { transaction in
      (try transaction.operators.invitations(at: now), try transaction.operators.namesByID())
    }
  }

  /// Invites somebody. An earlier invitation of the same name is not good any more.
  ///
  /// - Parameters:
  ///   - hours: how long the link is good; nil: a day.
  ///   - maker: with whom it goes.
  /// - Throws: `exists` if there is such an operator, `limitExceeded`, `badRequest` with a name or a number of hours
  ///   that cannot be.
  package func make(
    name: String, role: OperatorRole, hours: Int64?, by maker: OperatorAccess
  ) async throws -> NewOperatorCredential {
    try OperatorRules.checkName(name, limits: limits)
    let hours = hours ?? Self.usual
    guard (1...Self.longest).contains(hours) else {
      throw BrumeError(
        .badRequest, "'hours' is \(hours); an invitation is good for 1 to \(Self.longest) hours")
    }
    let made = NewOperatorCredential(
      .link, name: name, operatorID: maker.operatorID, role: role.atMost(maker.role),
      lifetime: hours * 3_600_000, host: host)
    let (limits, now) = (limits, host.now())
    try await store.write(in: .server) {
      try $0.operators.invite(made.credential, limits: limits, at: now)
    }
    return made
  }

  /// From now on nobody may use the invitation of a name.
  ///
  /// - Throws: `notFound`.
  package func revoke(_ name: String) async throws -> OperatorCredential {
    let now = host.now()
    return try await store.write(in: .server) { transaction in
      let found = try transaction.operators.invitations(at: now).first { $0.name == name }
      guard let found else {
        throw BrumeError(
          .notFound,
          "there is no invitation of '\(NameRules.shown(name))'; `brume operator invitation list` "
            + "shows them, and `brume operator remove` removes who has used one")
      }
      try transaction.operators.removeCredential(found.id)
      return found
    }
  }

  /// What a link invites to, before anything is spent on it.
  ///
  /// - Throws: `authenticationFailed` if it is not good, or not any more.
  package func find(_ secret: String) async throws -> OperatorCredential {
    let now = host.now()
    return try await store.read {
      try $0.operators.invitation(withID: OperatorSecret.id(of: secret), at: now)
    }
  }

  /// What becomes the operator, once `accept` is called: the password is hashed, which costs 64 MB and a tenth of a
  /// second.
  ///
  /// - Throws: `badRequest` with a password that cannot be.
  package func person(_ invitation: OperatorCredential, password: String) throws -> Operator {
    try OperatorRules.make(
      invitation.name, password, invitation.role, limits: limits, host: host)
  }

  /// Makes the operator and signs the browser in. The link is gone.
  ///
  /// - Parameter id: that of the invitation.
  /// - Returns: the operator as the invitation says, and the session.
  /// - Throws: `authenticationFailed` if the link is not good, or was used by another at the same time; `exists` if
  ///   the name or the identity has become another's.
  package func accept(_ person: Operator, id: String?) async throws -> NewOperatorCredential {
    let session = NewOperatorCredential.session(of: person.id, limits, host)
    let (limits, now) = (limits, host.now())
    try await store.write(in: .server) { transaction in
      let invitation = try transaction.operators.invitation(withID: id, at: now)
      var person = person
      person.role = invitation.role
      try transaction.operators.removeCredential(invitation.id)
      try transaction.operators.addAlone(person, limits: limits)
      try transaction.operators.put(session, limits: limits, at: now)
    }
    return session
  }
}
