// subscriptions/modify: saving and deleting, each item by itself.
//
// A save is active when it returns. Each change is put into the log, where the notifier follows it in
// order with the records; a subscription's start position is its position there. Saving the same again changes
// nothing; new conditions under an old ID get a new start position, so that earlier changes do not match.

import BrumeModel
import BrumeSchema
import BrumeStorage

/// One request's changes.
struct SubscriptionChange: Sendable {
  let place: SubscriptionScope
  let caller: Caller
  let origin: Origin
  let limits: Limits
  let schemas: SchemaCache
  let signatures: KnownSignatures

  /// A broken rule fails the item; a broken store fails the request.
  ///
  /// - Parameter own: what the user has, as soon as somebody had to know.
  func perform(
    _ operation: SubscriptionOperation, _ own: inout OwnSubscriptions?,
    in transaction: any WriteTransaction
  ) throws -> SubscriptionResult {
    do {
      switch operation {
      case .save(let subscription):
        return .success(.saved(try save(subscription, &own, in: transaction)))
      case .update(let subscription):
        guard try transaction.subscriptions.find(subscription.id, in: place) != nil else {
          throw Subscription.missing(subscription.id)
        }
        return .success(.saved(try save(subscription, &own, in: transaction)))
      case .delete(let id):
        try delete(id, &own, in: transaction)
        return .success(.deleted(id: id))
      }
    } catch let error as BrumeError {
      return .failure(ItemFailure(operation.id, error))
    }
  }

  private func save(
    _ wanted: Subscription, _ own: inout OwnSubscriptions?, in transaction: any WriteTransaction
  ) throws -> Subscription {
    let checked = try checked(wanted, in: transaction)
    try admit(checked.kind, in: transaction)
    let known = try transaction.subscriptions.find(checked.id, in: place)
    // An app saves its subscriptions at each launch; nothing changes then (case SUB-03).
    if let known, known.subscription == checked { return checked }
    var others = try own ?? OwnSubscriptions(in: place, signatures, from: transaction)
    own = nil  // so that changing it copies nothing
    defer { own = others }
    try check(checked, isNew: known == nil, among: others)
    let position = try append(checked.id, in: transaction)
    let starts =
      place.scope == .shared
      ? try transaction.log.lastPositions()
      : LogPositions(position, in: transaction.log.bucket(of: place.logDatabase))
    let isSameWatch = others.isSameWatch(checked)
    // Only another text: what was saved before still counts, and is delivered with the new text.
    try transaction.subscriptions.put(
      StoredSubscription(
        scope: place, subscription: checked, starts: isSameWatch ? known?.starts ?? starts : starts)
    )
    others.saved(checked)
    return checked
  }

  private func check(
    _ subscription: Subscription, isNew: Bool, among others: OwnSubscriptions
  ) throws {
    if let twin = others.duplicate(of: subscription) {
      throw BrumeError(
        .rejected,
        "subscription is duplicate of '\(twin)'; keep that one, or delete it first")
    }
    guard others.bytes(with: subscription) <= limits.subscriptionBytesPerUser else {
      throw BrumeError(
        .limitExceeded,
        "with subscription '\(subscription.id)' the user's subscriptions in this container would "
          + "have more than \(limits.subscriptionBytesPerUser) bytes, the maximum; delete one first, "
          + "or make one smaller")
    }
    guard isNew, others.count >= limits.subscriptionsPerUser else { return }
    throw BrumeError(
      .limitExceeded,
      "the user has \(others.count) subscriptions in this container; the maximum is "
        + "\(limits.subscriptionsPerUser), so delete one first")
  }

  /// CloudKit: deleting an ID that does not exist is an error, unlike with records (Apple's
  /// CKModifySubscriptionsOperation page, case SUB-10).
  private func delete(
    _ id: String, _ own: inout OwnSubscriptions?, in transaction: any WriteTransaction
  ) throws {
    guard try transaction.subscriptions.remove(id, in: place) else {
      throw Subscription.missing(id)
    }
    try append(id, in: transaction)
    own?.deleted(id)
  }

  @discardableResult
  private func append(_ id: String, in transaction: any WriteTransaction) throws -> Int64 {
    try transaction.log.append(
      .subscription(place, id: id), in: place.logDatabase, origin: origin)
  }
}

// MARK: Checks

extension SubscriptionChange {
  /// The subscription as it is kept: zones with their owner's name, filters in the schema's types.
  private func checked(
    _ subscription: Subscription, in transaction: any ReadTransaction
  ) throws -> Subscription {
    var checked = subscription
    try NameRules.subscriptionID(subscription.id, limits: limits)
    try SubscriptionRules.kind(subscription.kind, in: place.scope)
    let info = subscription.info ?? NotificationInfo()
    try SubscriptionRules.info(info, limits: limits)
    switch subscription.kind {
    case .query(let query, let zone, let events, let once):
      try SubscriptionRules.events(events)
      checked.kind = .query(
        try self.checked(query, info, in: transaction),
        zone: try zone.map { try liveZone($0, in: transaction).id }, firesOn: events,
        firesOnce: once)
    case .zone(let zone, let type):
      try SubscriptionRules.noDesiredKeys(info)
      let key = try liveZone(zone, in: transaction)
      try SubscriptionRules.zone(key)
      checked.kind = .zone(key.id, recordType: try self.checked(type))
    case .database(let type):
      try SubscriptionRules.noDesiredKeys(info)
      checked.kind = .database(recordType: try self.checked(type))
    }
    if checked.byteCount > limits.subscriptionBytes {
      throw BrumeError(
        .limitExceeded,
        "subscription '\(subscription.id)' has \(checked.byteCount) bytes; the maximum is "
          + "\(limits.subscriptionBytes); compare with fewer or shorter values")
    }
    return checked
  }

  private func liveZone(_ zone: ZoneID, in transaction: any ReadTransaction) throws -> ZoneKey {
    let key = try caller.zoneKey(zone, in: place.scope, limits: limits)
    return try transaction.zones.live(key).key
  }

  private func checked(_ type: String?) throws(BrumeError) -> String? {
    if let type { try NameRules.recordType(type, limits: limits) }
    return type
  }
}

extension SubscriptionOperation {
  var id: String {
    switch self {
    case .save(let subscription), .update(let subscription): subscription.id
    case .delete(let id): id
    }
  }

  /// A new subscription without an ID gets one.
  func named(by host: Host) -> SubscriptionOperation {
    guard case .save(var subscription) = self, subscription.id.isEmpty else { return self }
    subscription.id = host.uuid()
    return .save(subscription)
  }
}

extension Result<SubscriptionOutcome, ItemFailure<String>> {
  var isSave: Bool {
    if case .success(.saved) = self { true } else { false }
  }
}

extension Caller {
  /// Where this caller's subscriptions in a database are kept.
  func subscriptionScope(_ scope: DatabaseScope) throws(BrumeError) -> SubscriptionScope {
    try requireAccess(to: scope)
    return SubscriptionScope(in: containerEnvironment, scope: scope, user: try requireUser())
  }
}

extension Subscription {
  static func missing(_ id: String) -> BrumeError {
    BrumeError(
      .notFound,
      "subscription '\(NameRules.shown(id))' does not exist in this database; list shows those that do"
    )
  }
}
