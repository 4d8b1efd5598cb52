import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeNotifier
import BrumePush
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Testing

/// From a save through the rules to a device's stream, with everything in between.
@Suite(.timeLimit(.minutes(10))) struct SaveToPushTests {
  private let containerEnvironment = ContainerEnvironment(
    ContainerID("iCloud.org.example.trailbook"), .development)

  private func caller(_ device: String) -> Caller {
    Caller(
      in: containerEnvironment, user: UserID("_alice"),
      device: DeviceID(device), kind: .user, requestID: "save")
  }

  @Test func `PSH-01 a save on one device reaches the other's stream, not its own`() async throws {
    let fixture = MailboxFixture()
    let clock = fixture.clock
    let host = Host(
      now: { clock.now }, uuid: { "UUID" }, randomBytes: { Array(repeating: 7, count: $0) })
    let engine = try await Engine(
      store: fixture.store, limits: Limits(), host: host)
    let signals = fixture.signals
    let notifier = Notifier(
      engine: engine, store: fixture.store, host: host, encode: PushPayload.encode,
      delivery: TestDelivery { signals.signal($0.fetching) })
    let zone = ZoneID(name: "Notes")
    _ = try await engine.zones.modify(
      [ZoneOperation(.create, zone)], in: .private, as: caller("phone"))
    try await save("first", zone, engine)
    for device in ["phone", "tablet"] {
      try await engine.devices.register(as: caller(device))
    }
    let subscription = Subscription(
      id: "zone", kind: .zone(zone, recordType: nil), info: NotificationInfo())
    _ = try await engine.subscriptions.modify(
      [.save(subscription)], in: .private, as: caller("phone"))

    let tablet = DeviceKey(
      in: containerEnvironment, user: UserID("_alice"), device: DeviceID("tablet"))
    let stream = EventStream(
      store: fixture.store, signals: MailboxSignals(), device: tablet, limits: engine.limits,
      clock: clock.push, maySend: SendPermission(engine.permission))
    try await save("second", zone, engine)
    try await notifier.drain()
    let arrived = try await stream.entries(after: 0).entries
    let push = try PushPayload.decode(try #require(arrived.first).payload)
    #expect(push.subject == .zone(ZoneID(name: "Notes", ownerName: "_alice")))
    #expect(push.contentAvailable)
    let own = try await fixture.store.read { try $0.mailboxes.count(of: fixture.phone) }
    #expect(own == 0)
  }

  private func save(_ name: String, _ zone: ZoneID, _ engine: Engine) async throws {
    let draft = RecordDraft(
      name: name, type: "Note", fields: ["title": DraftField(.string("Milk"))])
    let results = try await engine.records.modify(
      ModifyRecordsRequest(zone: zone, operations: [RecordOperation(.create, draft)]),
      in: .private, as: caller("phone"))
    guard case .success = results.first else {
      Issue.record("the save failed: \(results)")
      return
    }
  }
}
