// JSON web tokens with ES256, as APNs and Web Push services read them. Only made, never read.

import BrumeModel
package import BrumeWire
package import Crypto

package enum SignedToken {
  /// A token from its header and claims.
  package static func make(
    header: JSON, claims: JSON, key: P256.Signing.PrivateKey
  ) throws -> String {
    let content = Base64URL.text(header.bytes()) + "." + Base64URL.text(claims.bytes())
    let signature = try key.signature(for: Array(content.utf8))
    return content + "." + Base64URL.text(Array(signature.rawRepresentation))
  }
}

/// Base64 with the alphabet for URLs, without padding.
package enum Base64URL {
  package static func text(_ bytes: [UInt8]) -> String {
    String(
      decoding: Base64.text(bytes).utf8.compactMap { byte -> UInt8? in
        switch byte {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        case UInt8(ascii: "="): nil
        default: byte
        }
      }, as: UTF8.self)
  }

  /// Reads both alphabets, padded or not: browsers and distributors differ.
  package static func bytes(_ text: String) -> [UInt8]? {
    Base64.bytes(
      String(
        decoding: text.utf8.map { byte -> UInt8 in
          switch byte {
          case UInt8(ascii: "-"): UInt8(ascii: "+")
          case UInt8(ascii: "_"): UInt8(ascii: "/")
          default: byte
          }
        }, as: UTF8.self))
  }
}
