import BrumeModel
import BrumeTestKit
import BrumeWire
import Testing

@testable import BrumeCore
@testable import BrumeNotifier

struct PayloadBudgetTests {
  private let notes = zone("Notes", of: alice)

  private func budget(_ maximum: Int) -> PayloadBudget {
    PayloadBudget(maximum: maximum, textLength: 100, encode: PushPayload.encode)
  }

  /// Everything that a push can carry.
  private func full(_ length: Int) -> Notification {
    let text = String(repeating: "x", count: length)
    var note = Notification(
      id: "6C1E4A0E-0000-8000-8000-000000000000", in: development,
      scope: .private, subscriptionID: "s", user: alice,
      subject: .query(
        zone: notes.id, recordName: "n", reason: .created, fields: ["title": .string(text)]))
    note.alert = .init(literal: text, localizationKey: "KEY", localizationArgs: [text])
    note.title = .init(literal: text, localizationKey: "TITLE", localizationArgs: [text])
    note.subtitle = .init(literal: text, localizationKey: "SUB", localizationArgs: [text])
    note.alertActionLocalizationKey = "OPEN"
    note.alertLaunchImage = "launch"
    note.soundName = "default"
    note.category = "note"
    note.badge = 7
    note.contentAvailable = true
    note.mutableContent = true
    return note
  }

  @Test func `a push that fits is left alone, however long its texts are`() {
    let note = full(400)
    let (payload, sent) = budget(4096).fit(note)
    #expect(sent == note && !sent.isPruned)
    #expect(payload == PushPayload.encode(note))
  }

  @Test
  func `PSH-18 long desired texts are cut first, then desired keys go, then other texts are cut`() {
    let note = full(500)
    let size = PushPayload.encode(note).count
    let cut = budget(size - 1).fit(note).sent
    guard case .query(_, _, _, let fields) = cut.subject else {
      Issue.record("the subject went too early")
      return
    }
    #expect(fields == ["title": .string(String(repeating: "x", count: 100))])
    #expect(cut.isPruned && cut.alert == note.alert && cut.title == note.title)

    let without = budget(size - 450).fit(note).sent
    #expect(
      without.subject == .query(zone: notes.id, recordName: "n", reason: .created, fields: [:]))
    #expect(without.title == note.title && without.subtitle == note.subtitle)

    let shortened = budget(size - 600).fit(note).sent
    #expect(shortened.alert.literal?.count == 100)
    #expect(shortened.subtitle.localizationKey == "SUB")
  }

  @Test func `PSH-18 the order of what goes is CloudKit's, what is shown to the user last`() {
    #expect(
      PayloadBudget.steps.map(\.name) == [
        "desired texts", "desired keys", "long texts", "subtitle", "subtitle arguments",
        "subtitle key", "title", "title arguments", "title key", "subscription owner",
        "container", "record ID", "subject", "mutable content", "category", "content available",
        "sound", "launch image", "action key", "body", "arguments", "key", "badge",
        "subscription",
      ])
  }

  @Test func `what its texts alone make too large is not encoded`() {
    let sizes = Mutexed<[Int]>([])
    let budget = PayloadBudget(maximum: 4096, textLength: 100) { note in
      let bytes = PushPayload.encode(note)
      sizes.change { $0.append(bytes.count) }
      return bytes
    }
    var note = full(4096)
    note.alert.localizationArgs = Array(repeating: String(repeating: "y", count: 4096), count: 32)
    let (payload, sent) = budget.fit(note)
    #expect(payload.count <= 4096 && payload == PushPayload.encode(sent))
    #expect(!sizes.value.isEmpty && sizes.value.allSatisfy { $0 < 3 * 4096 }, "\(sizes.value)")
  }

  @Test func `a text is cut to as many whole characters as fit, wherever that is`() {
    let text = "a\u{301}b\r\nc🇫🇷🇩🇪d👨‍👩‍👧‍👦é e"
    for bytes in 3...text.utf8.count {
      var kept = ""
      for character in text where kept.utf8.count + String(character).utf8.count <= bytes {
        guard text.hasPrefix(kept + String(character)) else { break }
        kept.append(character)
      }
      #expect(TextCut.prefix(text, bytes: bytes) == kept, "\(bytes)")
    }
  }

  @Test func `PSH-04 at every size the push fits, keeps its ID, and loses in order`() throws {
    let note = full(60)
    var bare = Notification(
      id: note.id, container: nil, environment: .development, scope: .private,
      subscriptionID: nil, user: nil, subject: .fetchEverything)
    bare.isPruned = true
    let least = PushPayload.encode(bare).count
    var lost = 0
    for maximum in stride(from: PushPayload.encode(note).count, through: least, by: -1) {
      let (payload, sent) = budget(maximum).fit(note)
      #expect(payload.count <= maximum, "a budget of \(maximum)")
      let read = try PushPayload.decode(payload)
      #expect(read.id == note.id && read.subscriptionID == sent.subscriptionID)
      let left = properties(sent)
      let order = properties(note)
      // What is left is always the tail of the order, so nothing goes before its turn.
      #expect(left == Array(order.suffix(left.count)), "a budget of \(maximum)")
      #expect(order.count - left.count >= lost)
      #expect(sent.isPruned == (left.count < order.count))
      lost = order.count - left.count
    }
    #expect(lost == properties(note).count)
    let whole = PushPayload.encode(note)
    #expect(budget(whole.count).fit(note).payload == whole)
  }

  /// The properties that a notification has, in the order in which they go.
  private func properties(_ note: Notification) -> [String] {
    var names: [String] = []
    func add(_ name: String, _ isThere: Bool) { if isThere { names.append(name) } }
    var (hasFields, hasRecord, hasSubject) = (false, false, false)
    if case .query(_, let name, _, let fields) = note.subject {
      (hasFields, hasRecord, hasSubject) = (!fields.isEmpty, !name.isEmpty, true)
    }
    add("fields", hasFields)
    for (name, text) in [("subtitle", note.subtitle), ("title", note.title)] {
      add(name, text.literal != nil)
      add(name + " args", !text.localizationArgs.isEmpty)
      add(name + " key", text.localizationKey != nil)
    }
    add("user", note.user != nil)
    add("container", note.container != nil)
    add("record", hasRecord)
    add("subject", hasSubject)
    add("mutable", note.mutableContent)
    add("category", note.category != nil)
    add("available", note.contentAvailable)
    add("sound", note.soundName != nil)
    add("image", note.alertLaunchImage != nil)
    add("action", note.alertActionLocalizationKey != nil)
    add("body", note.alert.literal != nil)
    add("args", !note.alert.localizationArgs.isEmpty)
    add("key", note.alert.localizationKey != nil)
    add("badge", note.badge != nil)
    add("subscription", note.subscriptionID != nil)
    return names
  }

  @Test func `texts are cut between characters`() {
    let family = "👨‍👩‍👧"
    #expect(TextCut.prefix(String(repeating: "é", count: 5), bytes: 5) == "éé")
    #expect(TextCut.prefix(family + family, bytes: family.utf8.count + 3) == family)
    #expect(TextCut.prefix("abc", characters: 100) == "abc")
    let accents = "a" + String(repeating: "\u{301}", count: 1000)
    #expect(TextCut.prefix(accents, characters: 100).utf8.count <= 400)
    #expect(!TextCut.prefix(accents, characters: 100).isEmpty)
  }

  @Test func `random texts always fit, whatever JSON makes of them`() {
    var random = SeededRandom(seed: 11)
    let scalars: [Unicode.Scalar] = ["a", "\"", "\u{1}", "é", "😀", "\u{301}"]
    for _ in 0..<300 {
      func text() -> String {
        let count = Int.random(in: 0...2000, using: &random)
        var view = String.UnicodeScalarView()
        for _ in 0..<count { view.append(scalars.randomElement(using: &random)!) }
        return String(view)
      }
      var note = full(1)
      note.alert.literal = text()
      note.title.literal = text()
      note.subtitle.localizationArgs = [text(), text()]
      note.alert.localizationArgs = [text()]
      #expect(budget(4096).fit(note).payload.count <= 4096)
    }
  }
}
