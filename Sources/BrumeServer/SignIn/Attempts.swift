// Who has tried how often to sign in: counted in this process or, where several have the store open, in the store,
// for all of them. The rules are `BrumeCore/Auth/SignIn/AttemptLimiter.swift`.

import BrumeCore
import BrumeModel
import BrumeStorage
import Synchronization

/// One for each server.
final class Attempts: Sendable {
  private let limits: Limits
  private let shared: (any SharedAttempts)?
  /// Where there is no shared one.
  private let own: Mutex<AttemptLimiter>
  private let host: Host

  init(limits: Limits, shared: (any SharedAttempts)?, host: Host) {
    self.limits = limits
    self.shared = shared
    self.host = host
    own = Mutex(AttemptLimiter(limits: limits))
  }

  /// Begins an attempt, as `AttemptLimiter.begin`.
  func begin(name: String, address: String) async throws -> Milliseconds? {
    try await change(name, address) { $0.begin(name: name, address: address, now: $1) }
  }

  /// It was right after all.
  func succeeded(name: String, address: String) async throws {
    try await change(name, address) { limiter, _ in
      limiter.succeeded(name: name, address: address)
    }
  }

  private func change<Value: Sendable>(
    _ name: String, _ address: String,
    _ body: @escaping @Sendable (inout AttemptLimiter, Milliseconds) -> Value
  ) async throws -> Value {
    guard let shared else {
      let now = host.now()
      return own.withLock { body(&$0, now) }
    }
    let keys = AttemptLimiter.keys(name: name, address: address)
    return try await shared.change(keys, limit: limits.watchedCallers) {
      [limits] failures, now in
      var limiter = AttemptLimiter(limits: limits, failures: failures)
      let value = body(&limiter, now)
      failures = limiter.failures
      return value
    }
  }
}
