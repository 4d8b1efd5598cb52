// Saving one subscription compares it with all others of its user, inside of the one write that is under way. Reading them
// out of their bytes takes much longer than to remember what the bytes said.

package import BrumeModel
import Synchronization

/// Subscriptions by the bytes that they are kept as, which say all about them.
package final class DecodedSubscriptions: Sendable {
  private struct State {
    var known: [ByteKey: Subscription] = [:]
    var bytes = 0
  }
  /// Ours: bytes whose subscriptions are remembered; with more, it starts anew. One user may have 1 MB of them, and
  /// JSON's own.
  package static let limit = 4 << 20

  private let state = Mutex(State())
  private let decode: @Sendable ([UInt8]) throws -> Subscription

  package init(_ decode: @escaping @Sendable ([UInt8]) throws -> Subscription) {
    self.decode = decode
  }

  /// So many are remembered.
  package var count: Int { state.withLock { $0.known.count } }

  /// Throws what decoding throws; that is not remembered.
  package func subscription(of content: [UInt8]) throws -> Subscription {
    let key = ByteKey(content)
    if let known = state.withLock({ $0.known[key] }) { return known }
    let subscription = try decode(content)
    state.withLock { state in
      if state.bytes + content.count > Self.limit { state = State() }
      if state.known.updateValue(subscription, forKey: key) == nil {
        state.bytes += content.count
      }
    }
    return subscription
  }
}
