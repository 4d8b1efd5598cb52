// How many sign-ins may make this server call the provider: at once, of one address, and together.
// Whoever has an API token can set out as often as they like, and each return costs the provider a call.

package import BrumeCore
package import BrumeModel
import Synchronization

/// Counts sign-ins by the provider. One for each server.
package final class ProviderCalls: Sendable {
  private struct State: Sendable {
    var underWay = 0
    var addresses: RateLimiter<String>
    var all: RateLimiter<Bool>
  }
  /// A sign-in that may talk to the provider until it ends.
  package struct Permit: Sendable {
    fileprivate let calls: ProviderCalls
    /// To be called once, when the provider has answered or failed.
    package func end() { calls.state.withLock { $0.underWay -= 1 } }
  }
  private let state: Mutex<State>
  private let most: Int
  private let host: Host

  package init(limits: Limits, host: Host) {
    self.host = host
    most = limits.providerCalls
    state = Mutex(
      State(
        addresses: RateLimiter(
          perSecond: limits.providerCallsPerAddress,
          burst: limits.providerCallsBurstPerAddress,
          maximumKeys: limits.watchedCallers),
        all: RateLimiter(
          perSecond: limits.providerCallsPerSecond, burst: limits.providerCallsBurst,
          maximumKeys: 1)))
  }

  /// - Throws: THROTTLED with the seconds to wait.
  package func begin(from address: ClientAddress) throws(BrumeError) -> Permit {
    let now = host.now()
    let wait = state.withLock { state -> Double? in
      if state.underWay >= most { return 1 }
      if let wait = state.addresses.take(address.name, now: now) { return wait }
      if let wait = state.all.take(true, now: now) { return wait }
      state.underWay += 1
      return nil
    }
    guard let wait else { return Permit(calls: self) }
    throw BrumeError(
      .throttled, "too many people sign in by the provider just now; try again", retryAfter: wait)
  }
}
