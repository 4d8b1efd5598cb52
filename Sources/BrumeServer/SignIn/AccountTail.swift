// What other processes do to accounts takes effect here: remembered credentials are asked for again, and open
// streams and polls of users whose sessions may have ended are ended, and streams where an API token was removed. Whoever
// is still signed in comes back.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeStorage

struct AccountTail: Sendable {
  let accounts: any SharedAccounts
  let signOut: SignOut

  /// Follows until cancelled. It begins with all changes that the store still knows: some may have come before the
  /// listening did, and some while the store could not be reached.
  func run() async throws {
    let hints = accounts.accountHints()
    var seen: Int64 = 0
    try await look(&seen)
    for await _ in hints { try await look(&seen) }
    try Task.checkCancellation()
  }

  private func look(_ seen: inout Int64) async throws {
    signOut.accounts.changedElsewhere()
    let changes = try await accounts.changedAccounts(after: seen)
    seen = changes.last
    for place in changes.tokensRemovedIn { signOut.endStreams(in: place) }
    guard let users = changes.users else { return signOut.endOpenRequests() }
    for user in users { signOut.endOpenRequests(of: user) }
  }
}
