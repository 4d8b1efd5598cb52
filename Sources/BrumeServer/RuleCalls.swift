// The calls of the rules that apps can see fail. Handlers make them through this protocol, so that a
// development server can put `FaultyCalls` before the rules; every other server has `EngineCalls` alone.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeWire

/// What the rules answer to apps. An item that fails is a result; what a call throws as a whole is said at the rule
/// that `EngineCalls` calls.
protocol RuleCalls: Sendable {
  /// The caller behind a request.
  ///
  /// - Throws: `authenticationFailed`, `authenticationRequired`, `badContainer`.
  func authenticate(_ credentials: Credentials) async throws -> Caller
  /// Notes that a signed request was used, before it acts.
  ///
  /// - Throws: `authenticationFailed` if it was used before, `throttled`.
  func use(_ request: SignedRequest) async throws
  /// Saves and deletes records: one result per operation, in order.
  func modifyRecords(
    _ request: ModifyRecordsRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> [RecordResult]
  /// Records by name: one result per item, in order.
  func lookupRecords(
    _ request: LookupRecordsRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> [RecordResult]
  /// One page of a query, with the marker of the next.
  func query(
    _ request: QueryRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> QueryPage
  /// All zones of the database that the caller sees.
  func listZones(in scope: DatabaseScope, as caller: Caller) async throws -> [ZoneState]
  /// Zones by name: one result per name, in order.
  func lookupZones(
    _ zones: [ZoneID], in scope: DatabaseScope, as caller: Caller
  ) async throws -> [ZoneResult]
  /// Creates, deletes and leaves zones: one result per operation, in order.
  func modifyZones(
    _ request: ModifyZonesRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> [ZoneResult]
  /// One page of the zones that changed since a token, each once.
  func databaseChanges(
    _ request: FeedRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> DatabaseChangesPage
  /// One page of the changes of each zone: one result per zone, in order.
  func zoneChanges(
    _ requests: [ZoneChangesRequest], in scope: DatabaseScope, as caller: Caller
  ) async throws -> [ZoneChangesResult]
  /// The caller's subscriptions in the database, in ID order.
  func listSubscriptions(
    in scope: DatabaseScope, as caller: Caller
  ) async throws -> [Subscription]
  /// Subscriptions by ID: one result per ID, in order.
  func lookupSubscriptions(
    _ ids: [String], in scope: DatabaseScope, as caller: Caller
  ) async throws -> [SubscriptionResult]
  /// Saves and deletes subscriptions: one result per operation, in order.
  func modifySubscriptions(
    _ request: ModifySubscriptionsRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> [SubscriptionResult]
  /// What the caller may know of shares: one result per address, in order.
  func resolveShares(
    _ requests: [ShortGUIDRequest], as caller: Caller
  ) async throws -> [ShareResult]
  /// Lets the caller take part in shares: one result per address, in order.
  func acceptShares(
    _ requests: [ShortGUIDRequest], as caller: Caller
  ) async throws -> [ShareResult]
  /// A ticket for each file that is going to be uploaded, in order.
  func uploadTickets(
    _ request: AssetUploadRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> [AssetUploadTicket]
  /// The file behind a download address, and for how many milliseconds the address is still good.
  ///
  /// - Throws: `accessDenied`, `assetNotAvailable`.
  func openAsset(
    _ token: String, as caller: Caller
  ) async throws -> (file: AssetFile, lifetime: Milliseconds)
  /// The caller's own identity, without names if it is hidden.
  func currentUser(as caller: Caller) async throws -> UserIdentity
  /// The accounts behind addresses, numbers or record names; who is not found is left out.
  func users(_ wanted: [UserIdentity], as caller: Caller) async throws -> [UserIdentity]
  /// The accounts that the caller has to do with.
  func contacts(as caller: Caller) async throws -> [UserIdentity]
  /// Makes the caller's device one that gets pushes on a stream.
  func registerDevice(as caller: Caller) async throws -> DeviceKey
}
