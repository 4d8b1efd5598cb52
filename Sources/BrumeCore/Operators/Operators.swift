// The operators of a server: adding, changing, removing them, checking their passwords. Who may do so is
// decided by the table of endpoints.

package import BrumeModel
import BrumeStorage

/// Operators.
package struct Operators: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
  }

  /// In name order.
  ///
  /// - Throws: what the store throws.
  package func all() async throws -> [Operator] {
    try await store.read { try $0.operators.all() }
  }

  /// - Throws: `exists`, `badRequest` with a name or password that cannot be, `limitExceeded`.
  package func add(
    name: String, password: String, role: OperatorRole
  ) async throws -> Operator {
    let person = try OperatorRules.make(name, password, role, limits: limits, host: host)
    let limits = limits
    try await store.write(in: .server) { try $0.operators.add(person, limits: limits) }
    return person
  }

  /// Adds an operator who signs in through an OpenID provider.
  ///
  /// - Throws: as with a password; `exists` if the identity is another operator's.
  package func add(
    name: String, identity: ProviderIdentity, role: OperatorRole
  ) async throws -> Operator {
    let person = try OperatorRules.make(name, identity, role, limits: limits, host: host)
    let limits = limits
    try await store.write(in: .server) {
      try $0.operators.addAlone(person, limits: limits)
    }
    return person
  }

  /// Changes the password, the role, or both. A new password ends all sessions of the operator, and takes the place
  /// of an identity at a provider; a role holds for the next request of every session and token.
  ///
  /// - Throws: `notFound`, `badRequest` with a password that cannot be.
  package func change(
    _ name: String, password: String?, role: OperatorRole?
  ) async throws -> Operator {
    let hash = try password.map { try AccountRules.hash($0, limits: limits, host: host) }
    return try await store.write(in: .server) { transaction in
      var person = try transaction.operators.known(name)
      person.role = role ?? person.role
      person.passwordHash = hash ?? person.passwordHash
      try transaction.operators.put(person)
      if hash != nil {
        try transaction.operators.removeCredentials {
          $0.operatorID == person.id && $0.kind == .session
        }
      }
      return person
    }
  }

  /// Removes an operator with all sessions and tokens.
  ///
  /// - Throws: `notFound`.
  package func remove(_ name: String) async throws -> Operator {
    try await store.write(in: .server) { transaction in
      let person = try transaction.operators.known(name)
      try transaction.operators.remove(person.id)
      try transaction.operators.removeCredentials { $0.operatorID == person.id }
      return person
    }
  }

  /// What a name's password is checked against. The check itself costs 64 MB and a tenth of a second, so
  /// the caller decides where and how many at a time.
  ///
  /// - Throws: what the store throws. Whether there is such an operator, the check says.
  package func passwordCheck(name: String) async throws -> OperatorPasswordCheck {
    OperatorPasswordCheck(
      person: try await store.read { try $0.operators.find(named: name) },
      rounds: limits.passwordRounds)
  }
}

/// A password check in waiting.
package struct OperatorPasswordCheck: Sendable {
  private let person: Operator?
  private let rounds: Int

  fileprivate init(person: Operator?, rounds: Int) {
    self.person = person
    self.rounds = rounds
  }

  /// Whether there is such an operator. For the audit log; the caller of the server never gets it.
  package var isOfSomebody: Bool { person != nil }

  /// The operator if the password is right. An unknown name and a wrong password cost the same time and
  /// say the same.
  ///
  /// - Throws: `authenticationFailed`.
  package func verified(password: String) throws -> Operator {
    // Who signs in through a provider has no password, which costs as much time as a wrong one.
    let known = person?.identity == nil ? person?.passwordHash : nil
    let isRight = PasswordHash.verify(password, known ?? PasswordHash.ofNobody(rounds: rounds))
    guard let person, isRight else {
      throw BrumeError(
        .authenticationFailed,
        "unknown operator or wrong password; `brume operator list` on the "
          + "server's machine shows the names, `brume operator password` sets a new one")
    }
    return person
  }
}

/// What an operator may be called and sign in with.
enum OperatorRules {
  /// They stand for others in the audit log.
  private static let taken = [OperatorAccess.ownerName, OperatorAccess.developmentName]

  static func make(
    _ name: String, _ password: String, _ role: OperatorRole, limits: Limits, host: Host
  ) throws -> Operator {
    try checkName(name, limits: limits)
    return Operator(
      id: Hex.text(host.randomBytes(16)), name: name, role: role,
      passwordHash: try AccountRules.hash(password, limits: limits, host: host), created: host.now()
    )
  }

  static func make(
    _ name: String, _ identity: ProviderIdentity, _ role: OperatorRole, limits: Limits, host: Host
  ) throws -> Operator {
    try checkName(name, limits: limits)
    guard (1...limits.idTokenSubjectBytes).contains(identity.subject.utf8.count) else {
      throw BrumeError(
        .badRequest,
        "'openid' is the subject that the provider gives somebody: 1 to \(limits.idTokenSubjectBytes) bytes"
      )
    }
    return Operator(
      id: Hex.text(host.randomBytes(16)), name: name, role: role,
      passwordHash: Operator.proof(of: identity), created: host.now())
  }

  static func checkName(_ name: String, limits: Limits) throws {
    try AccountRules.checkName(name, limits: limits)
    guard !taken.contains(name) else {
      throw BrumeError(
        .badRequest,
        "an operator cannot be called '\(name)': the audit log means another by it; "
          + "choose another name")
    }
  }
}

extension OperatorReading {
  func known(_ name: String) throws -> Operator {
    guard let person = try find(named: name) else {
      throw BrumeError(
        .notFound,
        "there is no operator '\(NameRules.shown(name))'; `brume operator list` shows them")
    }
    return person
  }
}

extension OperatorWriting {
  func add(_ person: Operator, limits: Limits) throws {
    let all = try all()
    guard !all.contains(where: { $0.name == person.name }) else {
      throw BrumeError(.exists, "operator '\(person.name)' exists already; choose another name")
    }
    try CountRules.room(
      for: "operators", beside: all.count, upTo: limits.operators,
      next: "remove one with `brume operator remove NAME`")
    try put(person)
  }

  func removeCredentials(where isGone: (OperatorCredential) -> Bool) throws {
    for credential in try credentials() where isGone(credential) {
      try removeCredential(credential.id)
    }
  }

  /// Puts a credential, drops those that have ended, and of its kind the oldest that are too many.
  ///
  /// - Parameter isCounted: with which it counts together.
  func put(
    _ credential: OperatorCredential, upTo limit: Int, at now: Milliseconds,
    with isCounted: (OperatorCredential) -> Bool
  ) throws {
    try removeCredentials { $0.hasEnded(at: now) }
    let others = try credentials().filter { $0.kind == credential.kind && isCounted($0) }
    for old in others.prefix(max(0, others.count + 1 - limit)) { try removeCredential(old.id) }
    try put(credential)
  }
}
