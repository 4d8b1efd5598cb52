// A push that cannot be read, or not be judged: the device is sent "fetch everything" in its place, by every way out.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct DamagedPushTests {
  /// Judges by something of the push "N2" that is damaged.
  private let judge = SendPermission { notification, _, _, _ in
    if notification.id == "N2" { throw BrumeError.damaged("record 'hidden'") }
    return .all
  }

  private func mailbox() async throws -> MailboxFixture {
    let mailbox = MailboxFixture()
    try await mailbox.register()
    try await mailbox.store.write(in: .everything(of: mailbox.store)) { store in
      let entry = MailboxEntry(
        position: 0, notificationID: "N1", subscriptionID: "s", collapseID: nil,
        payload: [0xff, 0x00], time: 0, requestID: "r")
      try store.mailboxes.enqueue(entry, to: mailbox.phone)
    }
    try await mailbox.put("N2", "N3")
    return mailbox
  }

  private func subjects(_ entries: [MailboxEntry]) throws -> [Notification.Subject] {
    try entries.map { try PushPayload.decode($0.payload).subject }
  }

  private let expected: [Notification.Subject] = [
    .fetchEverything, .fetchEverything, .zone(ZoneID(name: "Notes")),
  ]

  @Test func `a stream says fetch everything in place of what is damaged`() async throws {
    let mailbox = try await mailbox()
    let stream = EventStream(
      store: mailbox.store, signals: mailbox.signals, device: mailbox.phone,
      limits: mailbox.limits, clock: mailbox.clock.push, maySend: judge)
    let entries = try await stream.entries(after: 0, waiting: .zero)
    #expect(entries.ids == ["N1", "N2", "N3"])
    #expect(try subjects(entries) == expected)
    #expect(try await mailbox.log().isEmpty)
  }

  @Test func `a poll says fetch everything in place of what is damaged`() async throws {
    let mailbox = try await mailbox()
    let courier = Courier(
      store: mailbox.store, signals: mailbox.signals, inFlight: mailbox.inFlight,
      limits: mailbox.limits, clock: mailbox.clock.push, maySend: judge)
    let answer = try await courier.next(
      token: MailboxFixture.token, cursor: nil, waiting: .zero)
    let payload = try JSON(parsing: #require(answer).payload)
    #expect(payload["ck"]?["nid"] == "N1")
    #expect(payload["ck"]?["fet"] == nil)
  }

  @Test func `a push service is sent fetch everything in place of what is damaged`() async throws {
    let fixture = try await DeliveryWorkerFixture()
    let phone = try await fixture.register("phone")
    try await fixture.store.write(in: .everything(of: fixture.store)) { store in
      let entry = MailboxEntry(
        position: 0, notificationID: "N1", subscriptionID: "s", collapseID: nil,
        payload: [0xff, 0x00], time: 0, requestID: "r")
      try store.mailboxes.enqueue(entry, to: phone)
    }
    try await fixture.running(fixture.worker) {
      fixture.worker.hint([phone])
      await fixture.channel.arrived(1)
    }
    #expect(fixture.channel.sent.map(\.notification) == ["N1"])
    #expect(try await fixture.log().map(\.subject) == ["fetch everything"])
  }
}
