// Who may call an operator's endpoint: a bearer token or a browser's session stands for an operator, and the
// table of endpoints says what the endpoint does. Every refusal gets a line in the audit log.

import BrumeCore
import BrumeModel
import HTTPTypes
import Hummingbird

struct OperatorGate: Sendable {
  let authentication: OperatorAuthentication
  /// Of the data folder.
  let adminToken: String
  let server: ServerAddress
  let secure: SecureRequests
  let isDevelopment: Bool
  let auditLog: AuditLog

  /// The operator who may call an endpoint with this effect. `isUse`: whether the call prolongs a session.
  ///
  /// - Throws: `authenticationFailed` if nobody is known, `accessDenied` if they may not, or if the page of a
  ///   browser may not have meant it.
  func access(
    to effect: Effect, _ request: Request, from sender: OperatorSender, action: String, isUse: Bool
  ) async throws -> OperatorAccess {
    guard let access = try await access(request, sender, isUse: isUse) else {
      let error = Self.nobody(request)
      await auditLog.refused(sender, by: "", action: action, error)
      throw error
    }
    if let error = obstacle(to: access, effect, request) {
      await auditLog.refused(sender, by: access.name, action: action, error)
      throw error
    }
    return access
  }

  /// The same for every token that does not hold, whatever it was.
  private static func nobody(_ request: Request) -> BrumeError {
    BrumeError(
      .authenticationFailed,
      request.headers.bearer != nil
        ? "the admin token is none of this server, has ended, or was revoked; `brume operator token list` shows "
          + "those that hold"
        : "this endpoint is for operators: send 'Authorization: Bearer' with an admin token, such as "
          + "that of the server's data folder (server.json), or sign in at /_brume/console/signin")
  }

  /// A token that is sent counts, even a wrong one; without one the session does.
  private func access(
    _ request: Request, _ sender: OperatorSender, isUse: Bool
  ) async throws -> OperatorAccess? {
    if let token = request.headers.bearer {
      if request.headers.carryBearer(adminToken) { return .owner }
      return try await authentication.access(token, as: .token, inDevelopment: isDevelopment)
    }
    let cookie = sender.cookie(secure, request.head.authority, request.headers)
    guard let secret = cookie.secret(in: request.headers) else { return nil }
    return try await authentication.access(
      secret, as: .session, inDevelopment: isDevelopment, isUse: isUse)
  }

  /// What a role may change is an operator's, not a token's.
  private static func way(outOf access: OperatorAccess) -> String {
    access.proof == .token && access.credential?.role == .readOnly
      ? "make a token without --read-only: brume operator token create NAME"
      : "an operator with the role 'full' can do this, or give the role with `brume operator role`"
  }

  private func obstacle(
    to access: OperatorAccess, _ effect: Effect, _ request: Request
  ) -> BrumeError? {
    if access.role == .readOnly, effect.needsFullRole {
      return BrumeError(
        .accessDenied, "\(access.name) may only read; \(Self.way(outOf: access))")
    }
    guard effect.changesSomething, access.proof == .session, let session = access.credential else {
      return nil
    }
    let given = request.headers[.operatorForm] ?? ""
    let isMeant =
      ConstantTime.areEqual(given.utf8, authentication.csrfToken(of: session).utf8)
      && OwnPage.isSender(
        of: request.headers, authority: request.head.authority, serverURL: server.url)
    return isMeant
      ? nil
      : BrumeError(
        .accessDenied,
        "this request of a browser changes something and does not carry the session's CSRF token; "
          + "send 'csrf' of GET /_brume/admin/session as X-Brume-CSRF, from a page of this server")
  }
}

/// Where a request of an operator comes from.
struct OperatorSender: Sendable {
  let peer: RequestPeer
  let address: ClientAddress
  let requestID: String

  func cookie(
    _ secure: SecureRequests, _ authority: String?, _ headers: HTTPFields
  ) -> OperatorCookie {
    OperatorCookie(
      authority: authority,
      isSecure: secure.isSecure(from: peer.address, forwarded: headers[.forwardedProto]))
  }
}
