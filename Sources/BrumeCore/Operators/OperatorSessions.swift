// Sessions of browsers: beginning one for somebody who has shown who they are, and ending it. How long one
// lasts is in `Limits`; who is behind one is `OperatorAuthentication.swift`.

package import BrumeModel
import BrumeStorage

/// Sessions of operators.
package struct OperatorSessions: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
  }

  /// Signs a browser in.
  ///
  /// - Throws: `authenticationFailed` if the operator was removed, or got another password, since the
  ///   check.
  package func begin(for person: Operator) async throws -> NewOperatorCredential {
    let session = NewOperatorCredential.session(of: person.id, limits, host)
    let (limits, now) = (limits, host.now())
    try await store.write(in: .server) { transaction in
      guard try transaction.operators.find(person.id)?.passwordHash == person.passwordHash else {
        throw BrumeError(
          .authenticationFailed, "this operator was changed just now; sign in again")
      }
      try transaction.operators.put(session, limits: limits, at: now)
    }
    return session
  }

  /// Ends a session.
  ///
  /// - Throws: what the store throws.
  package func end(_ session: OperatorCredential) async throws {
    try await store.write(in: .server) { try $0.operators.removeCredential(session.id) }
  }
}

extension OperatorWriting {
  /// Of one operator's sessions the oldest go.
  func put(_ session: NewOperatorCredential, limits: Limits, at now: Milliseconds) throws {
    let credential = session.credential
    try put(credential, upTo: limits.sessionsPerOperator, at: now) {
      $0.operatorID == credential.operatorID
    }
  }
}
