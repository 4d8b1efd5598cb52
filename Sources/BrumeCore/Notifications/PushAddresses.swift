// Registering what the server sends to: Apple's push tokens and Web Push subscriptions; and who signs
// for Apple. An address belongs to whoever registered it last: a browser or phone that changed hands
// must not get the pushes of the user before (docs/operating/push.md).

package import BrumeModel
import BrumeStorage
import Crypto

extension Engine {
  /// Registers a push subscription for the caller's device.
  ///
  /// - Throws: `badRequest` for keys that are none. Whether the endpoint may be called at all is the
  ///   caller's to check before.
  /// - Returns: the device, which may have entries that waited for an address.
  @discardableResult
  package func registerWebPush(
    _ target: WebPushTarget, clientID: String?, as caller: Caller
  ) async throws -> DeviceKey {
    guard target.endpoint.utf8.count <= limits.pushURLBytes else {
      throw BrumeError(
        .badRequest,
        "'endpoint' is longer than \(limits.pushURLBytes) bytes; subscribe at a push service "
          + "with shorter addresses")
    }
    guard target.secret.count == 16 else {
      throw BrumeError(
        .badRequest,
        "'keys.auth' must be 16 bytes in base64url; send the keys as the browser's subscription "
          + "has them")
    }
    guard (try? P256.KeyAgreement.PublicKey(x963Representation: target.key)) != nil else {
      throw BrumeError(
        .badRequest,
        "'keys.p256dh' must be an uncompressed P-256 point of 65 bytes in base64url; send the "
          + "keys as the browser's subscription has them")
    }
    return try await put(.webPush(target), clientID, caller)
  }

  /// Forgets the caller's device and its mailbox.
  package func unregisterDevice(as caller: Caller) async throws {
    guard let key = try caller.deviceKey() else {
      throw BrumeError(
        .badRequest,
        "the request names no device: send the header 'X-Brume-Device' or the parameter 'clientId'")
    }
    try await store.write(in: .account(key)) { try $0.removeDevice(key) }
  }

  /// Says with which key pushes to one app are signed.
  package func addAPNsSender(_ sender: APNsSender) async throws {
    try NameRules.container(sender.container.name)
    for (name, text) in [("team", sender.team), ("keyID", sender.keyID)] {
      guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(Self.isPlain) else {
        throw BrumeError(
          .badRequest, "'\(name)' is what Apple's developer site shows: letters and digits")
      }
    }
    guard (1...155).contains(sender.topic.utf8.count), sender.topic.utf8.allSatisfy(Self.isPlain)
    else {
      throw BrumeError(
        .badRequest, "'topic' is the app's bundle ID: letters, digits, dots and hyphens")
    }
    guard (try? P256.Signing.PrivateKey(pemRepresentation: sender.privateKey)) != nil else {
      throw BrumeError(
        .badRequest, "the key is no P-256 private key in PEM; give the .p8 file from Apple as it is"
      )
    }
    try await store.write(in: .server) { try $0.put(sender) }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  /// Nearly every number of 32 bytes is a key; those that are not below the curve's order are drawn anew.
  private func freshSigningKey() throws -> [UInt8] {
    for _ in 0..<Self.keyDraws {
      let bytes = host.randomBytes(32)
      if (try? P256.Signing.PrivateKey(rawRepresentation: bytes)) != nil { return bytes }
    }
    throw BrumeError(.internalError, "the source of chance gives no key; check the system's")
  }

  /// Ours: one draw of 2^32 is no key.
  private static let keyDraws = 10

  /// The key that signs for Web Push services, made on the first start (RFC 8292).
  package func vapidKey() async throws -> [UInt8] {
    let fresh = try freshSigningKey()
    return try await store.write(in: .server) { transaction in
      if let known = try transaction.setting(.vapidKey), known.count == 32 { return known }
      try transaction.set(.vapidKey, to: fresh)
      return fresh
    }
  }
}
