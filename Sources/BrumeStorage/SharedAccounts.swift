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
  /// The number of the last change that anybody had made when this process last looked.
  var lastChange: Int64 { get }
  /// What other processes changed after the change with number `last`, as far as the store still knows.
  ///
  /// - Throws: `StoreError` if the engine does not answer.
  func changedAccounts(after last: Int64) async throws -> ChangedAccounts
}

/// What other processes changed of accounts, API tokens and devices.
package struct ChangedAccounts: Equatable, Sendable {
  /// Whose accounts changed. Nil: that was so long ago that nobody knows any more whose.
  package let users: Set<UserID>?
  /// Where an API token was removed.
  package let tokensRemovedIn: Set<ContainerEnvironment>
  /// Devices that were removed. They may have been registered again since.
  package let devicesRemoved: Set<DeviceKey>
  /// The number of the last change.
  package let last: Int64
  /// Whether something was changed that processes remember of credentials: false if it is known that nothing but devices was.
  package let concernsCredentials: Bool

  package init(
    users: Set<UserID>?, tokensRemovedIn: Set<ContainerEnvironment> = [],
    devicesRemoved: Set<DeviceKey> = [], last: Int64, concernsCredentials: Bool = true
  ) {
    self.users = users
    self.tokensRemovedIn = tokensRemovedIn
    self.devicesRemoved = devicesRemoved
    self.last = last
    self.concernsCredentials = concernsCredentials
  }
}
