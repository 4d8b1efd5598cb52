// Where passwords are checked: one at a time, on a thread of its own that gives way to all others, because each costs
// 64 MB and a tenth of a second; and ever more slowly for whoever guesses.

import BrumeCore
import BrumeModel
import BrumeStorage
import Synchronization

final class PasswordVerifier: Sendable {
  /// Ours: however many processors there are, no more passwords at once have 64 MB each; others wait.
  private static let threadCount = 1
  /// Of the process. What is guessed at must not slow down those who are signed in.
  private static let threads = WorkerThreads(count: threadCount, giveWay: true)

  let accounts: Accounts
  private let attempts: Attempts
  private let slots: Mutex<PasswordSlots>

  init(accounts: Accounts, attempts: Attempts, limits: Limits) {
    self.accounts = accounts
    self.attempts = attempts
    slots = Mutex(PasswordSlots(most: limits.passwordChecks))
  }

  /// The account of a name and password.
  ///
  /// - Throws: THROTTLED with the seconds to wait, after too many wrong ones.
  func account(
    name: String, password: String, at address: ClientAddress
  ) async throws -> User {
    try accounts.checkLengths(name: name, password: password)
    return try await attempt(name, at: address) { [accounts] in
      let check = try await accounts.passwordCheck(name: name)
      return { try check.account(password: password) }
    }
  }

  /// An attempt at whom `name` means, which counts as failed until it was right.
  ///
  /// - Parameter prepare: makes what is carried out on a thread of its own. If it throws, nobody has tried anything.
  func attempt<Value: Sendable>(
    _ name: String, at address: ClientAddress, isOperator: Bool = false,
    _ prepare: () async throws -> @Sendable () throws -> Value
  ) async throws -> Value {
    let holder = PasswordSlots.Holder(isOperator: isOperator, name: name, address: address.name)
    return try await costly(holder) { [self] in
      // Before it counts: a store that is away, or a caller who has gone, is no wrong password.
      let check = try await prepare()
      if let wait = try await attempts.begin(name: name, address: address.name) {
        let seconds = (Double(wait) / 1000).rounded(.up)
        throw BrumeError(
          .throttled, "too many wrong passwords; try again in \(Int(seconds)) seconds",
          retryAfter: seconds)
      }
      let value = try await Self.run(check)
      try await attempts.succeeded(name: name, address: address.name)
      return value
    }
  }

  /// Hashes the password of an operator, or does what costs as much.
  func hash<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await costly(PasswordSlots.Holder(isOperator: true)) { try await Self.run(body) }
  }

  private static func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      threads.submit { continuation.resume(with: Result { try body() }) }
    }
  }

  /// - Throws: THROTTLED if as many are at work as may be.
  private func costly<Value>(
    _ holder: PasswordSlots.Holder, _ body: () async throws -> Value
  ) async throws -> Value {
    guard slots.withLock({ $0.take(holder) }) else {
      throw BrumeError(
        .throttled,
        "as many passwords are checked just now as may be of all, of one address or of one name; try again",
        retryAfter: 1)
    }
    defer { slots.withLock { $0.giveBack(holder) } }
    return try await body()
  }
}
