// The calls of the rules with the faults that they meet on the way: what a development server has in the
// place of `EngineCalls`. While nobody asked for a fault, each is one call of the rules.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeWire

struct FaultyCalls: RuleCalls {
  /// Where what passes the faults goes.
  let rules: any RuleCalls
  /// For what faults do themselves: saves of others, zones that go.
  let records: Records
  let removal: ZoneRemoval
  let injector: FaultInjector

  /// A call whose items have no failures of their own.
  private func whole<Answer: Sendable>(
    _ operation: Fault.Operation, zone: ZoneID? = nil, token: String? = nil,
    in scope: DatabaseScope? = nil, as caller: Caller, _ run: () async throws -> Answer
  ) async throws -> Answer {
    let item = FaultPlan.Call.Item(
      operation, zone: zone?.name, token: token, owner: zone?.ownerName)
    let answers = try await carryOut(
      FaultyCall(items: [item], describe: { $0 }, fail: { _, error in throw error }), in: scope,
      as: caller
    ) { _ in [try await run()] }
    guard let answer = answers.first else { throw BrokenConnection(ckError: 1, retryAfter: nil) }
    return answer
  }

  func authenticate(_ credentials: Credentials) async throws -> Caller {
    injector.account(of: try await rules.authenticate(credentials))
  }

  func use(_ request: SignedRequest) async throws { try await rules.use(request) }

  func query(
    _ request: QueryRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> QueryPage {
    try await whole(.query, zone: request.zone, in: scope, as: caller) {
      try await rules.query(request, in: scope, as: caller)
    }
  }

  func listZones(in scope: DatabaseScope, as caller: Caller) async throws -> [ZoneState] {
    try await whole(.fetchZones, in: scope, as: caller) {
      try await rules.listZones(in: scope, as: caller)
    }
  }

  func databaseChanges(
    _ request: FeedRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> DatabaseChangesPage {
    try await whole(.fetchDatabaseChanges, token: request.token, in: scope, as: caller) {
      try await rules.databaseChanges(request, in: scope, as: caller)
    }
  }

  func listSubscriptions(
    in scope: DatabaseScope, as caller: Caller
  ) async throws -> [Subscription] {
    try await whole(.fetchSubscriptions, in: scope, as: caller) {
      try await rules.listSubscriptions(in: scope, as: caller)
    }
  }

  func lookupSubscriptions(
    _ ids: [String], in scope: DatabaseScope, as caller: Caller
  ) async throws -> [SubscriptionResult] {
    try await whole(.fetchSubscriptions, in: scope, as: caller) {
      try await rules.lookupSubscriptions(ids, in: scope, as: caller)
    }
  }

  func resolveShares(
    _ requests: [ShortGUIDRequest], as caller: Caller
  ) async throws -> [ShareResult] {
    try await whole(.sharing, as: caller) {
      try await rules.resolveShares(requests, as: caller)
    }
  }

  func acceptShares(
    _ requests: [ShortGUIDRequest], as caller: Caller
  ) async throws -> [ShareResult] {
    try await whole(.sharing, as: caller) {
      try await rules.acceptShares(requests, as: caller)
    }
  }

  func uploadTickets(
    _ request: AssetUploadRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> [AssetUploadTicket] {
    try await whole(.uploadAssets, zone: request.zone, in: scope, as: caller) {
      try await rules.uploadTickets(request, in: scope, as: caller)
    }
  }

  func openAsset(
    _ token: String, as caller: Caller
  ) async throws -> (file: AssetFile, lifetime: Milliseconds) {
    try await whole(.fetchAssets, as: caller) {
      try await rules.openAsset(token, as: caller)
    }
  }

  func currentUser(as caller: Caller) async throws -> UserIdentity {
    try await whole(.account, as: caller) { try await rules.currentUser(as: caller) }
  }

  func users(_ wanted: [UserIdentity], as caller: Caller) async throws -> [UserIdentity] {
    try await whole(.users, as: caller) { try await rules.users(wanted, as: caller) }
  }

  func contacts(as caller: Caller) async throws -> [UserIdentity] {
    try await whole(.users, as: caller) { try await rules.contacts(as: caller) }
  }

  func registerDevice(as caller: Caller) async throws -> DeviceKey {
    try await whole(.devices, as: caller) { try await rules.registerDevice(as: caller) }
  }
}
