// Who sends, for Web Push services (RFC 8292): a token per service, signed with the server's own key.

package import BrumeModel
import BrumeWire
import Crypto

/// Makes tokens, and keeps the last of each service.
package struct VAPID: Sendable {
  private let key: P256.Signing.PrivateKey
  private let contact: String
  private let limits: Limits
  private var made: [String: (text: String, time: Milliseconds)] = [:]

  /// - Parameters:
  ///   - key: 32 bytes, as the store keeps them.
  ///   - contact: a `mailto:` or `https:` address of the operator.
  /// - Throws: if the bytes are no P-256 private key.
  package init(key: [UInt8], contact: String, limits: Limits = .apple) throws {
    self.limits = limits
    self.key = try P256.Signing.PrivateKey(rawRepresentation: key)
    self.contact = contact
  }

  /// What browsers need to subscribe: `applicationServerKey`.
  package var publicKey: String { Base64URL.text(Array(key.publicKey.x963Representation)) }

  /// The `Authorization` of a push to a service.
  ///
  /// - Throws: only if the library cannot sign.
  package mutating func authorization(
    for origin: String, now: Milliseconds
  ) throws -> String {
    if let known = made[origin], now >= known.time, now - known.time < limits.vapidRenewal {
      return known.text
    }
    let token = try SignedToken.make(
      header: ["typ": "JWT", "alg": "ES256"],
      claims: [
        "aud": .string(origin), "exp": .int((now + limits.vapidLifetime) / 1000),
        "sub": .string(contact),
      ], key: key)
    let text = "vapid t=\(token), k=\(publicKey)"
    if made.count >= limits.rememberedSenders { made = [:] }
    made[origin] = (text, now)
    return text
  }
}
