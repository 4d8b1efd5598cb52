// The server's own accounts: making and changing them, listing, checking passwords, signing out
// everywhere.

package import BrumeModel
import BrumeStorage

/// The accounts of a server.
package struct Accounts: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host
  private let knownCredentials: KnownCredentials

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
    knownCredentials = parts.knownCredentials
  }

  /// Another process has changed accounts, credentials or roles: nothing that is remembered is certain.
  package func changedElsewhere() { knownCredentials.forget() }

  /// Makes an account. Names, addresses and numbers are unique on the server.
  ///
  /// - Throws: `badRequest` if a name, an address or the password cannot be; `exists` if the name, address or
  ///   number is another account's; `limitExceeded` if there are as many as may be.
  package func create(
    name: String, password: String? = nil, emailAddress: String? = nil,
    phoneNumber: String? = nil, givenName: String? = nil, familyName: String? = nil,
    isDiscoverable: Bool = true
  ) async throws -> User {
    try AccountRules.checkName(name, limits: limits)
    let user = User(
      id: UserID("_" + Hex.text(host.randomBytes(16))), name: name,
      passwordHash: try password.map { try hashed($0) }, emailAddress: emailAddress,
      phoneNumber: phoneNumber, givenName: givenName, familyName: familyName,
      isDiscoverable: isDiscoverable)
    try AccountRules.check(user, limits: limits)
    let limits = limits
    return try await store.write(in: .server) { transaction in
      if try transaction.users.find(named: name) != nil {
        throw BrumeError(.exists, "user '\(name)' exists already; choose another name")
      }
      try transaction.users.checkUnique(user)
      try transaction.users.add(user, limits: limits)
      return user
    }
  }

  /// What may be changed about an account; nil leaves a thing as it is, an empty text removes it.
  package struct Change: Sendable {
    /// In clear; only its hash is kept.
    package var password: String?
    package var emailAddress: String?
    package var phoneNumber: String?
    package var givenName: String?
    package var familyName: String?
    package var isDiscoverable: Bool?
    package init() {}
  }

  /// Changes an account. A new password ends all of its sessions.
  ///
  /// - Throws: `notFound`, `exists` for an address or number of another account, `badRequest` if a value
  ///   cannot be.
  package func change(_ id: UserID, _ change: Change) async throws -> User {
    let hash = try change.password.map { try hashed($0) }
    let (limits, now) = (limits, host.now())
    let scope = hash == nil ? WriteScope.server : .everything(of: store)
    let user = try await store.write(in: scope) { transaction -> User in
      guard var user = try transaction.users.find(id) else { throw User.missing(id) }
      user.apply(change, passwordHash: hash, at: now)
      try AccountRules.check(user, limits: limits)
      try transaction.users.checkUnique(user)
      try transaction.users.put(user)
      if hash != nil { try transaction.devices.forgetAddresses(of: id) }
      return user
    }
    knownCredentials.forget()
    return user
  }

  private func hashed(_ password: String) throws -> String {
    try AccountRules.hash(password, limits: limits, host: host)
  }

  /// Whether others may find the account by its address and learn its name.
  func setDiscoverable(_ id: UserID, _ isDiscoverable: Bool) async throws {
    var change = Change()
    change.isDiscoverable = isDiscoverable
    _ = try await self.change(id, change)
  }

  /// The account of a name, or nil.
  ///
  /// - Throws: what the store throws.
  package func user(named name: String) async throws -> User? {
    try await store.read { transaction in try transaction.users.find(named: name) }
  }

  /// What a name's password is checked against. The check itself costs 64 MB and a tenth of a second,
  /// so the caller decides where and how many at a time.
  ///
  /// - Throws: what the store throws. Whether there is such an account, the check says.
  package func passwordCheck(name: String) async throws -> PasswordCheck {
    PasswordCheck(user: try await user(named: name), rounds: limits.passwordRounds)
  }

  /// Whether a name and a password are short enough for anybody's, before they cost anything.
  ///
  /// - Throws: `badRequest` for one that is too long.
  package func checkLengths(name: String, password: String) throws(BrumeError) {
    try TextRules.check(name, "the name", upTo: limits.labelBytes)
    guard password.utf8.count <= limits.passwordBytes else {
      throw BrumeError(
        .badRequest,
        "the password has \(password.utf8.count) bytes; the maximum is \(limits.passwordBytes)")
    }
  }

  /// Makes every web auth token and courier token of a user invalid, and forgets where the user's
  /// devices are reached: from then on nothing is sent to them. What is open must be ended by whoever
  /// holds it.
  ///
  /// - Parameter waitsForSaves: whether nothing comes any more that a session had begun to save before. Everybody's saves
  ///   wait for that moment.
  /// - Throws: `notFound`.
  package func signOutEverywhere(_ id: UserID, waitsForSaves: Bool = false) async throws {
    let now = host.now()
    let scope =
      waitsForSaves
      ? WriteScope.everythingBetweenSaves(of: store) : .everything(of: store)
    try await store.write(in: scope) { transaction in
      guard try transaction.endSessions(of: id, at: now) else { throw User.missing(id) }
    }
    knownCredentials.forget()
  }
}

extension WriteTransaction {
  /// Answers whether there is such a user.
  @discardableResult
  func endSessions(of id: UserID, at now: Milliseconds) throws -> Bool {
    guard var user = try users.find(id) else { return false }
    user.raiseEpoch(at: now)
    try users.put(user)
    try devices.forgetAddresses(of: id)
    return true
  }
}

extension DeviceWriting {
  /// A device without an address is one that comes and fetches, which needs a session. Its mailbox stays
  /// within its bound, and the device gets it when it signs in and registers again.
  fileprivate func forgetAddresses(of user: UserID) throws {
    for device in try all(of: user) where device.channel != .stream {
      try put(Device(key: device.key, channel: .stream, registered: device.registered))
    }
  }
}

/// A password check in waiting.
package struct PasswordCheck: Sendable {
  private let user: User?
  private let rounds: Int

  fileprivate init(user: User?, rounds: Int) {
    self.user = user
    self.rounds = rounds
  }

  /// The account if the password is right. An unknown name and a wrong password cost the same time
  /// and say the same.
  ///
  /// - Throws: `authenticationFailed`.
  package func account(password: String) throws -> User {
    let hash = user?.passwordHash ?? PasswordHash.ofNobody(rounds: rounds)
    let isRight = PasswordHash.verify(password, hash)
    guard let user, user.passwordHash != nil, isRight else { throw Self.refused }
    return user
  }

  private static let refused = BrumeError(
    .authenticationFailed, "unknown user name or wrong password")
}

/// What an account may hold.
enum AccountRules {
  static func checkName(_ name: String, limits: Limits) throws(BrumeError) {
    try TextRules.check(name, "the user name", upTo: limits.labelBytes)
    guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: " ")) else {
      throw BrumeError(.badRequest, "a user name must not be empty and holds no spaces")
    }
  }

  static func checkPassword(_ password: String, limits: Limits) throws(BrumeError) {
    guard (8...limits.passwordBytes).contains(password.utf8.count) else {
      throw BrumeError(
        .badRequest, "a password has 8 to \(limits.passwordBytes) bytes; choose another")
    }
  }

  static func hash(_ password: String, limits: Limits, host: Host) throws -> String {
    try checkPassword(password, limits: limits)
    return try PasswordHash.make(
      password, salt: host.randomBytes(16), rounds: limits.passwordRounds)
  }

  static func check(_ user: User, limits: Limits) throws(BrumeError) {
    try NameRules.identity(user.identity, limits: limits)
    if let address = user.emailAddress, !address.contains("@") {
      throw BrumeError(
        .badRequest,
        "'\(address)' is no e-mail address such as ada@example.org")
    }
  }
}

extension User {
  static func missing(_ id: UserID) -> BrumeError {
    BrumeError(.notFound, "there is no user '\(id)'; `brume user list` shows them")
  }

  /// By the clock, because a restore takes back what was raised: no token of the lost time becomes good again.
  fileprivate mutating func raiseEpoch(at now: Milliseconds) {
    tokenEpoch = max(tokenEpoch + 1, now)
  }

  fileprivate mutating func apply(
    _ change: Accounts.Change, passwordHash hash: String?, at now: Milliseconds
  ) {
    func changed(_ old: String?, _ new: String?) -> String? {
      guard let new else { return old }
      return new.isEmpty ? nil : new
    }
    emailAddress = changed(emailAddress, change.emailAddress)
    phoneNumber = changed(phoneNumber, change.phoneNumber)
    givenName = changed(givenName, change.givenName)
    familyName = changed(familyName, change.familyName)
    isDiscoverable = change.isDiscoverable ?? isDiscoverable
    if let hash {
      passwordHash = hash
      raiseEpoch(at: now)
    }
  }
}

extension UserWriting {
  /// Puts an account that was not there before.
  ///
  /// - Throws: `limitExceeded` if there are as many as may be.
  func add(_ user: User, limits: Limits) throws {
    try CountRules.room(
      for: "accounts", beside: count(), upTo: limits.accounts,
      next: "an operator removes one with `brume user delete NAME`")
    try put(user)
  }
}

extension UserReading {
  fileprivate func checkUnique(_ user: User) throws {
    if let address = user.emailAddress, let other = try find(emailAddress: address),
      other.id != user.id
    {
      throw BrumeError(
        .exists,
        "another user has the address '\(address)'; take it from that account first")
    }
    if let number = user.phoneNumber, let other = try find(phoneNumber: number),
      other.id != user.id
    {
      throw BrumeError(
        .exists,
        "another user has the number '\(number)'; take it from that account first")
    }
  }
}
