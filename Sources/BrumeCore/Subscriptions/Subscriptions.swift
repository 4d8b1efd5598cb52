// subscriptions/list, lookup and modify: the caller's own, in one database (case SUB-11).

package import BrumeModel
import BrumeStorage

/// The subscriptions of callers.
package struct Subscriptions: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host
  private let schemas: SchemaCache
  private let removals: DeviceRemovals
  private let signatures = KnownSignatures()

  init(_ parts: EngineParts) {
    removals = parts.deviceRemovals
    store = parts.store
    limits = parts.limits
    host = parts.host
    schemas = parts.schemas
  }

  /// All subscriptions of the caller in a database, in ID order.
  ///
  /// - Throws: as `Caller.requireAccess`; `authenticationRequired` without a user.
  package func list(
    in scope: DatabaseScope, as caller: Caller
  ) async throws -> [Subscription] {
    let place = try caller.subscriptionScope(scope)
    return try await store.read { try $0.subscriptions.all(in: place).map(\.subscription) }
  }

  /// Subscriptions by ID. One result per ID, in order.
  ///
  /// - Throws: `limitExceeded` for too many IDs.
  package func lookup(
    _ ids: [String], in scope: DatabaseScope, as caller: Caller
  ) async throws -> [SubscriptionResult] {
    let place = try caller.subscriptionScope(scope)
    try limits.checkCount(ids.count, of: "subscriptions")
    return try await store.read { transaction in
      try ids.map { id in
        if let known = try transaction.subscriptions.find(id, in: place) {
          return .success(.saved(known.subscription))
        }
        return .failure(ItemFailure(id, Subscription.missing(id)))
      }
    }
  }

  /// Saves and deletes subscriptions of the caller. One result per operation, in order.
  ///
  /// - Parameter operationID: the caller's name for the request. A repetition is answered from what the first try did, and
  ///   takes back nothing that was done since (case SUB-28).
  /// - Throws: `limitExceeded` for too many operations.
  package func modify(
    _ operations: [SubscriptionOperation], operationID: String? = nil, in scope: DatabaseScope,
    as caller: Caller
  ) async throws -> [SubscriptionResult] {
    let place = try caller.subscriptionScope(scope)
    try limits.checkCount(operations.count, of: "subscriptions")
    let named = operations.map { $0.named(by: host) }
    let device = try caller.deviceKey().map {
      Device(key: $0, channel: .stream, registered: host.now())
    }
    let change = SubscriptionChange(
      place: place, caller: caller, origin: caller.origin(at: host.now()), limits: limits,
      schemas: schemas, signatures: signatures)
    let memory = SubscriptionOperationMemory(
      operationID, of: operations, in: place, as: caller, limits)
    let (results, gone) = try await store.write(
      for: caller,
      in: .database(place.logDatabase)
        .and(.account(place.user, place.containerEnvironment)).asked(by: place.user),
      reading: memory?.reads ?? ReadPlan.none
    ) { transaction -> ([SubscriptionResult], [DeviceKey]) in
      let now = change.origin.time
      if let known = try memory?.recall(in: transaction, now: now) { return (known, []) }
      var own: OwnSubscriptions?
      let results = try named.map { try change.perform($0, &own, in: transaction) }
      try memory?.keep(results, in: transaction, now: now)
      guard results.contains(where: \.isSave), let device else { return (results, []) }
      return (results, try transaction.devices.register(device, limits: change.limits))
    }
    removals.note(gone)
    return results
  }
}
