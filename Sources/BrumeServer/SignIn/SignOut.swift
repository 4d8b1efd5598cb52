// Signing out everywhere ends what is open, not only what comes next: streams end, long polls are
// answered that their token is no more.

import BrumeCore
import BrumeDelivery
import BrumeModel

extension Composition {
  /// Ends all sessions of a user.
  func signOutEverywhere(_ user: UserID) async throws {
    try await engine.accounts.signOutEverywhere(user)
    endOpenRequests(of: user)
  }

  /// To be called when a user's sessions have ended.
  func endOpenRequests(of user: UserID) {
    streams.end(of: user)
    signals.signal(allOf: user)
  }
}

extension Call {
  /// Whether the user has not signed out since the request began.
  func isStillSignedIn() async throws -> Bool {
    try await engine.webAuthTokens.isSignedIn(by: query["ckWebAuthToken"] ?? "")
  }
}
