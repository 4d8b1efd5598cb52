// Server-to-server signatures: ECDSA over date, body hash and path, with a P-256 key. The server's
// side is BrumeCore's `ServerKeySignature.swift`.

import BrumeModel
package import Foundation

#if HTTPS
  import Crypto
#endif

/// Signs requests with one key.
package struct RequestSigner: Sendable {
  private let keyID: String
  private let key: SigningKey

  /// - Throws: `notConfigured` if it is no P-256 private key in PEM form.
  package init(_ serverKey: Configuration.ServerKey) throws(CallFailure) {
    keyID = serverKey.id
    #if HTTPS
      do {
        key = try SigningKey(pemRepresentation: serverKey.privateKeyPEM)
      } catch {
        throw .notConfigured(
          "the server key '\(serverKey.id)' is no P-256 private key in PEM form")
      }
    #else
      throw .notConfigured(
        "the server key '\(serverKey.id)' cannot sign: \(PlainFailure.withoutHTTPS)")
    #endif
  }

  /// The headers that sign a request.
  ///
  /// - Parameter path: path and query, as in the request line.
  /// - Throws: `notConfigured` if the key cannot sign.
  package func headers(
    path: String, body: [UInt8], date: Date
  ) throws(CallFailure) -> [HTTPCall.Header] {
    let date = Self.text(date)
    let message = "\(date):\(Self.bodyHash(body)):\(path)"
    guard let signature = key.signature(of: message) else {
      throw .notConfigured("the server key '\(keyID)' cannot sign")
    }
    return [
      HTTPCall.Header("X-Apple-CloudKit-Request-KeyID", keyID),
      HTTPCall.Header("X-Apple-CloudKit-Request-ISO8601Date", date),
      HTTPCall.Header(
        "X-Apple-CloudKit-Request-SignatureV1", signature.base64EncodedString()),
    ]
  }

  static func bodyHash(_ body: [UInt8]) -> String {
    var digest = ContentDigest()
    digest.update(data: body)
    return Data(digest.bytes()).base64EncodedString()
  }

  /// UTC without fractions, as the server's clock check wants it.
  static func text(_ date: Date) -> String {
    ISODate.text(Milliseconds((date.timeIntervalSince1970 * 1000).rounded(.down)))
  }
}

#if HTTPS
  private typealias SigningKey = P256.Signing.PrivateKey

  extension P256.Signing.PrivateKey {
    /// In DER; nil if it fails.
    fileprivate func signature(of message: String) -> Data? {
      try? signature(for: Array(message.utf8)).derRepresentation
    }
  }
#else
  /// None is ever made: signatures need a library of cryptography. Not an enumeration without cases, because the
  /// compiler would warn everybody who builds the module that code with one is never executed.
  private struct SigningKey {
    func signature(of message: String) -> Data? { nil }
  }
#endif
