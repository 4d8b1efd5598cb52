import BrumeCore
import BrumeModel
import BrumeNotifier
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Testing

/// The notifier in a folder where what is stored of some subscribers is damaged.
extension DamagedRowsTests {
  private static let subscribers = ["ann", "ben", "cleo"]

  private static let alert: NotificationInfo = {
    var info = NotificationInfo()
    info.alert.literal = "new"
    return info
  }()

  @Test func `what is damaged of some subscribers keeps no push from the others`() async throws {
    let before = try await TestServer(store: try folder.openSQLite())
    try await notify(of: "known", by: before)
    for name in Self.subscribers { try await subscribe(name, at: before) }
    try await notify(of: "first", by: before)
    try await before.store.close()
    // The middle one of three leads to itself still.
    try mislead(try #require(KeyIndex.all.first { $0.table == "inboxes" }))
    let server = try await TestServer(store: try folder.openSQLite(), seed: 2)
    try await notify(of: "second", by: server)
    #expect(try await waiting(for: "ben", at: server) == 2)
    try await notify(of: "third", by: server)
    #expect(try await waiting(for: "ben", at: server) == 3)
    #expect(try await verdicts(on: "third", at: server).filter { $0 == .damaged }.count == 2)
    #expect((server.store.damagedRows?.reads ?? 0) > 0)
    try await server.store.close()
  }

  private func subscribe(_ name: String, at server: TestServer) async throws {
    let device = try await server.device("phone", of: name)
    try await server.engine.devices.register(as: device)
    let condition = Query(recordType: "Trail")
    let kind = Subscription.Kind.query(
      condition, zone: nil, firesOn: [.create], firesOnce: false)
    let results = try await server.engine.subscriptions.modify(
      [.save(Subscription(id: "trails", kind: kind, info: Self.alert))], in: .public,
      as: device)
    _ = try #require(results.first).get()
  }

  /// Somebody saves a record, and the notifier makes the pushes.
  private func notify(of record: String, by server: TestServer) async throws {
    let results = try await server.engine.records.modify(
      .init(
        zone: ZoneID(name: ZoneID.defaultName),
        operations: [.init(.create, RecordDraft(name: record, type: "Trail"))]),
      in: .public, as: server.device("pad", of: "dave"))
    _ = try #require(results.first).get()
    let notifier = Notifier(
      engine: server.engine, store: server.store, host: .test(clock: server.clock, seed: 1),
      encode: PushPayload.encode, delivery: TestDelivery())
    try await notifier.drain()
  }

  /// What 'push explain' says of each subscription.
  private func verdicts(on record: String, at server: TestServer) async throws -> [Trace.Verdict] {
    let tracing = Tracing(server.engine) { push, _ in
      Trace.Device(
        device: push.device.device.name, channel: push.channel.rawValue, verdict: .waiting,
        reason: "", source: .judged)
    }
    var question = TraceQuestion(in: server.anonymous().containerEnvironment)
    question.record = (record, ZoneID.defaultName)
    let (asked, now) = (question, server.clock.now)
    return try await server.store.read {
      try tracing.trace(asked, now: now, in: $0).subscriptions.map(\.verdict)
    }
  }

  private func waiting(for name: String, at server: TestServer) async throws -> Int {
    let caller = try await server.device("phone", of: name)
    let device = DeviceKey(
      in: caller.containerEnvironment, user: try caller.requireUser(), device: DeviceID("phone"))
    return try await server.store.read { try $0.mailboxes.count(of: device) }
  }
}
