// JSON web tokens with ES256, as APNs and Web Push services read them. Only made, never read.

import BrumeModel
package import BrumeWire
package import Crypto

/// Makes signed tokens.
package enum SignedToken {
  /// A token from its header and claims.
  ///
  /// - Throws: only if the library cannot sign.
  package static func make(
    header: JSON, claims: JSON, key: P256.Signing.PrivateKey
  ) throws -> String {
    let content = Base64URL.text(header.bytes()) + "." + Base64URL.text(claims.bytes())
    let signature = try key.signature(for: Array(content.utf8))
    return content + "." + Base64URL.text(Array(signature.rawRepresentation))
  }
}
