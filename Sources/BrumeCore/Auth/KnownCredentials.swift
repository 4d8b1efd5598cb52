// The API tokens and accounts that requests name again and again, so that not each of them asks the
// store. Whatever changes one of them in this process calls `forget` then; of another process's changes it
// learns a moment later (`Accounts.changedElsewhere`). A process that learns nothing of others remembers nothing.
//
// What is not found is not remembered: an account made a moment ago is there at once.

import BrumeModel
import BrumeStorage
import Synchronization

struct KnownAccount: Sendable {
  let user: User
  let roles: Set<String>
}

final class KnownCredentials: Sendable {
  private struct State {
    var tokens: [String: APIToken] = [:]
    var accounts: [AccountKey: KnownAccount] = [:]
    /// Raised by each change, so that an answer read before it is not remembered after it.
    var edition = 0
  }
  /// Ours: milliseconds after which what was remembered may be long out of date. Others are looked at four times a second.
  static let longestSilence: Milliseconds = 1000

  private let limit: Int
  private let silence: @Sendable () -> Milliseconds
  private let state = Mutex(State())

  /// - Parameters:
  ///   - limit: tokens and accounts that are remembered; beyond it all are forgotten and read anew.
  ///   - silence: how long ago it was last known what other processes changed.
  init(limit: Int, silence: @escaping @Sendable () -> Milliseconds = { 0 }) {
    self.limit = limit
    self.silence = silence
  }

  /// What is known, and the edition to remember an answer under.
  func look(
    _ token: String, _ accountKey: AccountKey?
  ) -> (token: APIToken?, account: KnownAccount?, edition: Int) {
    if silence() > Self.longestSilence { forget() }
    return state.withLock { state in
      (state.tokens[token], accountKey.flatMap { state.accounts[$0] }, state.edition)
    }
  }

  func remember(
    _ token: APIToken?, _ account: KnownAccount?, at accountKey: AccountKey?, edition: Int
  ) {
    guard silence() <= Self.longestSilence else { return }
    state.withLock { state in
      guard state.edition == edition else { return }
      if state.tokens.count + state.accounts.count >= limit {
        state = State(edition: edition)
      }
      if let token { state.tokens[token.token] = token }
      if let account, let accountKey { state.accounts[accountKey] = account }
    }
  }

  /// To be called after a change is durable and before its caller gets the answer.
  func forget() {
    state.withLock { $0 = State(edition: $0.edition + 1) }
  }
}
