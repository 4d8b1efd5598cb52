// The port's part for accounts, and the identities of providers that they were linked to.

package import BrumeModel

/// Every call throws what ``ReadTransaction`` says.
package protocol UserReading: AnyObject {
  /// The account with an ID; nil if there is none.
  func find(_ id: UserID) throws -> User?
  /// The account with exactly this name; nil if there is none.
  func find(named name: String) throws -> User?
  /// The account with an address as ``EmailAddress`` compares them. If several have it, the one that
  /// spells it so, or else the first in name order.
  func find(emailAddress: String) throws -> User?
  /// The account with exactly this number, the first in name order; nil if there is none.
  func find(phoneNumber: String) throws -> User?
  /// Accounts with a name after `name`, in name order, at most `limit`.
  func page(after name: String?, limit: Int) throws -> [User]
  /// How many accounts there are. Where counting would take long, above 100,000, it may be the engine's estimate.
  func count() throws -> Int
  /// The account that a provider's identity was linked to.
  func linked(to identity: ProviderIdentity) throws -> UserID?
}

extension UserReading {
  /// The account with an ID; nil also if it is damaged, for lists that it must not hold up.
  package func findWhole(_ id: UserID) throws -> User? {
    try BrumeError.unlessDamaged { try find(id) }
  }
}

/// Every call throws what ``WriteTransaction`` says; the write's scope has `server`.
package protocol UserWriting: UserReading {
  /// Inserts or replaces by ID.
  func put(_ user: User) throws
  /// Links a provider's identity to an account, instead of the one it was linked to.
  func link(_ identity: ProviderIdentity, to user: UserID) throws
  /// Removes the account, and every identity that was linked to it.
  func remove(_ id: UserID) throws
}
