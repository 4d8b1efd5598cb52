// Server-to-server signatures: ECDSA over date, body hash and path, with a P-256 key. The server's
// side is BrumeCore's `ServerKeySignature.swift`.

import Crypto
package import Foundation

package struct RequestSigner: Sendable {
  private let keyID: String
  private let key: P256.Signing.PrivateKey

  package init(_ serverKey: Configuration.ServerKey) throws(CallFailure) {
    keyID = serverKey.id
    do {
      key = try P256.Signing.PrivateKey(pemRepresentation: serverKey.privateKeyPEM)
    } catch {
      throw .notConfigured("the server key '\(serverKey.id)' is no P-256 private key in PEM form")
    }
  }

  /// The headers that sign a request.
  ///
  /// - Parameter path: path and query, as in the request line.
  package func headers(
    path: String, body: [UInt8], date: Date
  ) throws(CallFailure) -> [HTTPCall.Header] {
    let date = Self.text(date)
    let message = "\(date):\(Self.bodyHash(body)):\(path)"
    guard let signature = try? key.signature(for: Array(message.utf8)) else {
      throw .notConfigured("the server key '\(keyID)' cannot sign")
    }
    return [
      HTTPCall.Header("X-Apple-CloudKit-Request-KeyID", keyID),
      HTTPCall.Header("X-Apple-CloudKit-Request-ISO8601Date", date),
      HTTPCall.Header(
        "X-Apple-CloudKit-Request-SignatureV1", signature.derRepresentation.base64EncodedString()),
    ]
  }

  static func bodyHash(_ body: [UInt8]) -> String {
    Data(SHA256.hash(data: body)).base64EncodedString()
  }

  /// UTC without fractions, as the server's clock check wants it.
  static func text(_ date: Date) -> String {
    date.formatted(.iso8601)
  }
}
