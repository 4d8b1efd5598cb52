// Accounts and credentials that several processes change. Each remembers what requests name again and again,
// and holds streams open for users: it must learn when another process signs somebody out.

package import BrumeModel

/// What other processes with the same store do to accounts.
package protocol SharedAccounts: Sendable {
  /// A hint when any process changed accounts, credentials or roles: at once, and after a moment at most.
  func accountHints() -> CommitHints
  /// How long ago this process last knew all that others had done, by a clock that never goes back. While it cannot
  /// look, it grows.
  var silence: Milliseconds { get }
  /// Users whose accounts other processes changed after the change with number `last`, as far as the store still
  /// knows, and the number of the last change. No users: that was so long ago that nobody knows any more whose.
  ///
  /// - Throws: `StoreError` if the engine does not answer.
  func changedUsers(after last: Int64) async throws -> (users: Set<UserID>?, last: Int64)
}
