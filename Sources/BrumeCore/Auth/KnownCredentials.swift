// The API tokens and accounts that requests name again and again, so that not each of them asks the
// store. One process owns a store, and every change goes through `Engine`, which forgets first.
//
// What is not found is not remembered: an account made a moment ago is there at once.

import BrumeModel
import BrumeStorage
import Synchronization

final class KnownCredentials: Sendable {
  private struct State {
    var tokens: [String: APIToken] = [:]
    var users: [UserID: User] = [:]
    /// Raised by each change, so that an answer read before it is not remembered after it.
    var edition = 0
  }
  /// Ours: beyond this everything is forgotten and learned anew.
  private static let limit = 10_000
  private let state = Mutex(State())

  /// What is known, and the edition to remember an answer under.
  func look(_ token: String, _ user: UserID?) -> (token: APIToken?, user: User?, edition: Int) {
    state.withLock { state in
      (state.tokens[token], user.flatMap { state.users[$0] }, state.edition)
    }
  }

  func remember(_ token: APIToken?, _ user: User?, edition: Int) {
    state.withLock { state in
      guard state.edition == edition else { return }
      if state.tokens.count + state.users.count >= Self.limit { state = State(edition: edition) }
      if let token { state.tokens[token.token] = token }
      if let user { state.users[user.id] = user }
    }
  }

  /// To be called after a change is durable and before its caller hears of it.
  func forget() {
    state.withLock { $0 = State(edition: $0.edition + 1) }
  }
}

extension Engine {
  /// The API token and account that a request names, as far as they exist.
  func tokenAndAccount(
    _ text: String, _ user: UserID?
  ) async throws -> (token: APIToken?, user: User?) {
    let known = knownCredentials.look(text, user)
    if let token = known.token, user == nil || known.user != nil { return (token, known.user) }
    let found = try await store.read { transaction in
      (try transaction.apiToken(text), try user.flatMap { try transaction.user($0) })
    }
    knownCredentials.remember(found.0, found.1, edition: known.edition)
    return found
  }
}
