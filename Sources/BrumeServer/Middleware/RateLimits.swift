// Who may call how often: each user, all users of an address together, each address of callers without a user,
// each address from which addresses with their own secret are used, and the browsers of each that ask first. The buckets are
// BrumeCore/Auth/RateLimiter.swift; the numbers are settings.

import BrumeCore
import BrumeModel
import BrumeStorage
import Synchronization

/// Counts calls. One for each server.
package final class RateLimits: Sendable {
  private let users: Mutex<RateLimiter<String>>
  private let usersOfAddresses: Mutex<RateLimiter<String>>
  private let addresses: Mutex<RateLimiter<String>>
  private let bearers: Mutex<RateLimiter<String>>
  private let preflights: Mutex<RateLimiter<String>>
  private let leases: any Leases
  private let host: Host

  /// - Parameter leases: knows how many servers count the same callers.
  init(_ rates: Settings.Rates, limits: Limits, leases: any Leases, host: Host) {
    self.leases = leases
    self.host = host
    users = Self.limiter(rates.user, limits)
    usersOfAddresses = Self.limiter(rates.address, limits)
    addresses = Self.limiter(rates.anonymous, limits)
    bearers = Self.limiter(rates.user, limits)
    preflights = Self.limiter(rates.address, limits)
  }

  private static func limiter(_ rate: Int, _ limits: Limits) -> Mutex<RateLimiter<String>> {
    Mutex(
      RateLimiter(
        perSecond: rate, burst: rate * limits.rateBurstSeconds,
        maximumKeys: limits.watchedCallers))
  }

  /// Counts a call of somebody known, for them and for their address; of an API token alone, by address.
  func check(_ caller: Caller, at address: ClientAddress) throws(BrumeError) {
    switch caller.kind {
    case .operator: return
    case .anonymous: try check(address)
    case .user, .serverKey:
      guard let user = caller.user else { return try check(address) }
      // What is refused as the user's counts for nobody else at their address.
      try check(user.name, users, "of this user")
      try check(address.name, usersOfAddresses, "of all users at this address")
    }
  }

  /// Counts a call of nobody known, such as one with wrong credentials.
  func check(_ address: ClientAddress) throws(BrumeError) {
    try check(address.name, addresses, "from this address")
  }

  /// Counts a call that carries its own secret: at a user's rate, because who has it got it from one.
  func checkBearer(at address: ClientAddress) throws(BrumeError) {
    try check(address.name, bearers, "from this address")
  }

  /// Counts `OPTIONS`, of which each call of a page may need one: as many as all users of an address may make.
  func checkPreflight(at address: ClientAddress) throws(BrumeError) {
    try check(address.name, preflights, "of browsers at this address")
  }

  private func check(
    _ name: String, _ limiter: borrowing Mutex<RateLimiter<String>>, _ whose: String
  ) throws(BrumeError) {
    let (now, processes) = (host.now(), leases.processes)
    let wait = limiter.withLock { $0.take(name, now: now, among: processes) }
    guard let seconds = wait else { return }
    throw BrumeError(
      .throttled, "too many requests \(whose); repeat this one in \(seconds) seconds",
      retryAfter: seconds)
  }
}
