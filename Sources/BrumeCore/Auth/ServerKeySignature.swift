// Server-to-server signatures: ECDSA over date, body hash and path with a P-256 key whose public
// half the server knows (docs/sign-in.md). Two spellings of an empty body and the path with or
// without its query are accepted, because real clients differ there.

import BrumeModel
import Crypto
import FoundationEssentials

struct ServerKeySignature: Sendable {
  let request: SignedRequest

  /// Why the signature proves nothing; nil when it does.
  func obstacle(key: ServerKey, now: Milliseconds, limits: Limits) -> BrumeError? {
    if let error = obstacle(now: now, limits: limits) { return error }
    guard let publicKey = try? P256.Signing.PublicKey(pemRepresentation: key.publicKey),
      let der = Base64.bytes(request.signature),
      let signature = try? P256.Signing.ECDSASignature(derRepresentation: der)
    else { return Self.failed(Self.noDER) }
    let isValid = texts.contains { publicKey.isValidSignature(signature, for: Array($0.utf8)) }
    return isValid ? nil : Self.failed(Self.mismatch)
  }

  /// The same as far as only the date counts.
  func obstacle(now: Milliseconds, limits: Limits) -> BrumeError? {
    guard let date = ISODate.milliseconds(request.date) else {
      return Self.failed(
        "the request's date is not like 2026-11-20T22:31:01Z; sign and send it in UTC, without a "
          + "fraction")
    }
    guard abs(now - date) <= limits.signatureSkew else {
      return Self.failed("the request's date is too far from now; check the clock and sign again")
    }
    return nil
  }

  private static let noDER =
    "the signature is not base64 of a DER signature; write r and s in DER, as OpenSSL does, not their 64 bytes "
    + "in a row"

  private static let mismatch =
    "the signature does not match date, body and path; sign DATE:HASH:PATH with the key that has this ID: the "
    + "date of the header, the base64 SHA-256 of the body as it is sent, and the path from '/database' on"

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
