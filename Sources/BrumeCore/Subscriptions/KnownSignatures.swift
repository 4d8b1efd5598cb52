// Saving one subscription compares it with all others of the user, inside of the one write that is under way. What makes
// them the same takes longer to find out than to remember.

import BrumeModel
import BrumeStorage
import Synchronization

/// Signatures of subscriptions as they were when somebody last asked.
final class KnownSignatures: Sendable {
  private struct Key: Hashable {
    let place: SubscriptionScope
    let id: String
  }
  private struct State {
    var signatures: [Key: (kind: Subscription.Kind, text: String, byteCount: Int)] = [:]
    var bytes = 0

    mutating func known(_ kind: Subscription.Kind, _ key: Key) -> (text: String, byteCount: Int)? {
      guard let known = signatures[key], known.kind == kind else { return nil }
      // What was read again is compared at once the next time, as the storage is the same.
      signatures[key]?.kind = kind
      return (known.text, known.byteCount)
    }
  }
  /// Ours: bytes of signatures that are remembered; with more, it starts anew.
  static let limit = 4 << 20

  private let state = Mutex(State())

  /// So many are remembered.
  var count: Int { state.withLock { $0.signatures.count } }

  func text(of subscription: Subscription, in place: SubscriptionScope) -> String {
    signature(of: subscription, in: place).text
  }

  /// With its bytes and those of `notificationInfo`.
  func signature(
    of subscription: Subscription, in place: SubscriptionScope
  ) -> (text: String, byteCount: Int) {
    let (text, count) = ofKind(subscription, Key(place: place, id: subscription.id))
    return (text, count + (subscription.info?.byteCount ?? 0))
  }

  private func ofKind(_ subscription: Subscription, _ key: Key) -> (text: String, byteCount: Int) {
    if let known = state.withLock({ $0.known(subscription.kind, key) }) { return known }
    let (text, count) = (SubscriptionSignature.text(subscription.kind), subscription.byteCount)
    state.withLock { state in
      if state.bytes + text.utf8.count > Self.limit { state = State() }
      state.bytes += text.utf8.count - (state.signatures[key]?.text.utf8.count ?? 0)
      state.signatures[key] = (subscription.kind, text, count)
    }
    return (text, count)
  }
}
