// Subscriptions: the dictionary, the bodies and replies of `subscriptions/*`, and the stored form.
// `notificationInfo` is in `NotificationInfo+Wire.swift`.

package import BrumeModel

// MARK: The dictionary

extension JSONWriter {
  /// - Parameter isStored: as in `notificationInfo`.
  mutating func subscription(_ subscription: Subscription, isStored: Bool = false) {
    beginObject()
    if !subscription.id.isEmpty { member("subscriptionID", subscription.id) }
    switch subscription.kind {
    case .query(let query, let zone, let firesOn, let firesOnce):
      member("subscriptionType", "query")
      zoneMember(zone)
      member("zoneWide", zone == nil)
      name("query")
      self.query(query)
      member("firesOn", Subscription.Event.allCases.filter(firesOn.contains).map(\.rawValue))
      member("firesOnce", firesOnce)
    case .zone(let zone, let recordType):
      member("subscriptionType", "zone")
      zoneMember(zone)
      recordTypeExtra(recordType)
    case .database(let recordType):
      member("subscriptionType", "database")
      recordTypeExtra(recordType)
    }
    if let info = subscription.info {
      name("notificationInfo")
      notificationInfo(info, isStored: isStored)
    }
    endObject()
  }

  /// The web protocol cannot say it; Apple's native one can.
  private mutating func recordTypeExtra(_ recordType: String?) {
    guard let recordType else { return }
    name("brume")
    beginObject()
    member("recordType", recordType)
    endObject()
  }
}

extension Subscription {
  /// An ID that is missing is read as empty: the server then makes one.
  init(_ object: JSONObject) throws(BrumeError) {
    let info = try object.object("notificationInfo")
    self.init(
      id: try object.string("subscriptionID") ?? "", kind: try Self.kind(object),
      info: try info.map { info throws(BrumeError) in try NotificationInfo(info) })
  }

  private static func kind(_ object: JSONObject) throws(BrumeError) -> Kind {
    let recordType = try object.extras()?.string("recordType")
    switch try object.requiredString("subscriptionType") {
    case "query": return try queryKind(object)
    case "zone":
      let zone = try object.required("zoneID", try object.zoneID("zoneID"))
      return .zone(zone, recordType: recordType)
    case "database": return .database(recordType: recordType)
    case let type:
      throw BrumeError(
        .badRequest,
        "'subscriptionType' must be query, zone or database, not '\(NameRules.shown(type))'")
    }
  }

  private static func queryKind(_ object: JSONObject) throws(BrumeError) -> Kind {
    var events: Set<Event> = []
    for name in try object.strings("firesOn") ?? [] {
      guard let event = Event(rawValue: name) else {
        throw BrumeError(.badRequest, "'firesOn' may hold create, update and delete only")
      }
      events.insert(event)
    }
    guard !events.isEmpty else {
      throw BrumeError(
        .badRequest, "'firesOn' of a query subscription must name create, update or delete")
    }
    var zone = try object.zoneID("zoneID")
    if zone == nil, try object.bool("zoneWide") == false {
      zone = ZoneID(name: ZoneID.defaultName)
    }
    let query = try object.required("query", try object.object("query"))
    return .query(
      try Query(query), zone: zone, firesOn: events,
      firesOnce: try object.bool("firesOnce") ?? false)
  }
}

// MARK: The stored form

extension Wire {
  /// The stored form of a subscription.
  package static func encode(_ subscription: Subscription) -> [UInt8] {
    bytes { $0.subscription(subscription, isStored: true) }
  }

  /// Reads a subscription in the form in which engines keep it.
  package static func subscription(_ bytes: [UInt8]) throws(BrumeError) -> Subscription {
    try Subscription(JSON(parsing: bytes).asObject("a subscription"))
  }
}

// MARK: Requests

extension Wire {
  /// The body of `subscriptions/lookup`.
  package static func subscriptionLookup(_ ids: [String]) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.array("subscriptions", ids) { $0.subscriptionID($1) }
      writer.endObject()
    }
  }

  /// Reads the body of `subscriptions/lookup`.
  package static func subscriptionLookup(_ json: JSON) throws(BrumeError) -> [String] {
    let object = try json.asObject("the body")
    let items = try object.required("subscriptions", try object.array("subscriptions"))
    return try eachElement(of: items, in: "subscriptions") { item throws(BrumeError) in
      try item.requiredString("subscriptionID")
    }
  }
}

extension SubscriptionOperation: WireOperation {
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    switch self {
    case .save(let subscription): writer.saved(subscription, as: "create")
    case .update(let subscription): writer.saved(subscription, as: "update")
    case .delete(let id):
      writer.member("operationType", "delete")
      writer.name("subscription")
      writer.subscriptionID(id)
    }
    writer.endObject()
  }

  package init(_ operation: JSONObject) throws(BrumeError) {
    let subscription = try operation.required(
      "subscription", try operation.object("subscription"))
    switch try operation.requiredString("operationType") {
    case "create": self = .save(try Subscription(subscription))
    case "update":
      _ = try subscription.requiredString("subscriptionID")
      self = .update(try Subscription(subscription))
    case "delete": self = .delete(id: try subscription.requiredString("subscriptionID"))
    default:
      throw BrumeError(
        .badRequest, "'operationType' of a subscription must be create, update or delete")
    }
  }
}

extension JSONWriter {
  fileprivate mutating func saved(_ subscription: Subscription, as type: String) {
    member("operationType", type)
    name("subscription")
    self.subscription(subscription)
  }
}

// MARK: Replies

extension JSONWriter {
  fileprivate mutating func subscriptionID(_ id: String) {
    beginObject()
    member("subscriptionID", id)
    endObject()
  }

  fileprivate mutating func subscriptionResult(_ result: SubscriptionResult) {
    switch result {
    case .success(.saved(let subscription)): self.subscription(subscription)
    case .success(.deleted(let id)):
      beginObject()
      member("subscriptionID", id)
      member("deleted", true)
      endObject()
    case .failure(let failure):
      beginObject()
      member("subscriptionID", failure.id)
      errorMembers(failure.error)
      endObject()
    }
  }
}

extension Wire {
  /// The reply of `subscriptions/modify` and `subscriptions/lookup`.
  package static func subscriptions(_ results: [SubscriptionResult]) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.array("subscriptions", results) { $0.subscriptionResult($1) }
      writer.endObject()
    }
  }

  /// The reply of `subscriptions/list`.
  package static func subscriptions(_ subscriptions: [Subscription]) -> [UInt8] {
    Wire.subscriptions(subscriptions.map { SubscriptionResult.success(.saved($0)) })
  }

  /// Reads the reply of all `subscriptions/…`.
  package static func subscriptionResults(_ json: JSON) throws(BrumeError) -> [SubscriptionResult] {
    let object = try json.asObject("the reply")
    let items = try object.required("subscriptions", try object.array("subscriptions"))
    return try eachElement(of: items, in: "subscriptions") { item throws(BrumeError) in
      if let error = error(in: item) {
        return .failure(ItemFailure(try item.string("subscriptionID") ?? "", error))
      }
      // CloudKit: Apple acknowledges a delete with the bare ID, sometimes with `deleted`.
      if item["subscriptionType"] == nil {
        return .success(.deleted(id: try item.requiredString("subscriptionID")))
      }
      return .success(.saved(try Subscription(item)))
    }
  }
}
