// Making a server-to-server key. The server keeps the public half only; the private half goes to the
// person who asked, once.

import Crypto

/// Both halves as PEM texts.
package struct ServerKeyPair: Sendable {
  package let privateKeyPEM: String
  package let publicKeyPEM: String

  /// A new pair.
  package init() { self.init(P256.Signing.PrivateKey()) }

  /// Nil if the text is no P-256 key.
  package init?(privateKeyPEM: [UInt8]) {
    let text = String(decoding: privateKeyPEM, as: UTF8.self)
    guard let key = try? P256.Signing.PrivateKey(pemRepresentation: text) else { return nil }
    self.init(key)
  }

  private init(_ key: P256.Signing.PrivateKey) {
    privateKeyPEM = key.pemRepresentation + "\n"
    publicKeyPEM = key.publicKey.pemRepresentation
  }
}
