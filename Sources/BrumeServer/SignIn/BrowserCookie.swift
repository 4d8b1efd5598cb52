// The cookie that ties the way to a provider to the browser that set out.
//
// Over TLS the name's prefix makes the browser refuse one that another host or an unprotected page has set.

import HTTPTypes

struct BrowserCookie: Sendable {
  private let isSecure: Bool

  /// - Parameter serverURL: what clients write in front of a path.
  init(serverURL: String) { isSecure = serverURL.hasPrefix("https://") }

  private var name: String { isSecure ? "__Host-brume-signin" : "brume-signin" }

  /// What a browser that comes back brings.
  func value(in headers: HTTPFields) -> String? { headers.cookie(name) }

  /// What a browser that sets out gets: what it has, so that two of its windows may be on their way, unless somebody
  /// else may have set that.
  func value(of headers: HTTPFields, orElse fresh: String) -> String {
    isSecure ? value(in: headers) ?? fresh : fresh
  }

  func header(_ value: String, seconds: Int64) -> String {
    OwnCookie.header(
      name, value, isSecure: isSecure, path: SignInRoutes.path, sameSite: "Lax", seconds: seconds)
  }
}
