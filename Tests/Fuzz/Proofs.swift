// Who somebody is: ID tokens and the documents of their provider, signatures of server keys, keys of browsers.

import BrumeCore
import BrumeModel
import BrumePush
import BrumeWire
import Crypto

extension Target {
  static let proofs = [
    Target("provider", longest: 1024) { bytes in
      readDocument(bytes)
      let rules = IDTokenRules(issuer: "i", clientID: "c", nonce: "n", limits: .apple)
      let parts = parts(bytes, 2)
      let keys = parts.count > 1 ? providerKeys(parts[1]) : []
      if let token = try? IDToken(compact: text(parts[0])) {
        _ = rules.obstacle(token, keys: keys, now: 1_795_176_000_000)
      }
      // The fuzzer finds no base64 of JSON: the same with the three parts as they are.
      let plain = parts[0].split(separator: UInt8(ascii: "."), maxSplits: 2)
      let compact = plain.map { Base64URL.text(Array($0)) }.joined(separator: ".")
      if let token = try? IDToken(compact: compact) {
        _ = rules.obstacle(token, keys: keys, now: 1_795_176_000_000)
      }
    },
    Target("signature", longest: 512) { bytes in
      let parts = parts(bytes, 3).map { text($0) }
      EveryReader.readProof(
        publicKey: parts.count > 2 ? parts[2] : publicKey, date: parts[0],
        signature: parts.count > 1 ? parts[1] : "", now: 1_795_176_000_000)
    },
    Target("webpush", longest: 256) { bytes in
      let parts = parts(bytes, 2)
      let key = Base64URL.bytes(text(parts[0])) ?? parts[0]
      let secret = parts.count > 1 ? Base64URL.bytes(text(parts[1])) ?? parts[1] : []
      guard let own = try? P256.KeyAgreement.PrivateKey(rawRepresentation: ownKey) else { return }
      let salt = [UInt8](repeating: 7, count: 16)
      _ = try? WebPushEncryption.encrypt(bytes, for: key, secret: secret, own: own, salt: salt)
    },
  ]

  private static func readDocument(_ bytes: [UInt8]) {
    guard let json = try? JSON(parsing: bytes) else { return }
    _ = try? Wire.providerDocument(json)
    _ = try? Wire.providerKeys(json)
    _ = try? Wire.idToken(json)
  }

  private static func providerKeys(_ bytes: [UInt8]) -> [ProviderKey] {
    (try? JSON(parsing: bytes)).flatMap { try? Wire.providerKeys($0) } ?? []
  }

  private static let ownKey = [UInt8](repeating: 1, count: 32)
  private static let publicKey: String = {
    let key = try? P256.Signing.PrivateKey(rawRepresentation: ownKey)
    return key?.publicKey.pemRepresentation ?? ""
  }()
}
