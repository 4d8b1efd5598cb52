// One function per endpoint of a database, with the same requests and answers as the server's
// engine. Each call is one HTTP request; splitting large batches is `BatchPlan`.

package import BrumeModel
import BrumeWire

package struct DatabaseCaller: Sendable {
  package let session: Session
  package let scope: DatabaseScope

  func path(_ action: String) throws(CallFailure) -> String {
    try "\(session.databasePath())/\(scope.rawValue)/\(action)"
  }
  private func read(_ action: String, _ body: [UInt8]? = nil) async throws -> JSON {
    let method = body == nil ? "GET" : "POST"
    return try await session.call(method, path(action), body: body ?? [], isRead: true)
  }
  private func write(
    _ action: String, _ body: [UInt8], isRepeatable: Bool = false
  ) async throws -> JSON {
    try await session.call(
      "POST", path(action), body: body, isRead: false, isRepeatable: isRepeatable)
  }

  // MARK: Records

  /// Saves and deletes. Gets an operation ID if it has none, so that it can be repeated when the
  /// answer is lost.
  package func modifyRecords(_ request: ModifyRecordsRequest) async throws -> [RecordResult] {
    var request = request
    request.operationID = request.operationID ?? session.host.uuid()
    return try Wire.recordResults(
      await write("records/modify", request.bytes(), isRepeatable: true))
  }

  package func lookupRecords(_ request: LookupRecordsRequest) async throws -> [RecordResult] {
    try Wire.recordResults(await read("records/lookup", request.bytes()))
  }

  package func query(_ request: QueryRequest) async throws -> QueryPage {
    try Wire.queryPage(await read("records/query", request.bytes()))
  }

  // MARK: Zones

  package func listZones() async throws -> [ZoneState] {
    try Wire.zoneResults(await read("zones/list")).map { result in
      switch result {
      case .success(let state): return state
      case .failure(let failure): throw failure.error
      }
    }
  }

  package func lookupZones(_ zones: [ZoneID]) async throws -> [ZoneResult] {
    try Wire.zoneResults(await read("zones/lookup", Wire.zoneLookup(zones)))
  }

  package func modifyZones(_ operations: [ZoneOperation]) async throws -> [ZoneResult] {
    try Wire.zoneResults(
      await write("zones/modify", Wire.zoneOperations(operations)))
  }

  // MARK: Changes

  package func databaseChanges(
    token: String?, limit: Int? = nil
  ) async throws -> DatabaseChangesPage {
    let request = FeedRequest(token: token, limit: limit)
    return try Wire.databaseChanges(
      await read("changes/database", request.bytes()))
  }

  package func zoneChanges(_ requests: [ZoneChangesRequest]) async throws -> [ZoneChangesResult] {
    try Wire.zoneChanges(
      await read("changes/zone", Wire.zoneChangesRequests(requests)))
  }

  // MARK: Subscriptions

  package func listSubscriptions() async throws -> [Subscription] {
    try Wire.subscriptionResults(await read("subscriptions/list"))
      .compactMap { result in
        if case .success(.saved(let subscription)) = result { subscription } else { nil }
      }
  }

  package func lookupSubscriptions(_ ids: [String]) async throws -> [SubscriptionResult] {
    try Wire.subscriptionResults(
      await read("subscriptions/lookup", Wire.subscriptionLookup(ids)))
  }

  package func modifySubscriptions(
    _ operations: [SubscriptionOperation]
  ) async throws -> [SubscriptionResult] {
    try Wire.subscriptionResults(
      await write("subscriptions/modify", Wire.subscriptionOperations(operations)))
  }
}
