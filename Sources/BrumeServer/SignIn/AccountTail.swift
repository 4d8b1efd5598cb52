// What other processes do to accounts takes effect here: remembered credentials are asked for again, and open
// streams and polls of users whose sessions may have ended are ended. Whoever is still signed in comes back.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeStorage

struct AccountTail: Sendable {
  let accounts: any SharedAccounts
  let signOut: SignOut

  /// Follows until cancelled.
  func run() async throws {
    let hints = accounts.accountHints()
    var seen = try await accounts.lastAccountChange()
    // What was remembered before may have changed before the listening began.
    signOut.accounts.changedElsewhere()
    for await _ in hints {
      signOut.accounts.changedElsewhere()
      let changes = try await accounts.changedUsers(after: seen)
      seen = changes.last
      for user in changes.users { signOut.endOpenRequests(of: user) }
    }
    try Task.checkCancellation()
  }
}
