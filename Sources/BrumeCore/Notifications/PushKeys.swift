// The keys that sign pushes: for Apple, one for each app; for Web Push services, the server's own
// (docs/operating/push.md).

package import BrumeModel
import BrumeStorage
import Crypto

/// With which keys the server signs what it sends.
package struct PushKeys: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
  }

  /// Says with which key pushes to one app are signed.
  ///
  /// - Throws: `badContainer`, `badRequest` if a part of it cannot be, such as a key that is no P-256
  ///   private key in PEM, `limitExceeded` if the container has keys for as many apps as may be.
  package func addAPNsSender(_ sender: APNsSender) async throws {
    try check(sender)
    let limits = limits
    try await store.write(in: .server) { transaction in
      let all = try transaction.apnsSenders.all(of: sender.container)
      let known = all.first { $0.topic == sender.topic }
      if known == nil {
        try CountRules.room(
          for: "apps with a key in \(sender.container)", beside: all.count,
          upTo: limits.apnsKeysPerContainer, next: "remove one with `brume apns remove TOPIC`")
      }
      try transaction.apnsSenders.put(sender)
      // Another key was not used yet.
      guard let known, known.keyID != sender.keyID else { return }
      try transaction.settings.set(.apnsUse(sender.container, topic: sender.topic), to: nil)
    }
  }

  private func check(_ sender: APNsSender) throws {
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
    try KeyTextRules.check(sender.privateKey, "the key", limits: limits)
    guard (try? P256.Signing.PrivateKey(pemRepresentation: sender.privateKey)) != nil else {
      throw BrumeError(
        .badRequest, "the key is no P-256 private key in PEM; give the .p8 file from Apple as it is"
      )
    }
  }

  /// Forgets the key of a topic. Answers whether there was one.
  ///
  /// - Throws: what the store throws.
  package func removeAPNsSender(_ topic: String, of container: ContainerID) async throws -> Bool {
    try await store.write(in: .server) { transaction in
      try transaction.settings.set(.apnsUse(container, topic: topic), to: nil)
      return try transaction.apnsSenders.remove(topic, of: container)
    }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte.isLetter || byte.isDigit || ".-".utf8.contains(byte)
  }

  /// Nearly every number of 32 bytes is a key; those that are not below the curve's order are drawn anew.
  private func freshSigningKey() throws -> [UInt8] {
    for _ in 0..<Self.keyDraws {
      let bytes = host.randomBytes(32)
      if (try? P256.Signing.PrivateKey(rawRepresentation: bytes)) != nil { return bytes }
    }
    throw BrumeError(.internalError, "the source of chance gives no key; check the system's")
  }

  /// Ours: one draw in 2^32 is no key; ten in a row never are.
  private static let keyDraws = 10

  /// The key that signs for Web Push services, made on the first start (RFC 8292).
  ///
  /// - Returns: the 32 bytes of a P-256 private key.
  /// - Throws: what the store throws; `internalError` if chance gives no key.
  package func vapidKey() async throws -> [UInt8] {
    // A start on a full disk reads what an earlier one has made.
    if let known = try await store.read({ try Self.vapidKey(in: $0) }) { return known }
    let fresh = try freshSigningKey()
    return try await store.write(in: .server) { transaction in
      if let known = try Self.vapidKey(in: transaction) { return known }
      try transaction.settings.set(.vapidKey, to: fresh)
      return fresh
    }
  }

  private static func vapidKey(in transaction: any ReadTransaction) throws -> [UInt8]? {
    try transaction.settings.value(.vapidKey).flatMap { $0.count == 32 ? $0 : nil }
  }
}
