// One function per endpoint of a database, with the same requests and answers as the server's
// engine. Each call is one HTTP request.

package import BrumeModel
import BrumeWire

/// The calls of one database. What they throw is said at `Session`.
package struct DatabaseCaller: Sendable {
  package let session: Session
  package let scope: DatabaseScope

  func path(_ action: String) throws(CallFailure) -> String {
    try "\(session.databasePath())/\(scope.rawValue)/\(action)"
  }
  private func read<Answer>(
    _ action: String, _ body: [UInt8]? = nil, as parse: (JSON) throws(BrumeError) -> Answer
  ) async throws -> Answer {
    try await session.call(
      body == nil ? "GET" : "POST", path(action), body: body ?? [], isRead: true, as: parse)
  }
  /// A request with a name, which may be sent again.
  private func write<Answer>(
    _ action: String, _ body: [UInt8], as parse: (JSON) throws(BrumeError) -> Answer
  ) async throws -> Answer {
    try await session.call(
      "POST", path(action), body: body, isRead: false, isRepeatable: true, as: parse)
  }

  // MARK: Records

  /// Saves and deletes. It gets an operation ID if it has none, so that it can be repeated when the
  /// answer is lost.
  ///
  /// One result per operation, in order.
  package func modifyRecords(_ request: ModifyRecordsRequest) async throws -> [RecordResult] {
    let request = request.named(session.host.uuid())
    let results = try await write("records/modify", request.bytes(), as: Wire.recordResults)
    return try await withSaved(results, desiredKeys: request.desiredKeys)
  }

  /// A save that is repeated is answered with as many records as fit. The others were saved too: they are fetched, and get
  /// the tags of their saves, so that what others have saved since is a conflict and is not saved over.
  private func withSaved(
    _ results: [RecordResult], desiredKeys: [String]?
  ) async throws -> [RecordResult] {
    var results = results
    let saved = results.indices.filter { results[$0].savedAlready != nil }
    for some in saved.pieces(of: Limits.apple.operationsPerRequest) {
      let items = some.compactMap { results[$0].savedAlready }.map {
        LookupRecordsRequest.Item(name: $0.name, zone: $0.zone)
      }
      let found = try await lookupRecords(.init(items: items, desiredKeys: desiredKeys))
      guard found.count == some.count else { return results }
      for (index, result) in zip(some, found) {
        results[index] = try result.tagged(as: results[index].savedAlready)
      }
    }
    return results
  }

  /// Fetches records by name. Those that did not fit into an answer are asked for again.
  ///
  /// One result per item, in order.
  package func lookupRecords(_ request: LookupRecordsRequest) async throws -> [RecordResult] {
    try await askAgain(for: request.items) { items in
      let part = LookupRecordsRequest(
        zone: request.zone, items: items, desiredKeys: request.desiredKeys)
      return try await read("records/lookup", part.bytes(), as: Wire.recordResults)
    }
  }

  /// One page of a query.
  package func query(_ request: QueryRequest) async throws -> QueryPage {
    try await read("records/query", request.bytes(), as: Wire.queryPage)
  }

  // MARK: Zones

  /// All zones of the database, the default zone first.
  package func listZones() async throws -> [ZoneState] {
    try await read("zones/list", as: Wire.zoneResults).map { result in
      switch result {
      case .success(let state): return state
      case .failure(let failure): throw failure.error
      }
    }
  }

  /// Zones by name: one result per name, in order.
  package func lookupZones(_ zones: [ZoneID]) async throws -> [ZoneResult] {
    try await read("zones/lookup", Wire.zoneLookup(zones), as: Wire.zoneResults)
  }

  /// Creates and deletes zones: one result per operation, in order. The request gets an operation ID if it has none.
  package func modifyZones(_ request: ModifyZonesRequest) async throws -> [ZoneResult] {
    try await write(
      "zones/modify", request.named(session.host.uuid()).bytes(), as: Wire.zoneResults)
  }

  // MARK: Changes

  /// One page of the zones that changed since a token; nil: of all.
  package func databaseChanges(
    token: String?, limit: Int? = nil
  ) async throws -> DatabaseChangesPage {
    let request = FeedRequest(token: token, limit: limit)
    return try await read("changes/database", request.bytes(), as: Wire.databaseChanges)
  }

  /// One page of the changes of each zone: one result per zone, in order.
  package func zoneChanges(_ requests: [ZoneChangesRequest]) async throws -> [ZoneChangesResult] {
    try await read("changes/zone", Wire.zoneChangesRequests(requests), as: Wire.zoneChanges)
  }

  // MARK: Subscriptions

  /// The user's subscriptions in the database.
  package func listSubscriptions() async throws -> [Subscription] {
    try await read("subscriptions/list", as: Wire.subscriptionResults)
      .compactMap { result in
        if case .success(.saved(let subscription)) = result { subscription } else { nil }
      }
  }

  /// Subscriptions by ID: one result per ID, in order.
  package func lookupSubscriptions(_ ids: [String]) async throws -> [SubscriptionResult] {
    try await read(
      "subscriptions/lookup", Wire.subscriptionLookup(ids), as: Wire.subscriptionResults)
  }

  /// Saves and deletes subscriptions: one result per operation, in order. The request gets an operation ID if it has none.
  package func modifySubscriptions(
    _ request: ModifySubscriptionsRequest
  ) async throws -> [SubscriptionResult] {
    try await write(
      "subscriptions/modify", request.named(session.host.uuid()).bytes(),
      as: Wire.subscriptionResults)
  }
}

extension RecordResult {
  /// The record without its content, if the server says that it was saved but that the answer had no room for it.
  fileprivate var savedAlready: Record? {
    guard case .failure(let failure) = self, failure.error.code == .limitExceeded
    else { return nil }
    return failure.error.serverRecord
  }

  /// The same under the tag of another answer.
  fileprivate func tagged(as saved: Record?) throws -> RecordResult {
    guard case .success(.saved(let stored)) = self, let saved else { return self }
    var record = try stored.record()
    record.changeTag = saved.changeTag
    return .success(
      .saved(
        StoredRecord(
          name: stored.name, type: stored.type, sequence: stored.sequence, content: .value(record)))
    )
  }
}
