// The push, reading. Everything but `ck` is optional; what is missing takes the value that Apple's
// framework gives it. The collapse ID travels beside a push, so it does not come back.

package import BrumeModel

extension PushPayload {
  /// Reads a stream or APNs push.
  ///
  /// - Throws: `badRequest` if it is no push of CloudKit's.
  package static func decode(_ bytes: [UInt8]) throws(BrumeError) -> Notification {
    try decode(JSON(parsing: bytes))
  }

  /// Reads a push as `encode` writes it, also one that was pruned.
  ///
  /// - Throws: `badRequest` if it is none.
  package static func decode(_ json: JSON) throws(BrumeError) -> Notification {
    let payload = try json.asObject("a push")
    let ck = try payload.required("ck", try payload.object("ck"))
    let kinds = ["qry", "fet", "met"]
    let kind = kinds.first { ck[$0]?.object != nil }
    let body = kind.flatMap { ck[$0]?.object } ?? JSONObject()
    let scope = body["dbs"]?.int.flatMap { number in native.first { $0.number == number }?.scope }
    var notification = Notification(
      id: try ck.string("nid") ?? "", container: try ck.string("cid").map { ContainerID($0) },
      environment: ck["ce"]?.int == 2 ? .development : .production, scope: scope ?? .private,
      subscriptionID: try (kind == nil ? ck : body).string("sid"),
      user: try ck.string("ckuserid").map { UserID($0) }, subject: try subject(kind, body))
    notification.isPruned = ck["p"] != nil
    if let aps = try payload.object("aps") { try notification.read(aps: aps) }
    return notification
  }

  private static func subject(
    _ kind: String?, _ body: JSONObject
  ) throws(BrumeError) -> Notification.Subject {
    let zone = try body.string("zid").map { name throws(BrumeError) in
      ZoneID(name: name, ownerName: try body.string("zoid"))
    }
    switch kind {
    case "qry":
      let reason = body["fo"]?.int.flatMap { Notification.Reason(rawValue: Int(clamping: $0)) }
      var fields: [String: FieldValue] = [:]
      for member in try body.object("af")?.members ?? [] where member.value != .null {
        fields[member.key] = try FieldValue(pushed: member.value, field: member.key)
      }
      return .query(
        zone: zone ?? ZoneID(name: ZoneID.defaultName), recordName: try body.string("rid") ?? "",
        reason: reason ?? .updated, fields: fields)
    case "fet": return .zone(zone ?? ZoneID(name: ZoneID.defaultName))
    case "met": return .database(zone)
    default: return .fetchEverything
    }
  }
}

extension FieldValue {
  /// A bare value of `af`.
  fileprivate init(pushed json: JSON, field: String) throws(BrumeError) {
    try self.init(untagged: json, field: field)
  }
}

extension Notification {
  fileprivate mutating func read(aps: JSONObject) throws(BrumeError) {
    soundName = aps["sound"]?.string
    category = try aps.string("category")
    badge = try aps.int("badge").map { Int(clamping: $0) }
    contentAvailable = aps["content-available"]?.int == 1
    mutableContent = aps["mutable-content"]?.int == 1
    switch aps["alert"] {
    case .string(let text): alert = Text(literal: text)
    case .object(let object): try read(alert: object)
    default: break
    }
  }

  private mutating func read(alert object: JSONObject) throws(BrumeError) {
    alert = try Text(object, literal: "body", prefix: "")
    title = try Text(object, literal: "title", prefix: "title-")
    subtitle = try Text(object, literal: "subtitle", prefix: "subtitle-")
    alertActionLocalizationKey = try object.string("action-loc-key")
    alertLaunchImage = try object.string("launch-image")
    // The framework also looks inside the alert.
    if badge == nil { badge = try object.int("badge").map { Int(clamping: $0) } }
    if soundName == nil { soundName = try object.string("sound") }
  }
}

extension Notification.Text {
  fileprivate init(
    _ object: JSONObject, literal: String, prefix: String
  ) throws(BrumeError) {
    self.init(
      literal: try object.string(literal), localizationKey: try object.string(prefix + "loc-key"),
      localizationArgs: try object.strings(prefix + "loc-args") ?? [])
  }
}
