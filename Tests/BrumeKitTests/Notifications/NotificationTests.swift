import BrumeModel
import BrumeWire
import Foundation
import Testing

@testable import BrumeKit

@Suite struct NotificationTests {
  private let query: [AnyHashable: Any] = [
    "aps": ["content-available": 1],
    "ck": [
      "ce": 2, "cid": "iCloud.com.example.app", "ckuserid": "_0f3c", "nid": "6C1E",
      "qry": [
        "sid": "notes-created", "dbs": 1, "fo": 1, "rid": "note-1", "zid": "Notes",
        "zoid": "_0f3c", "af": ["title": "Milk"],
      ] as [String: Any],
    ] as [String: Any],
  ]

  private func push(_ json: String) throws -> [AnyHashable: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8))
    return try #require(object as? [AnyHashable: Any])
  }

  @Test func `a query push becomes a query notification`() throws {
    let notification = try #require(CKNotification(fromRemoteNotificationDictionary: query))
    #expect(notification.notificationType == .query)
    let details = notification as! CKQueryNotification
    #expect(details.queryNotificationReason == .recordCreated)
    #expect(details.recordID?.recordName == "note-1")
    #expect(details.recordID?.zoneID == CKRecordZone.ID(zoneName: "Notes"))
    #expect(details.recordFields?["title"] as? String == "Milk")
    #expect(details.databaseScope == .private)
    #expect(details.subscriptionID == "notes-created")
    #expect(details.containerIdentifier == "iCloud.com.example.app")
    #expect(details.subscriptionOwnerUserRecordID?.recordName == "_0f3c")
    #expect(details.notificationID != nil && !details.isPruned)
  }

  @Test func `the initialiser of a subclass makes that class or nothing`() throws {
    #expect(CKQueryNotification(fromRemoteNotificationDictionary: query) != nil)
    #expect(CKDatabaseNotification(fromRemoteNotificationDictionary: query) == nil)
    let make = CKNotification.init(fromRemoteNotificationDictionary:)
    #expect(make(query) is CKQueryNotification)
  }

  @Test func `a dictionary of Foundation's values reads the same`() throws {
    let body = NSDictionary(dictionary: [
      NSString(string: "sid"): NSString(string: "s"), NSString(string: "dbs"): NSNumber(value: 2),
      NSString(string: "fo"): NSNumber(value: 3), NSString(string: "rid"): NSString(string: "r"),
      NSString(string: "zid"): NSString(string: "_defaultZone"),
      NSString(string: "zoid"): NSString(string: "_defaultOwner"),
    ])
    let dictionary: [String: NSObject] = ["ck": NSDictionary(dictionary: ["qry": body])]
    let made = CKNotification(fromRemoteNotificationDictionary: dictionary)
    let notification = try #require(made as? CKQueryNotification)
    #expect(notification.queryNotificationReason == .recordDeleted)
    #expect(notification.databaseScope == .public)
    #expect(notification.recordID == CKRecord.ID(recordName: "r"))
    let keyed: [AnyHashable: Any] = [NSString(string: "ck"): NSDictionary(dictionary: ["met": [:]])]
    #expect(CKNotification(fromRemoteNotificationDictionary: keyed) is CKDatabaseNotification)
  }

  @Test func `PSH-03 a push with only a zone and its owner is a record zone notification`() throws {
    let made = CKNotification(
      fromRemoteNotificationDictionary: try push(
        #"{"ck":{"fet":{"zid":"Notes","zoid":"__defaultOwner__"}}}"#))
    let notification = try #require(made as? CKRecordZoneNotification)
    #expect(notification.recordZoneID == CKRecordZone.ID(zoneName: "Notes"))
    #expect(notification.notificationType == .recordZone)
    #expect(notification.containerIdentifier == "Unknown Container")
    #expect(notification.notificationID == nil && notification.subscriptionID == nil)
  }

  @Test func `a zone of somebody else keeps its owner, an own zone has the constant`() throws {
    func owner(_ scope: Int, _ zoneOwner: String) throws -> String? {
      let made = CKNotification(
        fromRemoteNotificationDictionary: try push(
          #"{"ck":{"ckuserid":"_me","fet":{"dbs":\#(scope),"zid":"Z","zoid":"\#(zoneOwner)"}}}"#))
      return (made as? CKRecordZoneNotification)?.recordZoneID?.ownerName
    }
    #expect(try owner(3, "_other") == "_other")
    #expect(try owner(3, "_me") == CKCurrentUserDefaultName)
    #expect(try owner(1, "_me") == CKCurrentUserDefaultName)
  }

  @Test func `a database push names the database`() throws {
    let made = CKNotification(
      fromRemoteNotificationDictionary: try push(
        #"{"aps":{"content-available":1},"ck":{"ce":2,"cid":"c","nid":"n","met":{"sid":"shared-db","dbs":3,"zid":"N","zoid":"_77"}}}"#
      ))
    let notification = try #require(made as? CKDatabaseNotification)
    #expect(notification.databaseScope == .shared && notification.notificationType == .database)
  }

  @Test func `PSH-04 a push cut to its identity meets the unknown default`() throws {
    let notification = try #require(
      CKNotification(
        fromRemoteNotificationDictionary: try push(#"{"ck":{"ce":1,"cid":"c","nid":"n","p":1}}"#)))
    #expect(notification.isPruned)
    #expect(notification.notificationType.rawValue == 0)
    switch notification.notificationType {
    case .query, .recordZone, .readNotification, .database: Issue.record("it has no kind")
    @unknown default: break
    }
  }

  @Test func `what the system shows can be read`() throws {
    let notification = try #require(
      CKNotification(
        fromRemoteNotificationDictionary: try push(
          """
          {"aps":{"alert":{"body":"b","loc-key":"k","loc-args":["1","2"],"title":"t",
          "title-loc-key":"tk","title-loc-args":["3"],"subtitle":"s","subtitle-loc-key":"sk",
          "subtitle-loc-args":["4"],"action-loc-key":"a","launch-image":"i"},"badge":3,
          "sound":"default","category":"c"},"ck":{"nid":"n","met":{"dbs":1}}}
          """)))
    #expect(notification.alertBody == "b" && notification.alertLocalizationKey == "k")
    #expect(notification.alertLocalizationArgs == ["1", "2"])
    #expect(notification.title == "t" && notification.titleLocalizationKey == "tk")
    #expect(notification.titleLocalizationArgs == ["3"])
    #expect(notification.subtitle == "s" && notification.subtitleLocalizationKey == "sk")
    #expect(notification.subtitleLocalizationArgs == ["4"])
    #expect(notification.alertActionLocalizationKey == "a")
    #expect(notification.alertLaunchImage == "i" && notification.badge == 3)
    #expect(notification.soundName == "default" && notification.category == "c")
    let plain = CKNotification(
      fromRemoteNotificationDictionary: try push(#"{"aps":{"alert":"text"},"ck":{"met":{}}}"#))
    #expect(plain?.alertBody == "text")
  }

  @Test func `what the server encodes is what the app reads`() throws {
    var sent = BrumeModel.Notification(
      id: "n-1", in: ContainerEnvironment(ContainerID("iCloud.c"), .production), scope: .private,
      subscriptionID: "whistles", user: UserID("_me"),
      subject: .query(
        zone: ZoneID(name: "Z", ownerName: "_me"), recordName: "r", reason: .updated,
        fields: ["genre": .string("Jazz"), "count": .int64(3)]))
    sent.alert.literal = "There's a new whistle"
    sent.soundName = "default"
    sent.badge = 2
    let payload = try JSONSerialization.jsonObject(with: Data(PushPayload.encode(sent)))
    let push = try #require(payload as? [AnyHashable: Any])
    let made = CKNotification(fromRemoteNotificationDictionary: push)
    let read = try #require(made as? CKQueryNotification)
    #expect(read.queryNotificationReason == .recordUpdated && read.databaseScope == .private)
    #expect(read.recordID?.zoneID == CKRecordZone.ID(zoneName: "Z"))
    #expect(read.recordFields?["genre"] as? String == "Jazz")
    #expect(read.recordFields?["count"] as? Int == 3)
    #expect(read.alertBody == "There's a new whistle" && read.badge == 2)
  }

  @Test func `a push of somebody else is none of ours`() throws {
    #expect(CKNotification(fromRemoteNotificationDictionary: [:]) == nil)
    #expect(CKNotification(fromRemoteNotificationDictionary: ["aps": ["alert": "x"]]) == nil)
    #expect(CKNotification(fromRemoteNotificationDictionary: ["ck": "text"]) == nil)
  }

  @Test func `identifiers are equal when change and subscription are`() throws {
    let one = try #require(CKNotification(fromRemoteNotificationDictionary: query)?.notificationID)
    let two = try #require(CKNotification(fromRemoteNotificationDictionary: query)?.notificationID)
    #expect(one == two && one.hash == two.hash)
    #expect(one != CKNotification.ID(notification: "6C1E", subscription: "other"))
    let data = try NSKeyedArchiver.archivedData(withRootObject: one, requiringSecureCoding: true)
    #expect(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKNotification.ID.self, from: data) == one)
  }

  @Test func `PSH-04 what is fetched for a push that was cut is found by its identifier`() throws {
    let cut = CKNotification(
      fromRemoteNotificationDictionary: try push(
        #"{"ck":{"ce":2,"nid":"6C1E","p":1,"sid":"notes-created"}}"#))
    #expect(cut?.subscriptionID == "notes-created" && cut?.notificationType.rawValue == 0)
    let wanted = try #require(cut?.notificationID)
    let made = CKNotification(fromRemoteNotificationDictionary: query)
    let fetched = try #require(made?.notificationID)
    #expect(wanted == fetched && wanted.hash == fetched.hash)
    #expect([fetched: "found"][wanted] == "found")
    // One of an older server names no subscription. Were it equal to both others, they would have to be equal.
    let old = CKNotification.ID(notification: "6C1E", subscription: nil)
    let other = CKNotification.ID(notification: "6C1E", subscription: "other")
    #expect(Set([old, fetched, other, wanted]).count == 3)
  }

  @Test(arguments: 0..<20) func `strange values are no reason to stop`(seed: UInt64) {
    var random = Random(state: seed)
    for _ in 0..<200 {
      let push = random.dictionary(depth: 4)
      guard let notification = CKNotification(fromRemoteNotificationDictionary: push) else {
        continue
      }
      _ = notification.notificationType
      _ = notification.notificationID
      _ = (notification as? CKQueryNotification)?.recordID
      _ = (notification as? CKRecordZoneNotification)?.recordZoneID
    }
  }
}

/// Pushes of strange values under the right keys.
private struct Random {
  var state: UInt64
  private static let keys = [
    "aps", "ck", "qry", "fet", "met", "sid", "dbs", "zid", "zoid", "rid", "fo", "af", "nid", "cid",
    "ckuserid", "p", "alert", "body", "loc-args", "badge",
  ]

  mutating func next(_ count: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(count))
  }

  mutating func dictionary(depth: Int) -> [AnyHashable: Any] {
    var content: [AnyHashable: Any] = [:]
    for key in Self.keys where next(3) > 0 {
      content[next(5) == 0 ? AnyHashable(NSString(string: key)) : AnyHashable(key)] = value(depth)
    }
    return content
  }

  mutating func value(_ depth: Int) -> Any {
    switch next(depth > 0 ? 10 : 8) {
    case 0: ""
    case 1: "text"
    case 2: next(5)
    case 3: Double.nan
    case 4: NSNumber(value: true)
    case 5: [1, "a"] as [Any]
    case 6: NSNull()
    case 7: Int.max
    default: dictionary(depth: depth - 1)
    }
  }
}
