// The push: the `aps` and `ck` dictionaries that Apple's servers send, so that
// `CKNotification(fromRemoteNotificationDictionary:)` is all an app needs. Reading is in
// `PushPayload+Reading.swift`.
//
// Keys: `ce` environment, `cid` container, `ckuserid` subscriber, `nid` notification, `p` pruned;
// `qry`, `fet`, `met` say what changed (record by query, zone, database), with `sid`, the subscription.
// Where none of them fits, `sid` is beside `nid`: the two identify a notification.

package import BrumeModel

/// Writes and reads pushes.
package enum PushPayload {
  /// The form for the event stream and APNs.
  package static func encode(_ notification: Notification) -> [UInt8] {
    Wire.bytes(capacity: 512) { writer in
      writer.beginObject()
      writer.name("aps")
      writer.aps(notification)
      writer.name("ck")
      writer.ck(notification)
      writer.endObject()
    }
  }

  /// The numbers of `dbs` in stream and APNs pushes.
  ///
  /// CloudKit: seen in native payloads.
  static let native: [(scope: DatabaseScope, number: Int64)] = [
    (.private, 1), (.public, 2), (.shared, 3),
  ]

  /// The same push for the web courier, whose clients read other numbers: 0 public, 1 private,
  /// 2 shared. Bytes that are no push come back as they are.
  package static func courier(fromPayload bytes: [UInt8]) -> [UInt8] {
    guard var payload = (try? JSON(parsing: bytes))?.object, var ck = payload["ck"]?.object else {
      return bytes
    }
    for kind in ["qry", "fet", "met"] {
      guard var subject = ck[kind]?.object, let number = subject["dbs"]?.int else { continue }
      let web: [Int64: Int64] = [1: 1, 2: 0, 3: 2]
      subject["dbs"] = .int(web[number] ?? number)
      ck[kind] = .object(subject)
    }
    payload["ck"] = .object(ck)
    return JSON.object(payload).bytes()
  }
}

extension JSONWriter {
  fileprivate mutating func aps(_ notification: Notification) {
    beginObject()
    let texts = [notification.alert, notification.title, notification.subtitle]
    let hasAlert =
      texts.contains { !$0.isEmpty } || notification.alertActionLocalizationKey != nil
      || notification.alertLaunchImage != nil
    if hasAlert {
      name("alert")
      alert(notification)
    }
    member("badge", notification.badge.map { Int64($0) })
    member("sound", notification.soundName)
    member("category", notification.category)
    if notification.contentAvailable { member("content-available", 1) }
    if notification.mutableContent { member("mutable-content", 1) }
    endObject()
  }

  /// Always an object, never a text: CloudKit JS reads nothing else.
  private mutating func alert(_ notification: Notification) {
    beginObject()
    member("title", notification.title.literal)
    member("title-loc-key", notification.title.localizationKey)
    arguments("title-loc-args", notification.title.localizationArgs)
    member("subtitle", notification.subtitle.literal)
    member("subtitle-loc-key", notification.subtitle.localizationKey)
    arguments("subtitle-loc-args", notification.subtitle.localizationArgs)
    member("body", notification.alert.literal)
    member("loc-key", notification.alert.localizationKey)
    arguments("loc-args", notification.alert.localizationArgs)
    member("action-loc-key", notification.alertActionLocalizationKey)
    member("launch-image", notification.alertLaunchImage)
    endObject()
  }

  private mutating func arguments(_ name: StaticString, _ arguments: [String]) {
    if !arguments.isEmpty { member(name, arguments) }
  }

  fileprivate mutating func ck(_ notification: Notification) {
    beginObject()
    member("ce", notification.environment == .production ? 1 : 2)
    member("cid", notification.container?.name)
    member("ckuserid", notification.user?.name)
    member("nid", notification.id)
    if notification.isPruned { member("p", 1) }
    switch notification.subject {
    case .query(let zone, let recordName, let reason, let fields):
      name("qry")
      beginSubject(notification)
      member("fo", Int64(reason.rawValue))
      if !recordName.isEmpty {
        member("rid", recordName)
        zoneMembers(zone)
      }
      recordFields(fields)
      endObject()
    case .zone(let zone):
      name("fet")
      beginSubject(notification)
      zoneMembers(zone)
      endObject()
    case .database(let zone):
      name("met")
      beginSubject(notification)
      if let zone { zoneMembers(zone) }
      endObject()
    case .fetchEverything: member("sid", notification.subscriptionID)
    }
    endObject()
  }

  private mutating func beginSubject(_ notification: Notification) {
    beginObject()
    member("sid", notification.subscriptionID)
    member("dbs", PushPayload.native.first { $0.scope == notification.scope }?.number)
  }

  private mutating func zoneMembers(_ zone: ZoneID) {
    member("zid", zone.name)
    member("zoid", zone.ownerName)
  }

  /// Bare values: the receiver knows its own fields.
  private mutating func recordFields(_ fields: [String: FieldValue]) {
    guard !fields.isEmpty else { return }
    name("af")
    beginObject()
    for name in fields.keys.sorted() {
      guard let value = fields[name] else { continue }
      key(name)
      fieldValue(value, RecordOptions())
    }
    endObject()
  }
}
