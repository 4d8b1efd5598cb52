// What a push says, as one value: the part that CloudKit wrote (`ck`) and the part that the
// system shows (`aps`). The classes of this folder only give Apple's names to it.

import Foundation

struct PushContent {
  enum Kind {
    case query(Query)
    case recordZone(CKRecordZone.ID?)
    case database
    /// The push was cut down to its identity.
    case unknown
  }
  struct Query {
    var recordID: CKRecord.ID?
    var reason: CKQueryNotification.Reason
    var fields: [String: Any]?
  }
  /// Text with its localised form.
  struct Text {
    var literal: String?
    var key: String?
    var args: [String]?
  }

  var kind: Kind
  var id: String?
  var subscriptionID: String?
  var container: String
  var owner: String?
  var scope: CKDatabase.Scope
  var isPruned: Bool
  var isRead = false
  var alert = Text()
  var title = Text()
  var subtitle = Text()
  var actionKey: String?
  var launchImage: String?
  var badge: NSNumber?
  var sound: String?
  var category: String?

  /// Nil when the push is not CloudKit's.
  init?(_ push: PushDictionary) {
    guard let ck = push.dictionary("ck") else { return nil }
    let body = Self.body(of: ck)
    id = ck.text("nid")
    // CloudKit: the text for a missing container was observed, it is not documented.
    container = ck.text("cid") ?? "Unknown Container"
    owner = ck.name("ckuserid")
    isPruned = ck.value("p") != nil
    scope = Self.scope(body?.content.integer("dbs"))
    // A push that was cut has it beside `nid`.
    subscriptionID = (body?.content ?? ck).text("sid")
    kind = .unknown
    kind = body.map { Self.kind($0.key, $0.content, in: scope, of: owner) } ?? .unknown
    if let aps = push.dictionary("aps") { readAlert(aps) }
  }

  // MARK: CloudKit's part

  /// The first of the three that is there decides the class.
  private static func body(of ck: PushDictionary) -> (key: String, content: PushDictionary)? {
    for key in ["qry", "fet", "met"] {
      if let content = ck.dictionary(key) { return (key, content) }
    }
    return nil
  }

  /// Apple's tests build pushes without a database; the private one is the usual.
  private static func scope(_ number: Int?) -> CKDatabase.Scope {
    switch number {
    case 2: .public
    case 3: .shared
    default: .private
    }
  }

  private static func kind(
    _ key: String, _ body: PushDictionary, in scope: CKDatabase.Scope, of owner: String?
  ) -> Kind {
    switch key {
    case "qry": .query(query(body, in: scope, of: owner))
    case "fet": .recordZone(zoneID(body, in: scope, of: owner))
    default: .database
    }
  }

  private static func query(
    _ body: PushDictionary, in scope: CKDatabase.Scope, of owner: String?
  ) -> Query {
    let zone = zoneID(body, in: scope, of: owner) ?? .default
    return Query(
      recordID: body.name("rid").map { CKRecord.ID(recordName: $0, zoneID: zone) },
      // A push cut short may lack the reason; fetching the record is right for all of them.
      reason: body.integer("fo").flatMap { CKQueryNotification.Reason(rawValue: $0) }
        ?? .recordUpdated,
      fields: body.dictionary("af")?.entries)
  }

  /// The user's own zones carry the constant, so that they equal the IDs that an app makes.
  private static func zoneID(
    _ body: PushDictionary, in scope: CKDatabase.Scope, of owner: String?
  ) -> CKRecordZone.ID? {
    guard let name = body.name("zid") else { return nil }
    let other = scope == .shared ? body.name("zoid").flatMap { $0 == owner ? nil : $0 } : nil
    let shown: String = other ?? CKCurrentUserDefaultName
    return CKRecordZone.ID(zoneName: name, ownerName: shown)
  }

  // MARK: The system's part

  private mutating func readAlert(_ aps: PushDictionary) {
    badge = aps.number("badge")
    sound = aps.text("sound")
    category = aps.text("category")
    if let text = aps.text("alert") {
      alert.literal = text
      return
    }
    guard let details = aps.dictionary("alert") else { return }
    alert = Self.text(details, "body", "loc-key", "loc-args")
    title = Self.text(details, "title", "title-loc-key", "title-loc-args")
    subtitle = Self.text(details, "subtitle", "subtitle-loc-key", "subtitle-loc-args")
    actionKey = details.text("action-loc-key")
    launchImage = details.text("launch-image")
    // CloudKit: the framework also reads these inside the alert.
    badge = badge ?? details.number("badge")
    sound = sound ?? details.text("sound")
  }

  private static func text(
    _ alert: PushDictionary, _ literal: String, _ key: String, _ args: String
  ) -> Text {
    Text(literal: alert.text(literal), key: alert.text(key), args: alert.texts(args))
  }
}
