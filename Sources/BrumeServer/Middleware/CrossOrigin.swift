// Browsers: which origins may call. An API token names its own; the settings may name more; in
// development everyone may. The courier's URL carries its own secret, so any origin may poll it.

import BrumeCore
import BrumeModel
import HTTPTypes
import Hummingbird

struct CrossOrigin: RouterMiddleware {
  /// Asset addresses, like the courier's, carry their own secret.
  private static let assets = "/_brume/assets/"
  /// In development every page may call.
  let isOpen: Bool
  let allowedOrigins: [String]
  let limits: Limits
  let trustedProxies: TrustedProxies
  let authentication: Authentication

  func handle(
    _ request: Request, context: RequestState,
    next: @concurrent (Request, RequestState) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    // Also without one: what a cache keeps of it, such as an image, is not for a page that asks from elsewhere.
    response.headers[.vary] = response.headers[.vary].map { "\($0), Origin" } ?? "Origin"
    // What is refused is not answered back either. Nobody looks anything up for who asks too often, and an answer
    // stays what it is when the store fails.
    guard let origin = HeaderRules.text(.origin, of: request.headers, limits: limits),
      request.method != .options || response.status != .tooManyRequests,
      (try? await allows(origin, request, context, response.status)) ?? false
    else { return response }
    response.headers[.accessControlAllowOrigin] = origin
    response.headers[.accessControlExposeHeaders] =
      "X-Apple-CloudKit-Web-Auth-Token, X-Apple-Request-UUID, Retry-After, ETag, Accept-Ranges, "
      + "Content-Range, Repr-Digest, X-Brume-Cursor"
    if request.method == .options {
      response.headers[.accessControlAllowMethods] =
        Self.path(request, context).hasPrefix(Self.assets) ? "GET, HEAD, POST, PUT" : "GET, POST"
      response.headers[.accessControlAllowHeaders] =
        HeaderRules.text(.accessControlRequestHeaders, of: request.headers, limits: limits)
        ?? "content-type"
      response.headers[.accessControlMaxAge] = "600"
    }
    return response
  }

  /// Courier, upload and download addresses: whoever has one may use it, from any page. The JavaScript
  /// client is no secret.
  private static func isForEveryPage(_ path: String) -> Bool {
    path == "/_brume/courier" || path.hasPrefix(assets) || path.hasPrefix(ClientRoutes.path + "/")
  }

  /// The endpoint's: the router passes over a second slash, so the request's own may be another. That, if there is none.
  private static func path(_ request: Request, _ context: RequestState) -> String {
    endpoint(context) ?? request.uri.path
  }

  private static func endpoint(_ context: RequestState) -> String? {
    context.endpointPath.flatMap { $0.hasPrefix("/") ? $0 : nil }
  }

  private func allows(
    _ origin: String, _ request: Request, _ context: RequestState, _ status: HTTPResponse.Status
  ) async throws -> Bool {
    let path = Self.path(request, context)
    // Pages of ours, and calls that only the command line makes: for no other page.
    if path.hasPrefix("/_brume/admin") || path.hasPrefix("/_brume/signin") { return false }
    if isOpen || Self.isForEveryPage(path) { return true }
    if allowedOrigins.contains(origin) { return true }
    let query = try? QueryString(
      target: request.head.path ?? "", limits: limits)
    guard let text = query?["ckAPIToken"] else {
      return false
    }
    if status == .tooManyRequests || Self.endpoint(context) == nil {
      return authentication.remembers(text, for: origin)
    }
    let address = ClientAddress(request, context, trustedProxies)
    return try await Workers.shared.run(for: address.lane, at: address.name) { _ in
      try await authentication.allows(origin: origin, apiToken: text)
    }
  }
}
