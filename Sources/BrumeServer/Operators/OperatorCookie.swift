// The cookie of an operator's session: what it is called, and whether it goes over TLS only.
//
// Over TLS the name's prefix makes the browser refuse one that another host or an unprotected page has set.
// Without TLS, as on a machine of one's own, there is no such prefix, and cookies are shared by all ports of
// a host: the name has the port, so that two servers do not sign each other's operators out.

import BrumeModel
import HTTPTypes
import NIOCore

struct OperatorCookie: Equatable, Sendable {
  let name: String
  let isSecure: Bool

  /// The cookie for a request.
  ///
  /// - Parameter authority: the request's Host.
  init(authority: String?, isSecure: Bool) {
    self.isSecure = isSecure
    name =
      isSecure ? "__Host-brume-operator" : "brume-operator-\(Self.port(in: authority ?? ""))"
  }

  /// The secret that a browser sends back; nil without one.
  func secret(in headers: HTTPFields) -> String? { headers.cookie(name) }

  /// What makes a browser keep the secret.
  ///
  /// - Parameter seconds: 0 makes it forget.
  func header(_ secret: String, seconds: Int64) -> String {
    OwnCookie.header(
      name, secret, isSecure: isSecure, path: "/_brume", sameSite: "Strict", seconds: seconds)
  }

  private static func port(in authority: String) -> Int {
    let end = authority.split(separator: ":", omittingEmptySubsequences: false).last ?? ""
    return authority.contains(":") ? Int(end) ?? 80 : 80
  }
}

/// Whether requests come over TLS: this server's own, or that of a proxy in front of it.
struct SecureRequests: Sendable {
  let trustedProxies: TrustedProxies
  /// What clients write in front of a path, as the settings say.
  let baseURL: String?
  /// The server speaks TLS itself.
  var speaksTLS = false

  /// - Parameter forwarded: `X-Forwarded-Proto`, which is believed only from proxies that the settings
  ///   name. From one that says nothing the base URL decides.
  func isSecure(from peer: SocketAddress?, forwarded: String?) -> Bool {
    guard !speaksTLS else { return true }
    guard ClientAddress.isProxy(peer, among: trustedProxies) else { return false }
    guard let forwarded else { return baseURL?.hasPrefix("https://") ?? false }
    let last = forwarded.split(separator: ",").last ?? ""
    return last.filter { $0 != " " }.lowercased() == "https"
  }
}
