// Accounts as others may see them, and finding them by address (users/caller, users/discover). Who did
// not agree to be found is not found, and cannot be distinguished from somebody who does not exist.

package import BrumeModel
import BrumeStorage

/// Finding accounts.
package struct Discovery: Sendable {
  private let store: any Store
  private let limits: Limits

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
  }

  /// The caller's own identity; with names only if they agreed to be discoverable (docs/sign-in.md).
  ///
  /// A server-to-server key gets its own user: web clients begin with this call, and give up where
  /// it fails.
  ///
  /// - Throws: `authenticationRequired`.
  package func currentUser(as caller: Caller) async throws -> UserIdentity {
    let id = try caller.requireUser()
    return try await store.read { transaction in
      guard let user = try transaction.users.find(id), user.isDiscoverable else {
        var hidden = UserIdentity(user: id)
        hidden.isHidden = true
        return hidden
      }
      return user.identity
    }
  }

  /// The accounts behind addresses, numbers or record names, in the order asked; who is not found is
  /// left out. Each has the one address that it was looked up by.
  ///
  /// - Throws: `authenticationFailed` for a server-to-server key, `authenticationRequired`, `limitExceeded`
  ///   for too many, `badRequest` for what cannot be an address or a name.
  package func users(
    _ wanted: [UserIdentity], as caller: Caller
  ) async throws -> [UserIdentity] {
    let me = try caller.requireSignedIn()
    try limits.checkCount(wanted.count, of: "users")
    for wanted in wanted { try NameRules.identity(wanted, limits: limits) }
    return try await store.read { transaction in
      try wanted.compactMap { wanted in
        guard let user = try transaction.users.account(of: wanted),
          user.isDiscoverable || user.id == me
        else { return nil }
        return user.identity(foundBy: wanted)
      }
    }
  }

  /// Discoverable users that the caller has to do with: those who share with them, and those they share
  /// with. There is no address book here (case LIM-13).
  ///
  /// - Throws: `authenticationFailed` for a server-to-server key, `authenticationRequired`.
  package func contacts(as caller: Caller) async throws -> [UserIdentity] {
    let me = try caller.requireSignedIn()
    let own = try caller.databaseKey(.private)
    let maximum = limits.recordsPerResponse
    return try await store.read { transaction in
      var contacts = Set(
        try transaction.shares.memberships(
          of: me, in: own.containerEnvironment
        ).compactMap(\.share.zone.database.owner))
      for zone in try transaction.zones.all(in: own) where zone.hasShares {
        contacts.formUnion(try transaction.shares.memberships(in: zone.key).map(\.user))
      }
      contacts.remove(me)
      let users = try contacts.sorted { $0.name < $1.name }.compactMap {
        try transaction.users.find($0)
      }
      return users.filter(\.isDiscoverable).prefix(maximum).map { $0.identity(foundBy: nil) }
    }
  }
}

extension Caller {
  /// The user of a web auth token; server keys find nobody.
  fileprivate func requireSignedIn() throws(BrumeError) -> UserID {
    if kind == .serverKey {
      throw BrumeError(
        .authenticationFailed,
        "a server-to-server key cannot look for users; sign in with a web auth token")
    }
    return try requireUser()
  }
}

extension User {
  /// The account with all that it has, whether or not others may see it.
  package var identity: UserIdentity {
    UserIdentity(
      user: id, givenName: givenName, familyName: familyName, emailAddress: emailAddress,
      phoneNumber: phoneNumber)
  }

  /// The identity with the address that somebody knew already, and no other.
  fileprivate func identity(foundBy wanted: UserIdentity?) -> UserIdentity {
    UserIdentity(
      user: id, givenName: givenName, familyName: familyName, emailAddress: wanted?.emailAddress,
      phoneNumber: wanted?.phoneNumber)
  }
}

extension UserReading {
  fileprivate func account(of wanted: UserIdentity) throws -> User? {
    if let id = wanted.user { return try find(id) }
    if let address = wanted.emailAddress { return try find(emailAddress: address) }
    if let number = wanted.phoneNumber { return try find(phoneNumber: number) }
    return nil
  }

  /// An identity with the account it means, if this server has one that may be found. The address that it was looked
  /// up by stays; no other is returned. Whoever is not to be found is known when they accept.
  func completed(_ wanted: UserIdentity) throws -> UserIdentity {
    guard let found = try account(of: wanted), found.isDiscoverable else { return wanted }
    var identity = wanted
    identity.user = found.id
    identity.givenName = found.givenName
    identity.familyName = found.familyName
    return identity
  }
}
