// The push (docs/notifications.md).

import BrumeModel
import BrumeWire
import Testing

private func notification(
  _ subject: Notification.Subject, scope: DatabaseScope = .private
) -> Notification {
  Notification(
    id: "6C1E4A0E", in: ContainerEnvironment(ContainerID("iCloud.com.example.app"), .development),
    scope: scope, subscriptionID: "sub", user: UserID("_0f3c"), subject: subject)
}

private let notes = ZoneID(name: "Notes", ownerName: "_0f3c")

struct PushPayloadTests {
  @Test func `a query push has the keys that Apple's has`() {
    var push = notification(
      .query(
        zone: notes, recordName: "note-1", reason: .created, fields: ["title": .string("Milk")]))
    push.subscriptionID = "notes-created"
    push.contentAvailable = true
    #expect(
      PushPayload.encode(push).text
        == #"{"aps":{"content-available":1},"ck":{"ce":2,"cid":"iCloud.com.example.app","#
        + #""ckuserid":"_0f3c","nid":"6C1E4A0E","qry":{"sid":"notes-created","dbs":1,"fo":1,"#
        + #""rid":"note-1","zid":"Notes","zoid":"_0f3c","af":{"title":"Milk"}}}}"#)
  }

  @Test func `a zone push and a database push name their zone`() {
    var push = notification(.zone(notes))
    push.user = nil
    push.environment = .production
    #expect(
      PushPayload.encode(push).text
        == #"{"aps":{},"ck":{"ce":1,"cid":"iCloud.com.example.app","nid":"6C1E4A0E","#
        + #""fet":{"sid":"sub","dbs":1,"zid":"Notes","zoid":"_0f3c"}}}"#)
    push.subject = .database(ZoneID(name: "Notes", ownerName: "_77ab"))
    push.scope = .shared
    #expect(
      PushPayload.encode(push).text.contains(
        #""met":{"sid":"sub","dbs":3,"zid":"Notes","zoid":"_77ab"}"#))
  }

  @Test func `a pruned push keeps what is left, and its subscription`() throws {
    var push = notification(.fetchEverything)
    push.environment = .production
    push.user = nil
    push.isPruned = true
    push.title = .init(literal: "Notes")
    push.alert = .init(literal: "New note")
    push.badge = 3
    push.soundName = "default"
    #expect(
      PushPayload.encode(push).text
        == #"{"aps":{"alert":{"title":"Notes","body":"New note"},"badge":3,"sound":"default"},"#
        + #""ck":{"ce":1,"cid":"iCloud.com.example.app","nid":"6C1E4A0E","p":1,"sid":"sub"}}"#)
    #expect(try PushPayload.decode(PushPayload.encode(push)) == push)
  }

  @Test func `every part of a push reads back`() throws {
    let fields: [String: FieldValue] = [
      "title": .string("Milk"), "n": .int64(3), "d": .double(1.5),
      "tags": .list([.string("a")], of: .string),
      "at": .location(Location(latitude: 1, longitude: 2)),
    ]
    let subjects: [Notification.Subject] = [
      .query(zone: notes, recordName: "note-1", reason: .deleted, fields: fields),
      .query(
        zone: ZoneID(name: ZoneID.defaultName), recordName: "", reason: .updated, fields: [:]),
      .zone(notes), .database(notes), .database(nil),
    ]
    for subject in subjects {
      for scope in DatabaseScope.allCases {
        var push = notification(subject, scope: scope)
        push.alert = .init(literal: "b", localizationKey: "K", localizationArgs: ["x"])
        push.title = .init(literal: "t", localizationKey: "TK", localizationArgs: ["y", "z"])
        push.subtitle = .init(literal: "s", localizationKey: "SK", localizationArgs: ["w"])
        push.alertActionLocalizationKey = "OPEN"
        push.alertLaunchImage = "image"
        push.badge = 7
        push.soundName = ""
        push.category = "c"
        push.contentAvailable = true
        push.mutableContent = true
        push.isPruned = true
        #expect(try PushPayload.decode(PushPayload.encode(push)) == push)
      }
    }
    #expect(
      try PushPayload.decode(PushPayload.encode(notification(.zone(notes))))
        == notification(.zone(notes)))
  }

  @Test func `an empty alert body still makes an alert`() {
    var push = notification(.zone(notes))
    push.alert = .init(literal: "")
    #expect(PushPayload.encode(push).text.hasPrefix(#"{"aps":{"alert":{"body":""}},"#))
  }

  @Test(arguments: [(DatabaseScope.private, 1, 1), (.public, 2, 0), (.shared, 3, 2)])
  func `the courier has its own database numbers`(
    _ scope: DatabaseScope, _ native: Int64, _ web: Int64
  ) throws {
    let subjects: [Notification.Subject] = [
      .query(zone: notes, recordName: "r", reason: .created, fields: ["dbs": .int64(1)]),
      .zone(notes), .database(nil),
    ]
    for subject in subjects {
      let bytes = PushPayload.encode(notification(subject, scope: scope))
      let courier = PushPayload.courier(fromPayload: bytes)
      #expect(
        bytes.text.contains(#""dbs":\#(native),"#) || bytes.text.contains(#""dbs":\#(native)}"#))
      let expected = bytes.text.replacing(
        #""sid":"sub","dbs":\#(native)"#, with: #""sid":"sub","dbs":\#(web)"#)
      #expect(courier.text == expected)
    }
    #expect(PushPayload.courier(fromPayload: [1, 2]) == [1, 2])
    #expect(PushPayload.courier(fromPayload: Array("null".utf8)).text == "null")
  }

  @Test func `the least that Apple's framework accepts is accepted`() throws {
    let push = try PushPayload.decode(
      Array(#"{"ck":{"fet":{"zid":"Notes","zoid":"__defaultOwner__"}}}"#.utf8))
    #expect(push.subject == .zone(ZoneID(name: "Notes", ownerName: "__defaultOwner__")))
    #expect(push.environment == .production)
    #expect(push.container == nil)
    let text = try PushPayload.decode(Array(#"{"aps":{"alert":"hi"},"ck":{}}"#.utf8))
    #expect(text.alert.literal == "hi")
    #expect(text.subject == .fetchEverything)
    #expect(throws: BrumeError.self) { try PushPayload.decode(Array(#"{"aps":{}}"#.utf8)) }
  }

  @Test func `a push is one line`() {
    var push = notification(.zone(notes))
    push.alert = .init(literal: "two\nlines\r\n")
    #expect(!PushPayload.encode(push).contains { $0 == 0x0a || $0 == 0x0d })
  }
}
