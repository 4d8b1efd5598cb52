// Operators' browsers: signing in by name and password or by a one-time link, becoming one by an invitation, who is signed in, signing
// out. What is behind it is `BrumeCore/Operators`.

import BrumeCore
import BrumeModel
import BrumeWire
import HTTPTypes

struct SessionRoutes: Sendable {
  let operators: Operators
  let sessions: OperatorSessions
  let links: OperatorLinks
  let invitations: OperatorInvitations
  let authentication: OperatorAuthentication
  let passwords: PasswordVerifier
  let auditLog: AuditLog
  let server: ServerAddress
  let secure: SecureRequests
  let isDevelopment: Bool
  let limits: Limits

  func signIn(_ call: Call) async throws -> Reply {
    let given = try request(call)
    guard let name = given.name, let password = given.password else {
      throw BrumeError(.badRequest, "'name' or 'password' is missing; send both")
    }
    var isOfSomebody = false
    let person: Operator
    do {
      person = try await passwords.person(
        name: name, password: password, at: call.address, operators: operators
      ) { isOfSomebody = $0 }
    } catch {
      // People type passwords into the wrong field: a name that is nobody's is not kept.
      await auditLog.refused(call.sender, by: isOfSomebody ? name : "", action: "session", error)
      throw error
    }
    return try await begin(call, person.name, person.role, "session") {
      try await sessions.begin(for: person)
    }
  }

  /// Uses a one-time link.
  func first(_ call: Call) async throws -> Reply {
    let given = try request(call)
    guard let link = given.link else {
      throw BrumeError(.badRequest, "'link' is missing; it is what stands behind # in the link")
    }
    let found = try await auditLog.identify(call, action: "session/first") {
      try await links.find(link)
    }
    guard let name = given.name, let password = given.password else {
      guard isDevelopment else {
        throw BrumeError(
          .badRequest, "the link makes the first operator: choose a 'name' and a 'password'")
      }
      return try await begin(
        call, OperatorAccess.developmentName, .full, "session/first"
      ) { try await links.signIn(link) }
    }
    let person = try await passwords.hash { [links] in
      try links.firstOperator(name: name, password: password)
    }
    return try await begin(call, person.name, person.role, "session/first") {
      try await links.makeFirst(person, id: found.id)
    }
  }

  /// Who calls.
  func show(_ call: Call) async throws -> Reply {
    guard let access = call.caller.access else { return .empty }
    var reply = Reply.json(
      Wire.operatorSession(
        session(access.name, access.role, access.proof, access.credential)))
    reply.headers[.cacheControl] = "no-store"
    return reply
  }

  /// Signs out; with a token there is nothing to end.
  func end(_ call: Call) async throws -> Reply {
    guard let access = call.caller.access, access.proof == .session,
      let session = access.credential
    else {
      throw BrumeError(
        .badRequest,
        "only a browser's session can be ended; revoke a token with `brume operator "
          + "token revoke NAME`")
    }
    try await sessions.end(session)
    var reply = Reply.empty
    reply.headers[.setCookie] = cookie(call).header("", seconds: 0)
    return reply
  }

  // MARK: Steps

  func request(_ call: Call) throws -> OperatorSignIn {
    guard call.isFromPage(of: server) else {
      throw BrumeError(.accessDenied, "only a page of this server may sign an operator in")
    }
    return try OperatorSignIn(json: call.json())
  }

  /// A session, with its line in the audit log before it.
  func begin(
    _ call: Call, _ name: String, _ role: OperatorRole, _ action: String,
    _ make: () async throws -> NewOperatorCredential
  ) async throws -> Reply {
    let act = Audit.Act(
      operatorName: name, address: call.address.name, requestID: call.caller.requestID,
      action: action)
    return try await auditLog.carryOut(act) {
      let made = try await make()
      var reply = Reply.json(
        Wire.operatorSession(session(name, role, .session, made.credential)))
      reply.headers[.setCookie] = cookie(call).header(
        made.secret, seconds: limits.operatorSessionLifetime / 1000)
      reply.headers[.cacheControl] = "no-store"
      return reply
    }
  }

  private func session(
    _ name: String, _ role: OperatorRole, _ proof: OperatorProof,
    _ credential: OperatorCredential?
  ) -> OperatorSession {
    OperatorSession(
      name: name, role: role, proof: proof,
      csrfToken: proof == .session ? credential.map { authentication.csrfToken(of: $0) } : nil,
      ends: credential?.ends, isDevelopment: isDevelopment)
  }

  private func cookie(_ call: Call) -> OperatorCookie {
    call.sender.cookie(secure, call.authority, call.headers)
  }
}
