// Who calls: gathers what a request brings as proof and lets the rules decide. This checks only what
// the route table says about kinds of callers; what a caller may do is decided by the rules.

import BrumeCore
import BrumeModel
import HTTPTypes
import Hummingbird

/// What every request of a server is authenticated with. A class: each request holds it.
final class AuthenticateParts: Sendable {
  let rules: any RuleCalls
  let rates: RateLimits
  let signIn: SignInAddress
  let operators: OperatorGate
  /// The container of operators' calls that name none.
  let container: ContainerID
  let limits: Limits

  init(
    rules: any RuleCalls, rates: RateLimits, signIn: SignInAddress, operators: OperatorGate,
    container: ContainerID, limits: Limits
  ) {
    self.rules = rules
    self.rates = rates
    self.signIn = signIn
    self.operators = operators
    self.container = container
    self.limits = limits
  }
}

struct Authenticate: Sendable {
  let parts: AuthenticateParts
  let endpoint: Endpoint
  let databasePath: Call.DatabasePath
  let requestID: String
  let peer: RequestPeer

  /// The caller, who has not called too often. Who it is, is noted first: the line about a refusal for calls that
  /// are too many names who made them.
  func caller(
    _ request: Request, query: QueryString, target: String, body: [UInt8],
    from address: ClientAddress, noting facts: RequestFacts
  ) async throws -> Caller {
    let (caller, signature): (Caller, SignedRequest?)
    do {
      (caller, signature) = try await identify(
        request, query: query, target: target, body: body, from: address)
    } catch let error as BrumeError {
      try parts.rates.check(address)
      throw error
    }
    facts.note(caller)
    switch endpoint.access {
    case .probe: break
    case .bearer: try parts.rates.checkBearer(at: address)
    default: try parts.rates.check(caller, at: address)
    }
    // Last: what was refused may be sent again as it is.
    if let signature { try await parts.rules.use(signature) }
    return caller
  }

  /// The error with the address where the user signs in (docs/sign-in.md).
  func leading(
    _ error: BrumeError, _ request: Request, query: QueryString
  ) async throws -> BrumeError {
    guard databasePath.containerEnvironment != nil else { return error }
    var error = error
    error.redirectURL = try await parts.signIn.address(
      for: credentials(request, query: query, target: "", body: []))
    return error
  }

  private func identify(
    _ request: Request, query: QueryString, target: String, body: [UInt8],
    from address: ClientAddress
  ) async throws -> (Caller, SignedRequest?) {
    switch endpoint.access {
    case .probe, .open, .bearer: return (nobody(.anonymous), nil)
    case .operator(let effect):
      let sender = OperatorSender(peer: peer, address: address, requestID: requestID)
      let access = try await parts.operators.access(
        to: effect, request, from: sender, action: AuditLog.action(endpoint),
        isUse: !endpoint.isWatch)
      return (nobody(.operator, access), nil)
    case .anyone, .account, .user:
      let credentials = try credentials(request, query: query, target: target, body: body)
      let caller = try await parts.rules.authenticate(credentials)
      try check(caller)
      return (caller, credentials.signature)
    }
  }

  private func check(_ caller: Caller) throws(BrumeError) {
    switch (caller.kind, endpoint.access) {
    case (.anonymous, .account), (.anonymous, .user): _ = try caller.requireUser()
    case (.serverKey, .user):
      throw BrumeError(
        .authenticationFailed,
        "a server-to-server key cannot call this endpoint; use a user's token")
    case (.serverKey, _) where databasePath.scope == .private || databasePath.scope == .shared:
      throw BrumeError(
        .authenticationFailed,
        "a server-to-server key reaches the public database only; use a user's web auth token "
          + "for the others")
    default: return
    }
  }

  private func credentials(
    _ request: Request, query: QueryString, target: String, body: [UInt8]
  ) throws(BrumeError) -> Credentials {
    guard let containerEnvironment = databasePath.containerEnvironment else {
      throw BrumeError(
        .badRequest, "name the container and the environment: ?container=…&environment=development")
    }
    let device = request.headers[.device] ?? query["clientId"] ?? query["clientID"]
    if let device { try NameRules.device(device, limits: parts.limits) }
    return Credentials(
      in: containerEnvironment, apiToken: query["ckAPIToken"],
      webAuthToken: request.headers.webAuthToken(or: query),
      signature: try signature(request, target: target, body: body),
      device: device.map { DeviceID($0) }, origin: request.headers[.origin], requestID: requestID)
  }

  /// Nil if the request is not signed.
  private func signature(
    _ request: Request, target: String, body: [UInt8]
  ) throws(BrumeError) -> SignedRequest? {
    let (key, date) = (request.headers[.keyID], request.headers[.signatureDate])
    let signature = request.headers[.signature]
    if key == nil, date == nil, signature == nil { return nil }
    guard let key else { throw unsigned(without: .keyID) }
    guard let date else { throw unsigned(without: .signatureDate) }
    guard let signature else { throw unsigned(without: .signature) }
    return SignedRequest(
      keyID: key, date: date, signature: signature, target: target, body: body,
      isRead: endpoint.isRead)
  }

  /// Whoever signs means to be known by that: without it the request would be somebody else's.
  private func unsigned(without name: HTTPField.Name) -> BrumeError {
    BrumeError(
      .authenticationFailed,
      "the request is signed in part: the header '\(name.rawName)' is missing; send all three headers of a "
        + "signature, or none")
  }

  private func nobody(_ kind: Caller.Kind, _ access: OperatorAccess? = nil) -> Caller {
    Caller(
      in: ContainerEnvironment(
        databasePath.container ?? parts.container, databasePath.environment ?? .development),
      user: nil, device: nil, kind: kind, access: access, requestID: requestID)
  }
}

extension HTTPFields {
  /// The user's token: a header, which no log of addresses keeps, or Apple's parameter.
  // CloudKit: the parameter was `ckSession` in 2015, and AgileCloudSDK still calls it so.
  func webAuthToken(or query: QueryString) -> String? {
    self[.webAuthToken] ?? query["ckWebAuthToken"] ?? query["ckSession"]
  }

  /// Whether `Authorization` carries this token. It takes the same time wherever the two differ.
  func carryBearer(_ token: String) -> Bool {
    bearer.map { ConstantTime.areEqual($0.utf8, token.utf8) } ?? false
  }

  /// The token that `Authorization` carries; nil if it carries something else, such as a name and a password for a
  /// proxy.
  var bearer: String? {
    guard let header = self[.authorization], header.prefix(7).lowercased() == "bearer " else {
      return nil
    }
    return String(header.dropFirst(7))
  }
}
