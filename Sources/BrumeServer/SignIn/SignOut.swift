// Signing out everywhere ends what is open, not only what comes next: streams end, long polls are
// answered that their token is no more.

import BrumeCore
import BrumeDelivery
import BrumeModel

struct SignOut: Sendable {
  let accounts: Accounts
  let streams: StreamHub
  let signals: MailboxSignals

  init(_ accounts: Accounts, _ delivery: ServerDelivery) {
    (self.accounts, streams, signals) = (accounts, delivery.streams, delivery.signals)
  }

  /// Ends all sessions of a user.
  func everywhere(_ user: UserID) async throws {
    try await accounts.signOutEverywhere(user)
    endOpenRequests(of: user)
  }

  /// To be called when an API token of a container environment is no more. A stream does not know with which it
  /// was opened; whoever has another one comes back.
  func endStreams(in containerEnvironment: ContainerEnvironment) {
    streams.end(in: containerEnvironment)
  }

  /// To be called when anybody's sessions may have ended.
  func endOpenRequests() {
    streams.end()
    signals.signalAll()
  }

  /// To be called when a user's sessions have ended.
  func endOpenRequests(of user: UserID) {
    streams.end(of: user)
    signals.signal(allOf: user)
  }
}
