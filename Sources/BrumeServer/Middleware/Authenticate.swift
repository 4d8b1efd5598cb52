// Who calls: gathers what a request brings as proof and lets the rules decide. Checks here only what
// the route table says about kinds of callers; what a caller may do is decided by the rules.

import BrumeCore
import BrumeModel
import HTTPTypes
import Hummingbird

struct Authenticate: Sendable {
  let server: Composition
  let access: Access
  let place: Call.Place
  let requestID: String

  func caller(
    _ request: Request, query: QueryString, target: String, body: [UInt8]
  ) async throws -> Caller {
    switch access {
    case .open: return nobody(.anonymous)
    case .operator:
      guard isOperator(request) else {
        throw BrumeError(
          .authenticationFailed,
          "this endpoint needs the admin token of the server's data folder (server.json)")
      }
      return nobody(.operator)
    case .anyone, .account, .user:
      let caller = try await server.engine.authenticate(
        try credentials(request, query: query, target: target, body: body))
      try check(caller)
      return caller
    }
  }

  private func check(_ caller: Caller) throws(BrumeError) {
    switch (caller.kind, access) {
    case (.anonymous, .account), (.anonymous, .user):
      throw BrumeError(
        .authenticationRequired,
        "request needs authorization: sign in and repeat it with a web auth token")
    case (.serverKey, .user):
      throw BrumeError(
        .authenticationFailed,
        "a server-to-server key cannot call this endpoint; use a user's token")
    case (.serverKey, _) where place.scope == .private || place.scope == .shared:
      throw BrumeError(
        .authenticationFailed, "a server-to-server key reaches the public database only")
    default: return
    }
  }

  private func credentials(
    _ request: Request, query: QueryString, target: String, body: [UInt8]
  ) throws(BrumeError) -> Credentials {
    guard let container = place.container, let environment = place.environment else {
      throw BrumeError(
        .badRequest, "name the container and the environment: ?container=…&environment=development")
    }
    let device = request.headers[.device] ?? query["clientId"] ?? query["clientID"]
    return Credentials(
      container: container, environment: environment, apiToken: query["ckAPIToken"],
      webAuthToken: query["ckWebAuthToken"],
      signature: signature(request, target: target, body: body),
      device: device.map { DeviceID($0) }, origin: request.headers[.origin], requestID: requestID)
  }

  private func signature(
    _ request: Request, target: String, body: [UInt8]
  ) -> SignedRequest? {
    guard let key = request.headers[.keyID], let date = request.headers[.signatureDate],
      let signature = request.headers[.signature]
    else { return nil }
    return SignedRequest(
      keyID: key, date: date, signature: signature, target: target, body: body)
  }

  private func isOperator(_ request: Request) -> Bool {
    guard let header = request.headers[.authorization], header.hasPrefix("Bearer ") else {
      return false
    }
    return Self.isEqual(header.dropFirst(7).utf8, server.adminToken.utf8)
  }

  /// Takes the same time wherever two texts differ.
  private static func isEqual(_ a: Substring.UTF8View, _ b: String.UTF8View) -> Bool {
    guard a.count == b.count else { return false }
    return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private func nobody(_ kind: Caller.Kind) -> Caller {
    Caller(
      container: place.container ?? server.settings.container,
      environment: place.environment ?? .development, user: nil, device: nil, kind: kind,
      requestID: requestID)
  }
}
