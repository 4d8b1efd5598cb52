// The calls of the rules, as every server makes them that has no faults.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeWire

/// The rules themselves.
struct EngineCalls: RuleCalls {
  let engine: Engine

  func authenticate(_ credentials: Credentials) async throws -> Caller {
    try await engine.authentication.authenticate(credentials)
  }

  func use(_ request: SignedRequest) async throws {
    try await engine.authentication.use(request)
  }

  func modifyRecords(
    _ request: ModifyRecordsRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> [RecordResult] {
    try await engine.records.modify(request, in: scope, as: caller)
  }

  func lookupRecords(
    _ request: LookupRecordsRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> [RecordResult] {
    try await engine.records.lookup(request, in: scope, as: caller)
  }

  func query(
    _ request: QueryRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> QueryPage {
    try await engine.queries.run(request, in: scope, as: caller)
  }

  func listZones(in scope: DatabaseScope, as caller: Caller) async throws -> [ZoneState] {
    try await engine.zones.list(in: scope, as: caller)
  }

  func lookupZones(
    _ zones: [ZoneID], in scope: DatabaseScope, as caller: Caller
  ) async throws -> [ZoneResult] {
    try await engine.zones.lookup(zones, in: scope, as: caller)
  }

  func modifyZones(
    _ request: ModifyZonesRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> [ZoneResult] {
    try await engine.zones.modify(
      request.operations, operationID: request.operationID, in: scope, as: caller)
  }

  func databaseChanges(
    _ request: FeedRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> DatabaseChangesPage {
    try await engine.changes.ofDatabase(
      since: request.token, limit: request.limit, in: scope, as: caller)
  }

  func zoneChanges(
    _ requests: [ZoneChangesRequest], in scope: DatabaseScope, as caller: Caller
  ) async throws -> [ZoneChangesResult] {
    try await engine.changes.ofZones(requests, in: scope, as: caller)
  }

  func listSubscriptions(
    in scope: DatabaseScope, as caller: Caller
  ) async throws -> [Subscription] {
    try await engine.subscriptions.list(in: scope, as: caller)
  }

  func lookupSubscriptions(
    _ ids: [String], in scope: DatabaseScope, as caller: Caller
  ) async throws -> [SubscriptionResult] {
    try await engine.subscriptions.lookup(ids, in: scope, as: caller)
  }

  func modifySubscriptions(
    _ request: ModifySubscriptionsRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> [SubscriptionResult] {
    try await engine.subscriptions.modify(
      request.operations, operationID: request.operationID, in: scope, as: caller)
  }

  func resolveShares(
    _ requests: [ShortGUIDRequest], as caller: Caller
  ) async throws -> [ShareResult] {
    try await engine.shares.resolve(requests, as: caller)
  }

  func acceptShares(
    _ requests: [ShortGUIDRequest], as caller: Caller
  ) async throws -> [ShareResult] {
    try await engine.shares.accept(requests, as: caller)
  }

  func uploadTickets(
    _ request: AssetUploadRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> [AssetUploadTicket] {
    try await engine.uploadTickets.issue(request, in: scope, as: caller)
  }

  func openAsset(
    _ token: String, as caller: Caller
  ) async throws -> (file: AssetFile, lifetime: Milliseconds) {
    try await engine.assetDownloads.open(token)
  }

  func currentUser(as caller: Caller) async throws -> UserIdentity {
    try await engine.discovery.currentUser(as: caller)
  }

  func users(_ wanted: [UserIdentity], as caller: Caller) async throws -> [UserIdentity] {
    try await engine.discovery.users(wanted, as: caller)
  }

  func contacts(as caller: Caller) async throws -> [UserIdentity] {
    try await engine.discovery.contacts(as: caller)
  }

  func registerDevice(as caller: Caller) async throws -> DeviceKey {
    try await engine.devices.register(as: caller)
  }
}
