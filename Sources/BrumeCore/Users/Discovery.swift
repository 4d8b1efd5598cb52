// Accounts as others may see them, and finding them by address (users/caller, users/discover).

package import BrumeModel
import BrumeStorage

extension Engine {
  /// The caller's own identity.
  package func currentUser(as caller: Caller) async throws -> UserIdentity {
    if caller.kind == .serverKey {
      throw BrumeError(
        .authenticationFailed, "a server-to-server key has no user; sign in with a web auth token")
    }
    let id = try caller.requireUser()
    return try await store.read { transaction in
      try transaction.user(id)?.identity ?? UserIdentity(user: id)
    }
  }

  /// The accounts behind addresses or record names; who is not found is left out.
  package func discoverUsers(
    _ wanted: [UserIdentity], as caller: Caller
  ) async throws -> [UserIdentity] {
    _ = try caller.requireUser()
    try limits.checkCount(wanted.count)
    return try await store.read { transaction in
      try wanted.map { try transaction.completed($0) }.filter { $0.user != nil }
    }
  }
}

extension User {
  package var identity: UserIdentity {
    UserIdentity(
      user: id, givenName: givenName, familyName: familyName, emailAddress: emailAddress,
      phoneNumber: phoneNumber)
  }
}

extension ReadTransaction {
  /// An identity with the account it means, if this server has one. The address that it was looked
  /// up by stays; no other is told.
  func completed(_ wanted: UserIdentity) throws -> UserIdentity {
    var found: User?
    if let id = wanted.user {
      found = try user(id)
    } else if let address = wanted.emailAddress {
      found = try user(emailAddress: address)
    } else if let number = wanted.phoneNumber {
      found = try users().first { $0.phoneNumber == number }
    }
    guard let found else { return wanted }
    var identity = wanted
    identity.user = found.id
    identity.givenName = found.givenName
    identity.familyName = found.familyName
    return identity
  }
}
