// Whether an ID token proves who somebody is (OpenID Connect Core 1.0, section 3.1.3.7): the provider
// signed it, for us, for this very sign-in, and it is still good. Two algorithms, and the key decides
// which: a token cannot talk its way into another one, or into none.

package import BrumeModel
import Crypto
import CryptoExtras
import FoundationEssentials

/// Checks ID tokens of one provider for one sign-in.
package struct IDTokenRules: Sendable {
  package let issuer: String
  package let clientID: String
  /// What the provider was given with this sign-in and must have signed.
  package let nonce: String
  private let limits: Limits

  package init(issuer: String, clientID: String, nonce: String, limits: Limits) {
    self.limits = limits
    self.issuer = issuer
    self.clientID = clientID
    self.nonce = nonce
  }

  /// Why the token proves nothing; nil when it does.
  package func obstacle(
    _ token: IDToken, keys: [ProviderKey], now: Milliseconds
  ) -> BrumeError? {
    let candidates = Self.candidates(for: token, among: keys)
    if candidates.isEmpty {
      return Self.failed("it was signed with a key that is not the provider's")
    }
    guard Self.isVerified(token, by: candidates) else {
      return Self.failed("its signature is wrong")
    }
    return obstacle(token.claims, now: now / 1000)
  }

  /// True when the provider may have new keys: none of these has the token's ID, or the token names none and was signed
  /// with none of these.
  package static func mayNeedNewKeys(_ token: IDToken, keys: [ProviderKey]) -> Bool {
    let candidates = candidates(for: token, among: keys)
    return candidates.isEmpty || token.keyID == nil && !isVerified(token, by: candidates)
  }

  private static func isVerified(_ token: IDToken, by keys: [ProviderKey]) -> Bool {
    keys.contains { $0.verifies(token) }
  }

  private func obstacle(_ claims: IDToken.Claims, now: Int64) -> BrumeError? {
    if claims.issuer != issuer { return Self.failed("it is from another issuer") }
    if !claims.audiences.contains(clientID) { return Self.failed("it is for another client") }
    if claims.audiences.count > 1 || claims.authorizedParty != nil,
      claims.authorizedParty != clientID
    {
      return Self.failed("it was given to another client")
    }
    // Clocks differ.
    let skew = limits.idTokenSkew / 1000
    if claims.expires <= now - skew { return Self.failed("it has expired") }
    if claims.issued > now + skew { return Self.failed("it is from the future") }
    if let start = claims.notBefore, start > now + skew {
      return Self.failed("it is not valid yet")
    }
    if claims.nonce != nonce { return Self.failed("it is for another sign-in") }
    if claims.subject.isEmpty || claims.subject.utf8.count > limits.idTokenSubjectBytes {
      return Self.failed("it names nobody")
    }
    return nil
  }

  private static func candidates(
    for token: IDToken, among keys: [ProviderKey]
  ) -> [ProviderKey] {
    keys.filter { key in
      key.algorithm == token.algorithm && (token.keyID == nil || key.id == token.keyID)
    }
  }

  private static func failed(_ why: String) -> BrumeError {
    BrumeError(
      .authenticationFailed,
      "the provider's ID token is not accepted: \(why); sign in again, and if that does not "
        + "help, tell the server's operator")
  }
}

extension ProviderKey {
  fileprivate var algorithm: String {
    switch material {
    case .rsa: "RS256"
    case .p256: "ES256"
    }
  }

  fileprivate func verifies(_ token: IDToken) -> Bool {
    switch material {
    case .rsa(let modulus, let exponent):
      // It refuses moduli below 2048 bits.
      guard modulus.count >= 256,
        let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent)
      else { return false }
      return key.isValidSignature(
        _RSA.Signing.RSASignature(rawRepresentation: token.signature),
        for: SHA256.hash(data: token.signedText), padding: .insecurePKCS1v1_5)
    case .p256(let x, let y):
      guard let key = try? P256.Signing.PublicKey(rawRepresentation: x + y),
        let signature = try? P256.Signing.ECDSASignature(rawRepresentation: token.signature)
      else { return false }
      return key.isValidSignature(signature, for: token.signedText)
    }
  }
}
