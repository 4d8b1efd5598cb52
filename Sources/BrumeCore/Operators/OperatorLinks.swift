// One-time links of the server itself. While there is no operator, one makes the first; on a development server, one signs a
// browser in without a name. Whoever starts the server gets it on the terminal; it lives for minutes and is
// used once, whoever comes second. Links to become a further operator are `OperatorInvitations.swift`.

package import BrumeModel
import BrumeStorage

/// Links that let somebody in who has no password yet.
package struct OperatorLinks: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
  }

  /// A new link; nil if there are operators, who need none, and this is no development.
  ///
  /// - Throws: what the store throws; `limitExceeded` if too many links wait.
  package func make(inDevelopment: Bool) async throws -> NewOperatorCredential? {
    let link = NewOperatorCredential(
      .link, operatorID: nil, role: .full, lifetime: limits.operatorLinkLifetime, host: host)
    let (limits, now) = (limits, host.now())
    return try await store.write(in: .server) { transaction in
      guard try inDevelopment || transaction.operators.isNobodyThere else { return nil }
      try transaction.operators.put(link.credential, upTo: limits.operatorLinks, at: now) {
        !$0.isInvitation
      }
      return link
    }
  }

  /// A good link, before anything is spent on it.
  ///
  /// - Throws: `authenticationFailed` if it is not, or not any more.
  package func find(_ secret: String) async throws -> OperatorCredential {
    let now = host.now()
    return try await store.read { try $0.operators.link(secret, at: now) }
  }

  /// Signs a browser in on a development server. The link is gone.
  ///
  /// - Throws: `authenticationFailed` if it is not good, or was used by another at the same time.
  package func signIn(_ secret: String) async throws -> NewOperatorCredential {
    let session = NewOperatorCredential.session(of: nil, limits, host)
    let (limits, now) = (limits, host.now())
    try await store.write(in: .server) { transaction in
      let link = try transaction.operators.link(secret, at: now)
      try transaction.operators.removeCredential(link.id)
      try transaction.operators.put(session, limits: limits, at: now)
    }
    return session
  }

  /// What becomes the first operator, once `makeFirst` is called: the password is hashed, which costs 64 MB
  /// and a tenth of a second.
  ///
  /// - Throws: `badRequest` with a name or password that cannot be.
  package func firstOperator(name: String, password: String) throws -> Operator {
    try OperatorRules.make(name, password, .full, limits: limits, host: host)
  }

  /// Makes the first operator and signs the browser in. All links are gone but invitations.
  ///
  /// - Parameter id: that of the link.
  /// - Throws: `authenticationFailed` if the link is not good, `exists` if another was first.
  package func makeFirst(_ person: Operator, id: String?) async throws -> NewOperatorCredential {
    let session = NewOperatorCredential.session(of: person.id, limits, host)
    let (limits, now) = (limits, host.now())
    try await store.write(in: .server) { transaction in
      _ = try transaction.operators.link(withID: id, at: now)
      guard try transaction.operators.isNobodyThere else {
        throw BrumeError(
          .exists, "there is an operator already; sign in, or ask for an account of your own")
      }
      try transaction.operators.removeCredentials { $0.kind == .link && !$0.isInvitation }
      try transaction.operators.put(person)
      try transaction.operators.put(session, limits: limits, at: now)
    }
    return session
  }
}

extension OperatorReading {
  /// Whether the first operator may be made. One whose account is damaged is there.
  fileprivate var isNobodyThere: Bool {
    get throws { try BrumeError.unlessDamaged { try all().isEmpty } ?? false }
  }

  func link(_ secret: String, at now: Milliseconds) throws -> OperatorCredential {
    try link(withID: OperatorSecret.id(of: secret), at: now)
  }

  fileprivate func link(withID id: String?, at now: Milliseconds) throws -> OperatorCredential {
    guard let id, let link = try credential(id),
      link.kind == .link, !link.isInvitation, !link.hasEnded(at: now)
    else {
      throw BrumeError(
        .authenticationFailed,
        "this link was used, or its time is over; `brume operator link` on the server's machine "
          + "makes a new one")
    }
    return link
  }
}
