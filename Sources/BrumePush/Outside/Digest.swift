// A short text that stands for a longer one, in the alphabet of URLs.

import BrumeModel
import Crypto

enum Digest {
  /// The beginning of the SHA-256 in base64url; at most 43 characters.
  static func text(_ text: String, length: Int) -> String {
    String(Base64URL.text(Array(SHA256.hash(data: Array(text.utf8)))).prefix(length))
  }
}
