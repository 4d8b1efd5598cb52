// What other processes do to accounts takes effect here: remembered credentials are asked for again, and open
// streams and polls of users whose sessions may have ended are ended, streams where an API token was removed, and those of
// devices that were removed. Whoever is still signed in comes back.
//
// Pushes come by another way, which may be faster. So before one leaves, what happened to accounts until then takes effect.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeStorage
import Synchronization

final class AccountTail: Sendable {
  /// Ours: a process that has not looked for so long has slept, or cannot look; others look four times a second.
  private static let longestSilence: Milliseconds = 1000

  private let accounts: any SharedAccounts
  private let signOut: SignOut
  private let removals: DeviceRemovals
  /// The number of the last change that has taken effect here.
  private let seen = Atomic<Int64>(0)
  private let looks = SharedWork()

  /// - Parameter removals: is notified of devices that others have removed.
  init(_ accounts: any SharedAccounts, _ signOut: SignOut, _ removals: DeviceRemovals) {
    self.accounts = accounts
    self.signOut = signOut
    self.removals = removals
  }

  /// Follows until cancelled. It begins with all changes that the store still knows, as some may have come before the
  /// listening did; after a failure with those behind the last that has taken effect.
  func run() async throws {
    let hints = accounts.accountHints()
    try await look()
    for await _ in hints { try await look() }
    try Task.checkCancellation()
  }

  /// To be called when something has been read that is to leave, and before it does. It asks the store only if an account
  /// has changed that was not looked at, or if this process may have slept.
  ///
  /// - Throws: what the store throws.
  func catchUp() async throws {
    let isUpToDate = accounts.lastChange <= seen.load(ordering: .acquiring)
    guard !isUpToDate || accounts.silence > Self.longestSilence else { return }
    // Each stream asks. A store that is slow would be asked by all of them.
    try await looks.run { try await look() }
  }

  private func look() async throws {
    let changes = try await changes()
    for place in changes.tokensRemovedIn { signOut.endStreams(in: place) }
    removals.note(Array(changes.devicesRemoved))
    if let users = changes.users {
      for user in users { signOut.endOpenRequests(of: user) }
    } else {
      signOut.endOpenRequests()
    }
    // Of two looks at once the older may come last; then the next one repeats what the newer has found.
    seen.store(changes.last, ordering: .releasing)
  }

  /// What is remembered of credentials is forgotten if it may be wrong, before anything is ended.
  private func changes() async throws -> ChangedAccounts {
    do {
      let changes = try await accounts.changedAccounts(after: seen.load(ordering: .acquiring))
      if changes.concernsCredentials { signOut.accounts.changedElsewhere() }
      return changes
    } catch {
      signOut.accounts.changedElsewhere()
      throw error
    }
  }
}
