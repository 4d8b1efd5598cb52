// How fast a large fan-out follows the log while others write.

import BrumeModel

/// The size of the notifier's next transaction, and how long it then leaves the store to others.
///
/// A change with very many subscribers takes the store's one writer for seconds. While nobody else
/// writes it may have it; whoever writes should hardly notice. So it is delivered a
/// little later, though not for ever: a change that has waited for long is delivered at full speed.
struct Pace: Sendable {
  /// Mailbox entries after which it serves no further subscription.
  let deliveries: Int
  private let isSlow: Bool

  /// - Parameters:
  ///   - isAmidFanOut: an earlier transaction served a part of the change.
  ///   - othersWrite: the log has grown since.
  ///   - waiting: how long ago the change was made.
  init(isAmidFanOut: Bool, othersWrite: Bool, waiting: Milliseconds, _ limits: Limits) {
    // Less than nothing: the clock was set back, and how long it waited is not known.
    isSlow = isAmidFanOut && othersWrite && (0..<limits.notifierMaximumDelay).contains(waiting)
    deliveries = isSlow ? limits.notifierAwaitedDeliveries : limits.notifierDeliveries
  }

  /// How long to wait after the transaction.
  /// - Parameter unserved: subscriptions of the same change that are left.
  func pause(unserved: Int, _ limits: Limits) -> Duration {
    // What fits into one transaction is not worth a rest.
    isSlow && unserved > limits.notifierDeliveries ? .milliseconds(limits.notifierPause) : .zero
  }
}
