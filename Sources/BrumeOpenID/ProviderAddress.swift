// Which addresses a provider may have: https, or plain http on this very machine, for tests. A code
// and a secret travel there.

package import BrumeModel

/// Where a provider may be.
package enum ProviderAddress {
  static let suffix = "/.well-known/openid-configuration"

  /// - Throws: `badRequest` that says `what` has the address.
  package static func check(_ text: String, what: String) throws(BrumeError) {
    if text.hasPrefix("https://"), text.utf8.count > 8 { return }
    let local = ["http://127.0.0.1", "http://localhost", "http://[::1]"]
    if local.contains(where: { text.hasPrefix($0) && isEnd(text.dropFirst($0.count)) }) { return }
    throw BrumeError(
      .badRequest, "\(what) '\(text.prefix(120))' must begin with https:// (or be on this machine)")
  }

  /// The host's name ends here.
  private static func isEnd(_ rest: Substring) -> Bool {
    rest.isEmpty || rest.hasPrefix("/") || rest.hasPrefix(":")
  }
}
