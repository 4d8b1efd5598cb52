// Server-to-server signatures: ECDSA over date, body hash and path with a P-256 key whose public
// half the server knows (docs/sign-in.md). Two spellings of an empty body and the path with or
// without its query are accepted, because real clients differ there.

package import BrumeModel
import Crypto
import FoundationEssentials

struct ServerKeySignature: Sendable {
  let request: SignedRequest

  /// Why the signature proves nothing; nil when it does.
  func obstacle(key: ServerKey, now: Milliseconds, limits: Limits) -> BrumeError? {
    guard let date = ISODate.milliseconds(request.date) else {
      return Self.failed("the request's date is not like 2026-11-20T22:31:01Z")
    }
    guard abs(now - date) <= limits.signatureSkew else {
      return Self.failed("the request's date is too far from now; check the clock and sign again")
    }
    guard let publicKey = try? P256.Signing.PublicKey(pemRepresentation: key.publicKey),
      let der = Base64.bytes(request.signature),
      let signature = try? P256.Signing.ECDSASignature(derRepresentation: der)
    else { return Self.failed("the signature is not base64 of a DER signature") }
    let isValid = texts.contains { publicKey.isValidSignature(signature, for: Array($0.utf8)) }
    return isValid ? nil : Self.failed("the signature does not match date, body and path")
  }

  /// The texts that a client may have signed.
  private var texts: [String] {
    var hashes = [Base64.text(Array(SHA256.hash(data: request.body)))]
    if request.body.isEmpty { hashes.append("") }
    let path = String(request.target.prefix { $0 != "?" })
    let targets = path == request.target ? [path] : [request.target, path]
    return targets.flatMap { target in hashes.map { "\(request.date):\($0):\(target)" } }
  }

  /// What stays the same however the signature is spelled: of an ECDSA signature (r, s) everybody can
  /// make a second valid one with another s. Nil if it is no signature.
  var identity: String? {
    guard let der = Base64.bytes(request.signature),
      let signature = try? P256.Signing.ECDSASignature(derRepresentation: der)
    else { return nil }
    return request.keyID + Hex.text(Array(signature.rawRepresentation.prefix(32)))
  }

  static func failed(_ reason: String) -> BrumeError { BrumeError(.authenticationFailed, reason) }
}

/// Dates as signed requests carry them: UTC to the second.
package enum ISODate {
  package static func milliseconds(_ text: String) -> Milliseconds? {
    let bytes = Array(text.utf8)
    let pattern = Array("0000-00-00T00:00:00Z".utf8)
    guard bytes.count == pattern.count else { return nil }
    for (byte, shape) in zip(bytes, pattern) {
      let isDigit = byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
      guard shape == UInt8(ascii: "0") ? isDigit : byte == shape else { return nil }
    }
    func number(_ range: Range<Int>) -> Int64 {
      bytes[range].reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
    let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
    let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
    guard (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
    else { return nil }
    return ((days(year, month, day) * 24 + hour) * 60 + minute) * 60_000 + second * 1000
  }

  /// Days since 1970-01-01 in the Gregorian calendar, counting years from March.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month > 2 ? year : year - 1
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}
