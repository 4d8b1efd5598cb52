// From a secret to the operator whose it is. Nothing is remembered between requests: what was revoked
// anywhere, on whichever of several servers, is refused by the next request on each of them.

package import BrumeModel
import BrumeStorage
import Synchronization

/// Who an operator's secret stands for.
package struct OperatorAuthentication: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host
  private let seal: Seal
  private let failedNote = FailedNote()

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
    seal = parts.seal
  }

  /// The operator of a session or a token; nil if the secret is good for nothing, or not any more.
  ///
  /// - Parameters:
  ///   - kind: what the secret came as. One of another kind is good for nothing here.
  ///   - inDevelopment: whether sessions count that belong to no operator.
  ///   - isUse: whether it is used by this, so that a session lasts longer: a page that asks by itself
  ///     is nobody's use.
  /// - Throws: what the store throws.
  package func access(
    _ secret: String, as kind: OperatorCredential.Kind, inDevelopment: Bool, isUse: Bool = true
  ) async throws -> OperatorAccess? {
    guard let id = OperatorSecret.id(of: secret) else { return nil }
    let (credential, person) = try await find(id)
    let now = host.now()
    guard let credential, credential.kind == kind, isGood(credential, at: now) else { return nil }
    guard let access = Self.access(credential, person, inDevelopment: inDevelopment) else {
      return nil
    }
    if isUse { await noteUse(of: credential, at: now) }
    return access
  }

  /// Whether an operator who was let in earlier still would be, with the same role.
  ///
  /// - Throws: what the store throws.
  package func isStillValid(_ access: OperatorAccess, inDevelopment: Bool) async throws -> Bool {
    guard let earlier = access.credential else { return true }
    let (credential, person) = try await find(earlier.id)
    guard let credential, isGood(credential, at: host.now()) else { return false }
    return Self.access(credential, person, inDevelopment: inDevelopment)?.role == access.role
  }

  private func find(_ id: String) async throws -> (OperatorCredential?, Operator?) {
    try await store.read { transaction in
      let credential = try transaction.operators.credential(id)
      return (credential, try credential?.operatorID.flatMap { try transaction.operators.find($0) })
    }
  }

  /// What every changing request of a session carries: a page of another origin cannot read it.
  package func csrfToken(of session: OperatorCredential) -> String {
    Hex.text(seal.secret(of: session.id, for: .operatorForm))
  }

  private func isGood(_ credential: OperatorCredential, at now: Milliseconds) -> Bool {
    if credential.hasEnded(at: now) { return false }
    guard credential.kind == .session else { return true }
    return now < (credential.lastUsed ?? credential.created) + limits.operatorSessionIdle
  }

  private static func access(
    _ credential: OperatorCredential, _ person: Operator?, inDevelopment: Bool
  ) -> OperatorAccess? {
    // Whoever was removed has nothing left, even if something of theirs was made a moment later.
    if credential.operatorID != nil, person == nil { return nil }
    let role = person.map { credential.role.atMost($0.role) } ?? credential.role
    switch credential.kind {
    case .link: return nil
    case .token:
      return OperatorAccess(
        name: "token \(credential.name)", role: role, proof: .token, credential: credential)
    case .session:
      guard person != nil || inDevelopment else { return nil }
      return OperatorAccess(
        name: person?.name ?? OperatorAccess.developmentName, role: role, proof: .session,
        credential: credential)
    }
  }

  /// Not with every request. What was removed in the meantime does not come back. Operators look also when the
  /// store takes nothing any more: that is when they have to.
  private func noteUse(of credential: OperatorCredential, at now: Milliseconds) async {
    guard now - (credential.lastUsed ?? 0) >= limits.operatorUseNoted,
      !failedNote.isRecent(at: now)
    else { return }
    do {
      try await store.writeRepeatable(in: .server) { transaction in
        guard var known = try transaction.operators.credential(credential.id) else { return }
        known.lastUsed = max(now, known.lastUsed ?? now)
        try transaction.operators.put(known)
      }
    } catch is StoreError {
      failedNote.happened(at: now)
    } catch {
      // The request was given up; the next one notes it.
    }
  }
}

/// When the store last refused to note a use, so that not each request tries again.
private final class FailedNote: Sendable {
  /// Ours: until the next try.
  private static let pause: Milliseconds = 10_000
  private let time = Mutex<Milliseconds?>(nil)

  /// A clock that was set back forgets it.
  func isRecent(at now: Milliseconds) -> Bool {
    time.withLock { time in time.map { (0..<Self.pause).contains(now - $0) } ?? false }
  }

  func happened(at now: Milliseconds) { time.withLock { $0 = now } }
}
