// Who may call how often: each user, each address of callers without one, and each address from which
// addresses with their own secret are used. The buckets are BrumeCore/Auth/RateLimiter.swift; the
// numbers are settings.

import BrumeCore
import BrumeModel
import Synchronization

/// Counts calls. One for each server.
package final class RateLimits: Sendable {
  private let users: Mutex<RateLimiter<String>>
  private let addresses: Mutex<RateLimiter<String>>
  private let bearers: Mutex<RateLimiter<String>>
  private let host: Host

  init(_ rates: Settings.Rates, limits: Limits, host: Host) {
    self.host = host
    users = Self.limiter(rates.user, limits)
    addresses = Self.limiter(rates.anonymous, limits)
    bearers = Self.limiter(rates.user, limits)
  }

  private static func limiter(_ rate: Int, _ limits: Limits) -> Mutex<RateLimiter<String>> {
    Mutex(
      RateLimiter(
        perSecond: rate, burst: rate * limits.rateBurstSeconds,
        maximumKeys: limits.watchedCallers))
  }

  /// Counts a call of somebody known; of an API token alone, by address.
  func check(_ caller: Caller, at address: ClientAddress) throws(BrumeError) {
    switch caller.kind {
    case .operator: return
    case .anonymous: try check(address)
    case .user, .serverKey:
      guard let user = caller.user else { return try check(address) }
      let now = host.now()
      try Self.checkLimit(users.withLock { $0.take(user.name, now: now) }, "of this user")
    }
  }

  /// Counts a call of nobody known, such as one with wrong credentials.
  func check(_ address: ClientAddress) throws(BrumeError) {
    let now = host.now()
    try Self.checkLimit(addresses.withLock { $0.take(address.name, now: now) }, "from this address")
  }

  /// Counts a call that carries its own secret: at a user's rate, because who has it got it from one.
  func checkBearer(at address: ClientAddress) throws(BrumeError) {
    let now = host.now()
    try Self.checkLimit(bearers.withLock { $0.take(address.name, now: now) }, "from this address")
  }

  private static func checkLimit(_ seconds: Double?, _ whose: String) throws(BrumeError) {
    guard let seconds else { return }
    throw BrumeError(
      .throttled, "too many requests \(whose); repeat this one in \(seconds) seconds",
      retryAfter: seconds)
  }
}
