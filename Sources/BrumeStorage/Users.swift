// The port's part for accounts, and the identities of providers that they were linked to.

package import BrumeModel

package protocol UserReading: AnyObject {
  func find(_ id: UserID) throws -> User?
  func find(named name: String) throws -> User?
  /// The account with an address as ``EmailAddress`` compares them. If several have it, the one that
  /// spells it so, or else the first in name order.
  func find(emailAddress: String) throws -> User?
  func find(phoneNumber: String) throws -> User?
  /// All accounts in name order.
  func all() throws -> [User]
  /// Accounts with a name after `name`, in name order, at most `limit`.
  func page(after name: String?, limit: Int) throws -> [User]
  /// The account that a provider's identity was linked to.
  func linked(to identity: ProviderIdentity) throws -> UserID?
}

package protocol UserWriting: UserReading {
  func put(_ user: User) throws
  func link(_ identity: ProviderIdentity, to user: UserID) throws
  /// Removes the account, and every identity that was linked to it.
  func remove(_ id: UserID) throws
}
