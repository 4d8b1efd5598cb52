import BrumeModel
import Testing

@testable import BrumeCore
@testable import BrumeNotifier

struct NotificationBuilderTests {
  private let notes = zone("Notes", of: alice)
  private let fields: [String: FieldValue] = [
    "title": .string("Milk"), "amount": .int64(2), "price": .double(1.5), "whole": .double(3),
    "due": .timestamp(-86_400_000), "store": .reference(Reference(recordName: "shop")),
    "tags": .list([.string("a")], of: .string), "data": .bytes([1]), "secret": .string("x"),
    "story": .string(String(repeating: "x", count: 5000)),
  ]

  private func build(
    _ info: NotificationInfo?, on kind: RecordChange.Kind = .created,
    subscription: Subscription.Kind = query("Note"), badge: Int? = nil
  ) -> Notification {
    var note = record("n", "Note", in: notes, fields)
    note.encryptedFields = ["secret"]
    let entry = change(kind, note, in: notes, at: 5)
    let builder = NotificationBuilder(id: "ID", entry: entry, image: note, limits: Limits())
    return builder.notification(
      for: stored("s", subscription, in: place(.private, alice), info: info), badge: badge)
  }

  @Test func `PSH-15 localisation arguments are the values of the named fields, in order`() {
    var info = NotificationInfo()
    info.alert.localizationKey = "NEW"
    info.alert.localizationArgs = [
      "title", "missing", "amount", "price", "whole", "due", "store", "secret", "tags",
    ]
    info.title.localizationArgs = ["amount"]
    info.subtitle.localizationArgs = ["title"]
    let notification = build(info)
    #expect(
      notification.alert.localizationArgs
        == ["Milk", "", "2", "1.5", "3", "1969-12-31T00:00:00Z", "shop", "", ""])
    #expect(notification.title.localizationArgs == ["2"])
    #expect(notification.subtitle.localizationArgs == ["Milk"])
  }

  @Test func `an argument has at most 4,096 bytes, and a text at most 32 arguments`() {
    var info = NotificationInfo()
    info.alert.localizationArgs = Array(repeating: "story", count: 33)
    let arguments = build(info).alert.localizationArgs
    #expect(arguments == Array(repeating: String(repeating: "x", count: 4096), count: 32))
  }

  @Test func `every property of notificationInfo reaches the notification`() {
    var info = visible("body")
    info.title.literal = "title"
    info.subtitle.literal = "subtitle"
    info.alertActionLocalizationKey = "OPEN"
    info.alertLaunchImage = "launch"
    info.soundName = "default"
    info.category = "note"
    info.shouldBadge = true
    info.shouldSendContentAvailable = true
    info.shouldSendMutableContent = true
    let notification = build(info, badge: 4)
    #expect(notification.alert.literal == "body")
    #expect(notification.title.literal == "title")
    #expect(notification.subtitle.literal == "subtitle")
    #expect(notification.alertActionLocalizationKey == "OPEN")
    #expect(notification.alertLaunchImage == "launch")
    #expect(notification.soundName == "default")
    #expect(notification.category == "note")
    #expect(notification.badge == 4)
    #expect(notification.contentAvailable && notification.mutableContent)
    #expect(notification.user == alice && notification.container == container)
  }

  @Test func `PSH-19 a push that shows nothing wakes the app, one that shows something need not`() {
    #expect(build(nil).contentAvailable)
    #expect(build(NotificationInfo()).contentAvailable)
    #expect(build(silent()).contentAvailable)
    #expect(!build(visible()).contentAvailable)
    #expect(build(visible(), badge: 3).badge == nil)
  }

  @Test func `SUB-16 desired keys carry allowed types, at most three, nothing encrypted`() {
    var info = silent()
    info.desiredKeys = ["title", "tags", "data", "amount"]
    guard case .query(let zone, let name, let reason, let copied) = build(info).subject else {
      Issue.record("not a query notification")
      return
    }
    #expect(zone == notes.id && name == "n" && reason == .created)
    #expect(copied == ["title": .string("Milk")])
    info.desiredKeys = ["secret", "missing", "due"]
    guard case .query(_, _, _, let others) = build(info, on: .updated).subject else {
      Issue.record("not a query notification")
      return
    }
    #expect(others == ["due": .timestamp(-86_400_000)])
  }

  @Test func `a desired key that is named twice is one of the three`() {
    var info = silent()
    info.desiredKeys = ["title", "title", "title", "amount"]
    guard case .query(_, _, _, let copied) = build(info).subject else {
      Issue.record("not a query notification")
      return
    }
    #expect(copied == ["title": .string("Milk"), "amount": .int64(2)])
  }

  @Test func `a delete notification has its reason and no fields`() {
    var info = silent()
    info.desiredKeys = ["title"]
    let subject = build(info, on: .deleted).subject
    #expect(
      subject == .query(zone: notes.id, recordName: "n", reason: .deleted, fields: [:]))
  }

  @Test func `zone and database notifications name the zone that changed`() {
    #expect(
      build(silent(), subscription: .zone(notes.id, recordType: nil)).subject == .zone(notes.id))
    #expect(
      build(silent(), subscription: .database(recordType: nil)).subject == .database(notes.id))
  }

  @Test func `the collapse ID is the field's value, or the text itself, within 64 bytes`() {
    var info = visible()
    info.collapseIDKey = "title"
    #expect(build(info).collapseID == "Milk")
    info.collapseIDKey = "no such field"
    #expect(build(info).collapseID == "no such field")
    info.collapseIDKey = String(repeating: "é", count: 40)
    #expect(build(info).collapseID == String(repeating: "é", count: 32))
    info.collapseIDKey = "x" + String(repeating: "é", count: 40)
    #expect(build(info).collapseID?.utf8.count == 63)
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
      (951_782_400_000, "2000-02-29T00:00:00Z"), (4_102_444_799_000, "2099-12-31T23:59:59Z"),
      (-62_135_596_800_000, "0001-01-01T00:00:00Z"),
    ] as [(Milliseconds, String)])
  func `dates read as ISO 8601`(time: Milliseconds, text: String) {
    #expect(ISODate.text(time) == text)
  }

  @Test func `dates beyond any calendar still have a text`() {
    for time in [Milliseconds.min, .max] { #expect(!ISODate.text(time).isEmpty) }
  }

  @Test func `N2 one ID per change, the same every time, another for each place in the log`() {
    let first = change(.created, record("n", "Note", in: notes), in: notes, at: 1)
    let second = change(.created, record("n", "Note", in: notes), in: notes, at: 2)
    let foreign = zone("Notes", of: bob)
    let other = change(.created, record("n", "Note", in: foreign), in: foreign, at: 1)
    let ids = [
      NotificationID.text(generation: 1, entry: first),
      NotificationID.text(generation: 1, entry: second),
      NotificationID.text(generation: 1, entry: other),
      NotificationID.text(generation: 2, entry: first),
    ]
    #expect(Set(ids).count == 4)
    #expect(ids[0] == NotificationID.text(generation: 1, entry: first))
    let form = /[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}/
    for id in ids { #expect(id.wholeMatch(of: form) != nil) }
  }
}
