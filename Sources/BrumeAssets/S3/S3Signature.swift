// AWS Signature Version 4, for requests without query signing. Pure: the time is an argument.
// Source: Amazon's "Authenticating Requests" of the S3 API reference, whose example is a test.

package import BrumeModel
import Crypto

/// Who asks.
package struct S3Credentials: Equatable, Sendable {
  package let keyID: String
  package let secret: String
  package init(keyID: String, secret: String) {
    self.keyID = keyID
    self.secret = secret
  }
}

/// A request to sign.
package struct S3Request: Equatable, Sendable {
  package var method: String
  package var host: String
  /// Percent-encoded, as it is sent.
  package var path: String
  /// Names and values, not encoded.
  package var query: [(String, String)] = []
  /// Further headers that are signed, with lower-case names.
  package var headers: [(String, String)] = []
  /// SHA-256 of the body in hex.
  package var bodyDigest = S3Request.emptyDigest

  package init(_ method: String, host: String, path: String) {
    self.method = method
    self.host = host
    self.path = path
  }

  package static let emptyDigest = Hex.text(SHA256.hash(data: [UInt8]()))

  package static func == (a: S3Request, b: S3Request) -> Bool {
    a.canonical(a.headers) == b.canonical(b.headers) && a.host == b.host
  }

  /// The query, encoded and in order.
  package var queryText: String {
    query.map { (FormText.escaped($0.0), FormText.escaped($0.1)) }.sorted { $0 < $1 }
      .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
  }

  /// The headers to send, the signature among them.
  ///
  /// - Parameter time: now, in milliseconds since 1970.
  package func signedHeaders(
    by credentials: S3Credentials, region: String, at time: Milliseconds
  ) -> [(String, String)] {
    let stamp = S3Time(time)
    let signed =
      (headers + [
        ("host", host), ("x-amz-content-sha256", bodyDigest), ("x-amz-date", stamp.text),
      ]).sorted { $0.0 < $1.0 }
    let scope = "\(stamp.day)/\(region)/s3/aws4_request"
    let digest = Hex.text(SHA256.hash(data: Array(canonical(signed).utf8)))
    let text = "AWS4-HMAC-SHA256\n\(stamp.text)\n\(scope)\n\(digest)"
    var key = SymmetricKey(data: Array("AWS4\(credentials.secret)".utf8))
    for part in [stamp.day, region, "s3", "aws4_request"] {
      key = SymmetricKey(
        data: HMAC<SHA256>.authenticationCode(for: Array(part.utf8), using: key))
    }
    let signature = Hex.text(
      HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key))
    let names = signed.map(\.0).joined(separator: ";")
    let authorization =
      "AWS4-HMAC-SHA256 Credential=\(credentials.keyID)/\(scope),SignedHeaders=\(names),"
      + "Signature=\(signature)"
    return signed + [("authorization", authorization)]
  }

  private func canonical(_ headers: [(String, String)]) -> String {
    let lines = headers.map { "\($0.0):\($0.1)\n" }.joined()
    let names = headers.map(\.0).joined(separator: ";")
    return "\(method)\n\(path)\n\(queryText)\n\(lines)\n\(names)\n\(bodyDigest)"
  }
}

/// A moment as signatures write it.
struct S3Time: Equatable {
  /// `20261121T224500Z`
  let text: String
  var day: String { String(text.prefix(8)) }

  init(_ time: Milliseconds) {
    text = ISODate.text(time).filter { $0 != "-" && $0 != ":" }
  }
}
