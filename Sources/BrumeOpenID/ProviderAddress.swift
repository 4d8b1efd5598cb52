// Which addresses a provider may have: https, or plain http on this very machine, for tests. A code
// and a secret travel there.

package import BrumeModel

/// Where a provider may be.
package enum ProviderAddress {
  static let suffix = "/.well-known/openid-configuration"

  /// Whether a provider may say there what it is.
  package static func isDiscovery(_ text: String) -> Bool {
    mayBeAsked(text) && text.hasSuffix(suffix)
  }

  /// - Throws: `badRequest` that says `what` has the address.
  package static func check(_ text: String, what: String) throws(BrumeError) {
    if mayBeAsked(text) { return }
    throw BrumeError(
      .badRequest, "\(what) '\(text.prefix(120))' must begin with https:// (or be on this machine)")
  }

  private static func mayBeAsked(_ text: String) -> Bool {
    if text.hasPrefix("https://"), text.utf8.count > 8 { return true }
    let local = ["http://127.0.0.1", "http://localhost", "http://[::1]"]
    return local.contains { text.hasPrefix($0) && isEnd(text.dropFirst($0.count)) }
  }

  /// The host's name ends here.
  private static func isEnd(_ rest: Substring) -> Bool {
    rest.isEmpty || rest.hasPrefix("/") || rest.hasPrefix(":")
  }
}
