// API tokens: which container environment a client may address before anybody signed in.

package import BrumeModel
import BrumeStorage

/// The API tokens of a server.
package struct APITokens: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host
  private let knownCredentials: KnownCredentials

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
    knownCredentials = parts.knownCredentials
  }

  /// Makes an API token.
  ///
  /// - Parameters:
  ///   - allowedOrigins: web pages that may use it; nil for any.
  ///   - callback: where the sign-in page sends the token instead of posting it to its opener.
  ///   - isOnly: whether no other token of the container environment may have the name.
  /// - Throws: `conflict` if another has the name and none may, `badContainer`, `badRequest` if the name, an origin
  ///   or the callback cannot be, `limitExceeded` if there are as many tokens, or it is for as many origins, as may
  ///   be.
  package func create(
    name: String, in containerEnvironment: ContainerEnvironment,
    allowedOrigins: [String]? = nil, callback: String? = nil, isOnly: Bool = false
  ) async throws -> APIToken {
    try NameRules.container(containerEnvironment.container.name)
    try TextRules.check(name, "the API token's name", upTo: limits.labelBytes)
    try OriginRules.origins(allowedOrigins ?? [], limits: limits)
    if let callback { try OriginRules.callback(callback, limits: limits) }
    let token = APIToken(
      token: Hex.text(host.randomBytes(32)), name: name, in: containerEnvironment,
      allowedOrigins: allowedOrigins, callback: callback)
    let limits = limits
    try await store.write(in: .server) { transaction in
      let others = try transaction.credentials.apiTokens()
      try CountRules.room(
        for: "API tokens", beside: others.count, upTo: limits.apiTokens,
        next: "revoke one with `brume token revoke NAME`")
      if isOnly {
        try NamedCredential.checkNew(
          name, among: others, in: containerEnvironment, command: "token", name: \.name)
      }
      try transaction.credentials.put(token)
    }
    return token
  }

  /// From now on no request may use the token. Who is signed in stays signed in and needs another token.
  /// What is open must be ended by whoever holds it.
  ///
  /// - Parameter text: the token, or the name that it alone has in the container environment.
  /// - Returns: the token that is no more.
  /// - Throws: `notFound`, `conflict` if several have the name.
  package func revoke(
    _ text: String, in containerEnvironment: ContainerEnvironment
  ) async throws -> APIToken {
    let token = try await store.write(in: .server) { transaction in
      let found = try NamedCredential.find(
        text, among: transaction.credentials.apiTokens(), in: containerEnvironment,
        command: "token", id: \.token, name: \.name)
      try transaction.credentials.removeAPIToken(found.token)
      return found
    }
    knownCredentials.forget()
    return token
  }
}

extension APIToken {
  /// How to make a token for another place; what is the same in both is left out.
  private static func making(
    from here: ContainerEnvironment, to place: ContainerEnvironment
  ) -> String {
    let (container, environment) = (place.container, place.environment.rawValue)
    let isHere = here.container == container
    let command =
      "brume token create NAME" + (isHere ? "" : " --container \(container)")
      + (here.environment == place.environment ? "" : " --environment \(environment)")
    return "`\(command)` makes one"
      + (isHere ? "" : "; a command gets its own with `brume exec --container \(container)`")
  }

  /// What a header says is shown only if a token can name it, as the command does.
  private static func refusing(pagesOf origin: String) -> String {
    guard (try? OriginRules.origin(origin, limits: .apple)) != nil else {
      return
        "the API token is not for this page, and the page has no origin that a token can name; use one that is for "
        + "every page: `brume token create NAME`"
    }
    return
      "the API token is not for pages of '\(origin)'; make one that allows it: `brume token create NAME --origin "
      + "\(origin)`"
  }

  /// Why a request may not use this token; nil when it may.
  func obstacle(for credentials: Credentials) -> BrumeError? {
    guard containerEnvironment == credentials.containerEnvironment else {
      return BrumeError(
        .missingEntitlement,
        "the API token was made for container '\(container)' in \(environment.rawValue); use one "
          + "of the container and environment in the address: `brume token list` shows them, "
          + Self.making(from: containerEnvironment, to: credentials.containerEnvironment))
    }
    if let allowedOrigins, let origin = credentials.origin, !allowedOrigins.contains(origin) {
      return BrumeError(.missingEntitlement, Self.refusing(pagesOf: origin))
    }
    return nil
  }
}
