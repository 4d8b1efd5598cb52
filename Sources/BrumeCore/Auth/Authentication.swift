// From what a request brings to who it is. A signature wins over tokens; a web auth token needs an
// API token beside it (docs/sign-in.md).

import BrumeModel
import BrumeStorage

/// Who a request is from.
package struct Authentication: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host
  private let seal: Seal
  private let credentials: CredentialLookup
  private let shares: SignatureShares

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
    seal = parts.seal
    credentials = CredentialLookup(parts)
    shares = SignatureShares(parts.limits)
  }

  /// The caller behind a request, or the error that says what is missing. Whoever lets a signed request act calls
  /// `use` first.
  ///
  /// - Throws: `missingEntitlement` for an API token that is missing, unknown or made for something else: what is
  ///   wrong then is the program, not who is signed in (case ACC-09); `authenticationRequired` for a user's token that
  ///   is no good beside an API token that is: a new sign-in cures that; `authenticationFailed` for a signature that is
  ///   no good; `badContainer`.
  package func authenticate(_ credentials: Credentials) async throws -> Caller {
    try NameRules.container(credentials.container.name)
    if let signature = credentials.signature {
      return try await authenticate(signature, credentials)
    }
    guard let text = credentials.apiToken, !text.isEmpty else {
      throw BrumeError(
        .missingEntitlement,
        "no auth method found: send ckAPIToken, with ckWebAuthToken for a user, or sign the request"
      )
    }
    let sealed = webAuthToken(in: credentials)
    let web = try? sealed?.get()
    let accountKey = web.map {
      AccountKey($0.user, credentials.containerEnvironment)
    }
    let (apiToken, account) = try await self.credentials.find(text, accountKey)
    guard let apiToken else {
      throw BrumeError(
        .missingEntitlement,
        "the API token is unknown to this server; make one with `brume token create`")
    }
    if let error = apiToken.obstacle(for: credentials) { throw error }
    _ = try sealed?.get()
    if let web, let error = web.obstacle(for: credentials, account: account?.user, now: host.now())
    {
      throw error
    }
    return credentials.caller(
      web == nil ? .anonymous : .user, web?.user, roles: account?.roles ?? [], epoch: web?.epoch,
      sessionEnds: web?.sessionEnds)
  }

  /// Whether pages of an origin may call with an API token.
  ///
  /// - Throws: what the store throws. It is not asked about a token that is in use.
  package func allows(origin: String, apiToken text: String) async throws -> Bool {
    guard let token = try await credentials.find(text, nil).token else { return false }
    return token.allowedOrigins?.contains(origin) ?? true
  }

  /// The same without the store: false for a token that is not in use.
  package func remembers(_ apiToken: String, for origin: String) -> Bool {
    guard let token = credentials.remembered(apiToken) else { return false }
    return token.allowedOrigins?.contains(origin) ?? true
  }

  /// Nil if the request brings none. Why it is no good is said only to whoever has an API token.
  private func webAuthToken(
    in credentials: Credentials
  ) -> Result<WebAuthToken, BrumeError>? {
    guard let text = credentials.webAuthToken, !text.isEmpty else { return nil }
    guard let bytes = seal.payload(of: text, for: .webAuthToken) else {
      return .failure(WebAuthToken.foreign)
    }
    return WebAuthToken(bytes).map { .success($0) } ?? .failure(WebAuthToken.ended)
  }

  private func authenticate(
    _ request: SignedRequest, _ credentials: Credentials
  ) async throws -> Caller {
    let (key, roles, epoch) = try await store.read { transaction in
      let key = try transaction.credentials.serverKey(request.keyID)
      return (
        key,
        try key.map {
          try transaction.roles.names(of: $0.user, in: $0.containerEnvironment)
        } ?? [],
        try key.flatMap { try transaction.users.find($0.user)?.tokenEpoch }
      )
    }
    guard let key, key.containerEnvironment == credentials.containerEnvironment
    else {
      throw ServerKeySignature.failed(
        "key '\(request.keyID.prefix(64))' is unknown in this container and environment; "
          + "`brume key list` shows those that are known")
    }
    let signature = ServerKeySignature(request: request)
    if let error = signature.obstacle(key: key, now: host.now(), limits: limits) { throw error }
    return credentials.caller(.serverKey, key.user, roles: Set(roles), epoch: epoch)
  }

  /// Notes durably that a request that acts was used, before it does: its copy does nothing, even after a crash
  /// (docs/sign-in.md). What is refused before stays unused and costs no write.
  ///
  /// - Parameter request: what `authenticate` has found good.
  /// - Throws: `authenticationFailed` if it was used before, `throttled` for too many signed requests.
  package func use(_ request: SignedRequest) async throws {
    let (signature, now) = (ServerKeySignature(request: request), host.now())
    guard !request.isRead, let identity = signature.identity else { return }
    // Some time after it is too old, what was used is forgotten.
    if let error = signature.obstacle(now: now, limits: limits) { throw error }
    try shares.take(request.keyID, at: now, among: store.leases.processes)
    try await use(identity, at: now)
  }

  private func use(_ identity: String, at now: Milliseconds) async throws {
    let horizon = now - limits.signatureMemory
    let limit = limits.usedSignatures
    let use = try await store.write(in: .server) {
      try $0.credentials.use(signature: identity, at: now, after: horizon, limit: limit)
    }
    switch use {
    case .first: return
    case .repeated:
      throw ServerKeySignature.failed("this signed request was used already; sign it again")
    case .full:
      throw BrumeError(
        .throttled, "too many signed requests; wait and sign this one again", retryAfter: 60)
    }
  }
}

extension Credentials {
  fileprivate func caller(
    _ kind: Caller.Kind, _ user: UserID?, roles: Set<String>, epoch: Int64?,
    sessionEnds: Milliseconds? = nil
  ) -> Caller {
    Caller(
      in: containerEnvironment, user: user,
      device: kind == .user ? device : nil, kind: kind, roles: roles, epoch: epoch,
      sessionEnds: sessionEnds, requestID: requestID)
  }
}
