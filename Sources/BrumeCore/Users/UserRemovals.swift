// A removal deletes a user with everything they own. What others see of it goes as the user's own requests would make
// it go: shared zones are deleted, joined shares are left. Public records stay: they are everybody's.
//
// The account goes last, in one transaction with what came in meanwhile, so that a removal that was cut short
// can be done again. Ending open requests is for whoever holds them.

package import BrumeModel
import BrumeStorage

/// Deletes users, and says before what that takes away.
package struct UserRemovals: Sendable {
  private let store: any Store
  private let accounts: Accounts
  private let zones: Zones
  private let emptying: ZoneEmptying
  private let limits: Limits
  private let host: Host
  private let knownCredentials: KnownCredentials

  init(_ parts: EngineParts) {
    store = parts.store
    accounts = Accounts(parts)
    zones = Zones(parts)
    emptying = ZoneEmptying(parts)
    limits = parts.limits
    host = parts.host
    knownCredentials = parts.knownCredentials
  }

  /// What a removal would take away now.
  ///
  /// - Throws: `notFound`.
  package func report(on name: String) async throws -> UserRemoval {
    try await store.read { try $0.removal(of: try $0.users.account(named: name)) }
  }

  /// Deletes the user. Answers what was there before.
  ///
  /// - Parameter signedOut: is called when the user's sessions have ended, before all else, which takes long and may
  ///   fail: for whoever holds open requests.
  /// - Throws: `badRequest` for the user that a server-to-server key acts as.
  package func remove(
    _ name: String, signedOut: (UserID) -> Void = { _ in }
  ) async throws -> UserRemoval {
    var removal = try await report(on: name)
    try await refuseKey(of: removal)
    // What the user joins or makes after the next lines have looked would stay.
    try await accounts.signOutEverywhere(removal.user, waitsForSaves: true)
    signedOut(removal.user)
    for place in try await report(on: name).places {
      try await leaveShares(removal.user, place.containerEnvironment)
    }
    try await removeZones(of: removal.user)
    let (user, slots) = (removal.user, limits.rememberedOperations)
    let origin = host.origin()
    // A user who has signed in again meanwhile may save something.
    let scope = WriteScope.everythingBetweenSaves(of: store)
    let left = try await store.write(in: scope) { transaction in
      let remover = AccountRemover(transaction, user, origin)
      let left = try remover.removeZones()
      for containerEnvironment in try transaction.containerEnvironments() {
        try remover.removeAll(in: containerEnvironment)
      }
      try remover.forgetSettings(operationSlots: slots)
      try transaction.users.remove(user)
      return left
    }
    knownCredentials.forget()
    try await emptying.finish(left)
    removal.isDone = true
    return removal
  }

  private func refuseKey(of removal: UserRemoval) async throws {
    let keys = try await store.read { try $0.credentials.serverKeys() }
    guard let key = keys.first(where: { $0.user == removal.user }) else { return }
    throw BrumeError(
      .badRequest,
      "'\(removal.name)' is who the server-to-server key '\(key.name)' acts as; revoke that first with "
        + "`brume key revoke \(key.id)`")
  }

  /// As the user would: the owner's zone and the other participants are as after any leaving. Shares that show the user
  /// nothing are left too.
  private func leaveShares(_ user: UserID, _ containerEnvironment: ContainerEnvironment)
    async throws
  {
    let caller = Caller(
      in: containerEnvironment, user: user, device: nil, kind: .user, requestID: host.uuid())
    let joined = try await store.read { transaction in
      var seen: Set<ZoneKey> = []
      let zones = try transaction.shares.memberships(of: user, in: containerEnvironment)
        .map(\.share.zone).filter { seen.insert($0).inserted }
      return try zones.filter { try transaction.zones.find($0)?.isLive ?? false }.map(\.id)
    }
    for some in joined.pieces(of: limits.operationsPerRequest) {
      let results = try await zones.modify(
        some.map { ZoneOperation(.delete, $0) }, in: .shared, as: caller)
      for case .failure(let failure) in results { throw failure.error }
    }
  }

  /// Zone by zone, so that others wait for one at a time.
  private func removeZones(of user: UserID) async throws {
    let origin = host.origin()
    for database in try await store.read({ try $0.zones.databases(of: user) }) {
      for zone in try await store.read({ try $0.zones.all(in: database) }) {
        let left = try await store.write(in: .database(database)) { transaction in
          try AccountRemover(transaction, user, origin).remove(zone.key)
        }
        try await emptying.finish(left)
      }
    }
    // Also of zones that the user deleted just before.
    try await emptying.sweep(of: user)
  }
}

extension ReadTransaction {
  fileprivate func removal(of user: User) throws -> UserRemoval {
    let places = try containerEnvironments().map { try place($0, of: user.id) }
    let empty = UserRemoval.Place.init
    return UserRemoval(
      user.id, named: user.name, places.filter { $0 != empty($0.containerEnvironment) },
      isDone: false)
  }

  private func place(
    _ containerEnvironment: ContainerEnvironment, of user: UserID
  ) throws -> UserRemoval.Place {
    var place = UserRemoval.Place(containerEnvironment)
    let database = DatabaseKey(in: containerEnvironment, owner: user)
    let own = try zones.all(in: database)
    place.zones = own.count
    let members = try own.flatMap { try shares.memberships(in: $0.key) }
    place.participants = Set(members.map(\.user)).count
    place.joinedShares = try shares.memberships(of: user, in: containerEnvironment).count
    for scope in DatabaseScope.allCases {
      place.subscriptions += try subscriptions.all(
        in: SubscriptionScope(in: containerEnvironment, scope: scope, user: user)
      ).count
    }
    let devices = try devices.all(of: user, in: containerEnvironment)
    place.devices = devices.count
    place.waiting = try devices.reduce(0) { $0 + (try mailboxes.count(of: $1.key)) }
    place.roles = try roles.names(of: user, in: containerEnvironment).count
    return place
  }
}
