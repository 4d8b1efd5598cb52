import BrumeModel
import BrumeWire
import Testing

@testable import BrumeCore
@testable import BrumeDelivery

/// A push is never larger than its channel takes, and what is cut goes in CloudKit's order, at every size
/// from the whole push to the bare ID.
@Suite struct PayloadLimitTests {
  @Test func `PSH-18 PSH-04 at every size a push fits and has lost the least important first`() {
    let note = full
    for maximum in sizes {
      let (payload, sent) = budget(maximum).fit(note)
      #expect(violations(of: note, cutTo: sent, payload, maximum) == [], "\(maximum) bytes")
    }
    #expect(budget(sizes.upperBound).fit(note).sent == note)
    let bodies = sizes.compactMap { budget($0).fit(note).sent.alert.literal?.count }
    #expect(Set(bodies) == [100, 150])
  }

  @Test func `a budget that measures less than is sent is caught`() {
    let maximum = PushPayload.encode(full).count - 100
    let liar = PayloadBudget(
      maximum: maximum, textLength: 100, encode: { Array(PushPayload.encode($0).dropLast(200)) })
    let sent = liar.fit(full).sent
    #expect(!violations(of: full, cutTo: sent, PushPayload.encode(sent), maximum).isEmpty)
  }

  @Test func `a cut out of order is caught`() {
    var wrong = full
    wrong.title = .init()
    wrong.isPruned = true
    let payload = PushPayload.encode(wrong)
    #expect(violations(of: full, cutTo: wrong, payload, 4096) == ["the title went before its turn"])
  }

  @Test func `a cut that does not say so is caught`() {
    var silent = full
    silent.subject = .query(
      zone: DeliveryFixture.zone, recordName: "n", reason: .created, fields: [:])
    let payload = PushPayload.encode(silent)
    #expect(
      violations(of: full, cutTo: silent, payload, 4096) == ["it does not say that it was cut"])
  }

  private var sizes: ClosedRange<Int> { 120...PushPayload.encode(full).count }

  private func budget(_ maximum: Int) -> PayloadBudget {
    var limits = Limits.apple
    limits.payloadBytes = maximum
    return PayloadBudget(
      maximum: limits.payloadBytes, textLength: limits.payloadStringLength,
      encode: PushPayload.encode)
  }

  private func violations(
    of note: Notification, cutTo sent: Notification, _ payload: [UInt8], _ maximum: Int
  ) -> [String] {
    var violations: [String] = []
    if payload.count > maximum { violations.append("\(payload.count) bytes, \(maximum) allowed") }
    if sent.id != note.id { violations.append("the ID went") }
    let (before, after) = (parts(note), parts(sent))
    // What is left must be the end of the order.
    let order = before.suffix(after.count)
    if let gone = order.first(where: { !after.contains($0) }) {
      violations.append("the \(gone) went before its turn")
    }
    if sent != note, !sent.isPruned { violations.append("it does not say that it was cut") }
    return violations
  }

  /// What a push has, the least important first.
  private func parts(_ note: Notification) -> [String] {
    var (hasFields, hasRecord, hasSubject) = (false, false, false)
    if case .query(_, let name, _, let fields) = note.subject {
      (hasFields, hasRecord, hasSubject) = (!fields.isEmpty, !name.isEmpty, true)
    }
    let all: [(String, Bool)] = [
      ("desired keys", hasFields), ("subtitle", note.subtitle.literal != nil),
      ("title", note.title.literal != nil), ("owner", note.user != nil),
      ("container", note.container != nil), ("record ID", hasRecord), ("subject", hasSubject),
      ("mutable content", note.mutableContent), ("category", note.category != nil),
      ("content available", note.contentAvailable), ("sound", note.soundName != nil),
      ("launch image", note.alertLaunchImage != nil),
      ("action key", note.alertActionLocalizationKey != nil), ("body", note.alert.literal != nil),
      ("badge", note.badge != nil), ("subscription", note.subscriptionID != nil),
    ]
    return all.filter(\.1).map(\.0)
  }

  private var full: Notification {
    var note = Notification(
      id: "6C1E4A0E-0000-8000-8000-000000000000",
      in: DeliveryFixture.containerEnvironment, scope: .private, subscriptionID: "s",
      user: UserID("_alice"),
      subject: .query(
        zone: DeliveryFixture.zone, recordName: "n", reason: .created,
        fields: ["title": .string(String(repeating: "x", count: 150))]))
    note.alert.literal = String(repeating: "b", count: 150)
    note.title.literal = String(repeating: "t", count: 150)
    note.subtitle.literal = String(repeating: "s", count: 150)
    note.alertActionLocalizationKey = "OPEN"
    note.alertLaunchImage = "launch"
    note.soundName = "default"
    note.category = "note"
    note.badge = 7
    note.contentAvailable = true
    note.mutableContent = true
    return note
  }
}
