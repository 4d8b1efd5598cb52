// The places in which used signatures are remembered belong to all keys of all containers: one key that signs
// without end would leave the others none.

import BrumeModel
import Synchronization

extension Limits {
  /// For how long a used signature is remembered. Its copy may come for twice the skew; the third part is for servers
  /// whose clocks differ, of which the one that is ahead forgets first.
  var signatureMemory: Milliseconds { 3 * signatureSkew }
}

/// How many places each server key takes. One for each server, which counts what it lets in itself: with others beside it
/// each request takes as much as one at each of them, as `RateLimiter` says.
final class SignatureShares: Sendable {
  private let keys: Mutex<RateLimiter<String>>

  /// A quarter of the places at once, and another one over the time that a signature is remembered for: together a
  /// key takes half of them.
  init(_ limits: Limits) {
    let quarter = limits.usedSignatures / 4
    let seconds = max(1, Int(limits.signatureMemory / 1000))
    keys = Mutex(
      RateLimiter(
        perSecond: quarter / seconds, burst: quarter, maximumKeys: limits.watchedCallers))
  }

  /// - Parameter processes: how many servers remember signatures in the same places.
  /// - Throws: `throttled` if the key took its share already.
  func take(_ keyID: String, at now: Milliseconds, among processes: Int) throws(BrumeError) {
    let wait = keys.withLock { $0.take(keyID, now: now, among: processes) }
    guard let seconds = wait else { return }
    throw BrumeError(
      .throttled, "too many signed requests of this key; repeat this one in \(seconds) seconds",
      retryAfter: seconds)
  }
}
