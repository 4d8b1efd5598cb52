// ID tokens of a provider: what is accepted, and everything that is not (docs/sign-in.md).

import BrumeCore
import BrumeModel
import BrumeWire
import Crypto
import CryptoExtras
import Foundation
import Testing

struct IDTokenTests {
  private static let rsa = try? _RSA.Signing.PrivateKey(keySize: .bits2048)
  private let p256 = P256.Signing.PrivateKey()
  private let rules = IDTokenRules(
    issuer: "https://id.example", clientID: "brume", nonce: "n1", limits: .apple)
  private let now: Milliseconds = 1_000_000_000

  private func url(_ data: some DataProtocol) -> String {
    Data(data).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }

  private var good: [String: Any] {
    [
      "iss": "https://id.example", "sub": "s1", "aud": "brume", "exp": 1_000_300,
      "iat": 1_000_000, "nonce": "n1", "email": "a@example.org", "email_verified": true,
    ]
  }

  private func text(
    _ claims: [String: Any], algorithm: String = "ES256", kid: String? = "k1"
  ) throws -> String {
    var header: [String: Any] = ["alg": algorithm, "typ": "JWT"]
    header["kid"] = kid
    let head = url(try JSONSerialization.data(withJSONObject: header))
    let body = url(try JSONSerialization.data(withJSONObject: claims))
    return "\(head).\(body)"
  }

  private func es256(_ claims: [String: Any], kid: String? = "k1") throws -> IDToken {
    let text = try text(claims, kid: kid)
    let signature = try p256.signature(for: Data(text.utf8)).rawRepresentation
    return try IDToken(compact: "\(text).\(url(signature))")
  }

  private var key: ProviderKey {
    let point = Array(p256.publicKey.rawRepresentation)
    return ProviderKey(
      id: "k1", material: .p256(x: Array(point[..<32]), y: Array(point[32...])))
  }

  @Test func `a token signed with ES256 proves who somebody is`() throws {
    let token = try es256(good)
    #expect(rules.obstacle(token, keys: [key], now: now) == nil)
    #expect(token.claims.subject == "s1")
    #expect(token.claims.emailAddress == "a@example.org" && token.claims.isEmailVerified)
  }

  @Test func `a token signed with RS256 is accepted too`() throws {
    let rsa = try #require(Self.rsa)
    let text = try text(good, algorithm: "RS256")
    let signature = try rsa.signature(
      for: SHA256.hash(data: Data(text.utf8)), padding: .insecurePKCS1v1_5)
    let primitives = try rsa.publicKey.getKeyPrimitives()
    let key = ProviderKey(
      id: "k1",
      material: .rsa(
        modulus: Array(primitives.modulus), exponent: Array(primitives.publicExponent)))
    let token = try IDToken(compact: "\(text).\(url(signature.rawRepresentation))")
    #expect(rules.obstacle(token, keys: [key], now: now) == nil)
    var forged = token
    forged.signedText[forged.signedText.count - 1] ^= 1
    #expect(rules.obstacle(forged, keys: [key], now: now) != nil)
  }

  @Test(
    arguments: [
      ("iss", "https://evil.example"), ("aud", "another"), ("nonce", "n2"), ("nonce", nil),
      ("sub", ""),
    ] as [(String, String?)])
  func `A4 a token with another claim is refused`(claim: String, value: String?) throws {
    var claims = good
    claims[claim] = value
    let error = rules.obstacle(try es256(claims), keys: [key], now: now)
    #expect(error?.code == .authenticationFailed)
  }

  @Test func `A4 a token for several needs to be given to us`() throws {
    var claims = good
    claims["aud"] = ["brume", "another"]
    #expect(rules.obstacle(try es256(claims), keys: [key], now: now) != nil)
    claims["azp"] = "another"
    #expect(rules.obstacle(try es256(claims), keys: [key], now: now) != nil)
    claims["azp"] = "brume"
    #expect(rules.obstacle(try es256(claims), keys: [key], now: now) == nil)
  }

  @Test(arguments: [
    ("exp", 1_000_000 - 60, false), ("exp", 1_000_000 - 59, true), ("iat", 1_000_061, false),
    ("iat", 1_000_060, true), ("nbf", 1_000_061, false), ("nbf", 1_000_060, true),
  ])
  func `A4 times are kept to the minute that clocks may differ`(
    claim: String, value: Int, isGood: Bool
  ) throws {
    var claims = good
    claims[claim] = value
    #expect((rules.obstacle(try es256(claims), keys: [key], now: now) == nil) == isGood)
  }

  @Test(arguments: [(255, true), (256, false)])
  func `whom a token names has at most 255 characters`(length: Int, isGood: Bool) throws {
    var claims = good
    claims["sub"] = String(repeating: "x", count: length)
    #expect((rules.obstacle(try es256(claims), keys: [key], now: now) == nil) == isGood)
  }

  @Test(arguments: ["none", "HS256", "RS256", "ES384", "es256", ""])
  func `A4 a token cannot choose another algorithm`(algorithm: String) throws {
    let text = try text(good, algorithm: algorithm)
    let signature = try p256.signature(for: Data(text.utf8)).rawRepresentation
    let token = try IDToken(compact: "\(text).\(url(signature))")
    #expect(rules.obstacle(token, keys: [key], now: now) != nil)
    let unsigned = try IDToken(compact: "\(text).")
    #expect(rules.obstacle(unsigned, keys: [key], now: now) != nil)
  }

  @Test func `A4 another key, or a key of another name, is not the provider's`() throws {
    let token = try es256(good)
    var other = key
    other.id = "k2"
    #expect(rules.obstacle(token, keys: [other], now: now) != nil)
    #expect(IDTokenRules.mayNeedNewKeys(token, keys: [other]))
    #expect(!IDTokenRules.mayNeedNewKeys(token, keys: [key]))
    let stranger = IDTokenTests().key
    #expect(rules.obstacle(token, keys: [stranger], now: now) != nil)
    // Without a name every key may be the one.
    let nameless = try es256(good, kid: nil)
    #expect(rules.obstacle(nameless, keys: [other, key], now: now) == nil)
    #expect(!IDTokenRules.mayNeedNewKeys(nameless, keys: [stranger, key]))
    #expect(IDTokenRules.mayNeedNewKeys(nameless, keys: [stranger]), "the keys may have changed")
  }

  @Test(arguments: ["", ".", "..", "a.b", "a.b.c", "e30.e30.", "e30.e30.e30.e30", "{}.{}.x"])
  func `bytes that are no token give an error`(text: String) {
    #expect(throws: BrumeError.self) { try IDToken(compact: text) }
  }

  @Test func `so many keys of a provider are looked at`() throws {
    let coordinate = Base64URL.text([UInt8](repeating: 1, count: 32))
    let key = #"{"kty":"EC","crv":"P-256","x":"\#(coordinate)","y":"\#(coordinate)"}"#
    let keys = [key, key, key].joined(separator: ",")
    let json = try JSON(parsing: Array(#"{"keys":[\#(keys)]}"#.utf8))
    #expect(try Wire.providerKeys(json, most: 3).count == 3)
    #expect(try Wire.providerKeys(json, most: 2).count == 2)
    #expect(Limits.apple.providerKeys == 100)
  }

  @Test func `keys that cannot be used are passed over`() throws {
    let keys = try Wire.providerKeys(
      JSON(
        parsing: Array(
          #"""
          {"keys":[{"kty":"oct","k":"AAAA"},{"kty":"EC","crv":"P-384","x":"AA","y":"AA"},
          {"kty":"RSA","n":"AQAB","e":"AQAB"},{"kty":"EC","crv":"P-256","use":"enc"},7]}
          """#.utf8)))
    #expect(keys.isEmpty)
    #expect(throws: BrumeError.self) { try Wire.providerKeys(["nothing": 1]) }
  }
}
