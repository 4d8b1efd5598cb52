// When the token that proves who sends to Apple is made anew: once an hour, never for each push.
// Apple refuses tokens older than an hour, and senders that make new ones more often than every 20
// minutes. Where the clocks differ, the last pushes of an hour are refused; each is sent again at once
// with the next token.

package import BrumeModel
import BrumeWire
import Crypto

/// The tokens of each signing key.
package struct ProviderTokens: Sendable {
  private struct Key: Hashable {
    let team: String
    let keyID: String
    let privateKey: String
    init(_ sender: APNsSender) {
      team = sender.team
      keyID = sender.keyID
      privateKey = sender.privateKey
    }
  }
  private struct Held: Sendable {
    var text: String
    var made: Milliseconds
    /// Apple called it expired; another is made when that may help.
    var isRefused = false
  }
  private var held: [Key: Held] = [:]

  /// Ours: a clock that was set back by more has a new one made, and a refused key tried.
  static let slack: Milliseconds = 60_000
  private let limits: Limits

  package init(limits: Limits = .apple) { self.limits = limits }

  /// The token to send with; nil if the sender's key is none.
  package mutating func token(for sender: APNsSender, now: Milliseconds) -> String? {
    let key = Key(sender)
    // Pushes that began a little earlier, and came here later, take it too.
    if let known = held[key], !known.isRefused, now >= known.made - Self.slack,
      now - known.made < limits.apnsTokenLifetime
    {
      return known.text
    }
    guard let text = Self.sign(sender, now) else { return nil }
    if held.count >= limits.rememberedSenders { held = [:] }
    held[key] = Held(text: text, made: now)
    return text
  }

  /// Apple called a token expired. Answers whether another one may help: not if it is young, for then
  /// the clocks differ.
  package mutating func refused(
    _ text: String, of sender: APNsSender, now: Milliseconds
  ) -> Bool {
    let key = Key(sender)
    // Another push has seen to it already.
    guard let known = held[key], known.text == text else { return true }
    guard
      now - known.made >= limits.apnsTokenMinimumLifetime || now < known.made - Self.slack
    else { return false }
    held[key]?.isRefused = true
    return true
  }

  private static func sign(_ sender: APNsSender, _ now: Milliseconds) -> String? {
    guard let key = try? P256.Signing.PrivateKey(pemRepresentation: sender.privateKey) else {
      return nil
    }
    return try? SignedToken.make(
      header: ["alg": "ES256", "kid": .string(sender.keyID)],
      claims: ["iss": .string(sender.team), "iat": .int(now / 1000)], key: key)
  }
}
