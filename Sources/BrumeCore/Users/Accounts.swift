// The server's own accounts: making one, listing, signing in by password, signing out everywhere.

package import BrumeModel
import BrumeStorage

extension Engine {
  /// Makes an account. Names and addresses are unique on the server.
  package func createUser(
    name: String, password: String? = nil, emailAddress: String? = nil,
    phoneNumber: String? = nil, givenName: String? = nil, familyName: String? = nil
  ) async throws -> User {
    guard !name.isEmpty, name.utf8.count <= limits.nameLength,
      name.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f })
    else {
      throw BrumeError(
        .badRequest,
        "a user name has 1 to \(limits.nameLength) bytes without spaces and control characters")
    }
    let user = User(
      id: UserID("_" + Hex.text(host.randomBytes(16))), name: name,
      passwordHash: try password.map { try PasswordHash.make($0, salt: host.randomBytes(16)) },
      emailAddress: emailAddress, phoneNumber: phoneNumber, givenName: givenName,
      familyName: familyName)
    return try await store.write(in: nil) { transaction in
      if try transaction.user(named: name) != nil {
        throw BrumeError(.exists, "user '\(name)' exists already; choose another name")
      }
      if let emailAddress, try transaction.user(emailAddress: emailAddress) != nil {
        throw BrumeError(.exists, "another user has the address '\(emailAddress)'")
      }
      try transaction.put(user)
      return user
    }
  }

  /// All accounts in name order.
  package func users() async throws -> [User] {
    try await store.read { transaction in try transaction.users() }
  }

  /// The account of a name, or nil.
  package func user(named name: String) async throws -> User? {
    try await store.read { transaction in try transaction.user(named: name) }
  }

  /// Checks a name and password; one error for an unknown name and for a wrong password.
  package func signIn(name: String, password: String) async throws -> User {
    let user = try await user(named: name)
    // An unknown name takes as long as a known one.
    let hash =
      try user?.passwordHash ?? PasswordHash.make("", salt: [UInt8](repeating: 0, count: 16))
    let isRight = PasswordHash.verify(password, hash)
    guard let user, user.passwordHash != nil, isRight else {
      throw BrumeError(.authenticationFailed, "unknown user name or wrong password")
    }
    return user
  }

  /// Makes every web auth token of a user invalid.
  package func signOutEverywhere(_ id: UserID) async throws {
    try await store.write(in: nil) { transaction in
      guard var user = try transaction.user(id) else {
        throw BrumeError(.notFound, "there is no user '\(id)'")
      }
      user.tokenEpoch += 1
      try transaction.put(user)
    }
    knownCredentials.forget()
  }
}
