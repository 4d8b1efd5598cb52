// The secrets of sessions, admin tokens and links: made by chance, handed out once. The store has their
// digests; a copy of the store opens nothing.

package import BrumeModel
import Crypto

/// What operators prove themselves with.
package enum OperatorSecret {
  /// Hex digits of a secret, and of nothing else that is looked up.
  private static let length = 64

  /// 256 bits, in hex.
  static func make(_ host: Host) -> String { Hex.text(host.randomBytes(length / 2)) }

  /// The ID of the credential with this secret; nil if the text is none.
  static func id(of secret: String) -> String? {
    guard secret.utf8.count == length else { return nil }
    return Hex.text(SHA256.hash(data: Array(secret.utf8)))
  }

  /// Whether what has the form of a secret stands in a text, alone or as the end of a link.
  package static func isPart(of text: String) -> Bool {
    text.split { !$0.isHexDigit }.contains { $0.utf8.count >= length }
  }
}

extension OperatorCredential {
  /// Whether its time is over; one without an end has none.
  func hasEnded(at now: Milliseconds) -> Bool { ends.map { $0 <= now } ?? false }
}

/// A credential that was just made.
package struct NewOperatorCredential: Sendable {
  /// As it is stored, with the secret's digest.
  package let credential: OperatorCredential
  /// Is said this once.
  package let secret: String

  init(
    _ kind: OperatorCredential.Kind, name: String = "", operatorID: String?, role: OperatorRole,
    lifetime: Milliseconds?, host: Host
  ) {
    let (secret, now) = (OperatorSecret.make(host), host.now())
    self.secret = secret
    credential = OperatorCredential(
      id: OperatorSecret.id(of: secret) ?? "", kind: kind, name: name, operatorID: operatorID,
      role: role, created: now, ends: lifetime.map { now + $0 })
  }

  /// A browser's session. Its own role takes nothing away: that of its operator counts.
  ///
  /// - Parameter operatorID: nil: nobody's, in development.
  static func session(
    of operatorID: String?, _ limits: Limits, _ host: Host
  ) -> NewOperatorCredential {
    NewOperatorCredential(
      .session, operatorID: operatorID, role: .full, lifetime: limits.operatorSessionLifetime,
      host: host)
  }
}
