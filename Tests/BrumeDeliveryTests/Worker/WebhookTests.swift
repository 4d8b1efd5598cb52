import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumePush
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct WebhookTests {
  private let database = DatabaseKey(
    in: DeliveryWorkerFixture.containerEnvironment, owner: UserID("_alice"))

  private func add(_ fixture: DeliveryWorkerFixture) async throws -> Webhook {
    try await fixture.engine.webhooks.add(
      url: "https://hook.example/in", in: DeliveryWorkerFixture.containerEnvironment)
  }

  private func enable(_ id: String, _ fixture: DeliveryWorkerFixture) async throws {
    try await fixture.engine.webhooks.enable(id, in: DeliveryWorkerFixture.containerEnvironment)
  }

  private func change(
    _ names: String..., in fixture: DeliveryWorkerFixture,
    of containerEnvironment: ContainerEnvironment = DeliveryWorkerFixture.containerEnvironment
  ) async throws {
    let database = DatabaseKey(in: containerEnvironment, owner: UserID("_alice"))
    let zone = ZoneKey(database: database, name: "Notes")
    let now = fixture.clock.now
    try await fixture.store.write(in: .database(database)) { store in
      for name in names {
        let origin = Origin(user: UserID("_alice"), device: nil, requestID: "R-\(name)", time: now)
        let change = RecordChange(
          record: RecordKey(zone: zone, name: name), recordType: "Note", kind: .updated, image: nil)
        try store.log.append(.record(change), in: database, origin: origin)
      }
    }
  }

  private func calls(_ fixture: DeliveryWorkerFixture) throws -> [(id: String, names: [String])] {
    try fixture.hook.all.map { call in
      let body = try JSON(parsing: call.body)
      return (
        call["webhook-id"] ?? "",
        (body["changes"]?.array ?? []).compactMap { $0["recordName"]?.string }
      )
    }
  }

  private func webhook(_ id: String, _ fixture: DeliveryWorkerFixture) async throws -> Webhook? {
    try await fixture.store.read { try $0.webhooks.find(id) }
  }

  @Test func `changes arrive in order, signed, only those of the container and environment`()
    async throws
  {
    let fixture = try await DeliveryWorkerFixture()
    try await change("before", in: fixture)
    let hook = try await add(fixture)
    try await change("a", "b", in: fixture)
    try await change(
      "other", in: fixture,
      of: ContainerEnvironment(ContainerID("iCloud.org.example.other"), .development))
    try await change(
      "published", in: fixture,
      of: ContainerEnvironment(DeliveryWorkerFixture.container, .production))
    try await change("c", in: fixture)
    try await fixture.running { _ = try await fixture.logged(1) }
    #expect(try calls(fixture).flatMap(\.names) == ["a", "b", "c"])
    let call = fixture.hook.all[0]
    let expected = WebhookChannel.signature(
      call.body, id: call["webhook-id"] ?? "", time: call["webhook-timestamp"] ?? "", hook.secret)
    #expect(call["webhook-signature"] == expected)
    #expect(try await webhook(hook.id, fixture)?.cursor[.only] == 6)
  }

  @Test func `an answer that comes when the log was given up does not take the webhook back`()
    async throws
  {
    var limits = Limits()
    limits.webhookChanges = 1
    let fixture = try await DeliveryWorkerFixture(limits: limits)
    let (hook, store, bodies) = (try await add(fixture), fixture.store, Mutexed<[[UInt8]]>([]))
    let channel = WebhookChannel(
      concurrency: 1, outside: OutsideGuard(allowed: []) { _ in [.v4(0x0808_0808)] },
      exchange: { call in
        bodies.value.append(call.body)
        if bodies.value.count == 1 {
          // The notifier moves on what is too far behind.
          try await store.write(in: .all) { store in
            guard var moved = try store.webhooks.find(hook.id) else { return }
            (moved.cursor[.only], moved.batchEnd, moved.missed) = (2, nil, true)
            try store.webhooks.put(moved)
          }
        }
        return OutsideReply(status: 200)
      })
    let worker = DeliveryWorker(
      engine: fixture.engine, store: store, channels: [], webhooks: channel,
      clock: fixture.clock.push,
      chance: { 1 })
    try await change("a", "b", "c", in: fixture)
    try await fixture.running(worker) { _ = try await fixture.logged(2) }
    let calls = try bodies.value.map { try JSON(parsing: $0) }
    #expect(calls.map { $0["changes"]?.array?.first?["recordName"]?.string } == ["a", "c"])
    #expect(calls.map { $0["missed"] } == [.bool(false), .bool(true)])
  }

  @Test(arguments: [500, 400, 413])
  func `a failed call goes again with the same ID and changes, newer ones wait:`(status: Int)
    async throws
  {
    let fixture = try await DeliveryWorkerFixture()
    fixture.hookAnswers.value = [OutsideReply(status: status), OutsideReply(status: 200)]
    let hook = try await add(fixture)
    try await change("a", in: fixture)
    try await fixture.running {
      _ = try await fixture.logged(1)
      await fixture.quiet()
      try await change("b", in: fixture)
      fixture.clock.advance(1000)
      let lines = try await fixture.logged(3)
      #expect(lines.map(\.verdict) == [.retry, .sent, .sent])
    }
    let calls = try calls(fixture)
    #expect(calls.map(\.names) == [["a"], ["a"], ["b"]])
    #expect(calls[0].id == calls[1].id && calls[1].id != calls[2].id)
    #expect(try await webhook(hook.id, fixture)?.failures == 0)
  }

  @Test func `too many failures in a row switch it off, visibly; enabling goes on`() async throws {
    var limits = Limits()
    limits.webhookFailures = 2
    let fixture = try await DeliveryWorkerFixture(limits: limits)
    fixture.hookAnswers.value = [
      OutsideReply(status: 500), OutsideReply(status: 404), OutsideReply(status: 200),
    ]
    let hook = try await add(fixture)
    try await change("a", in: fixture)
    try await fixture.running {
      _ = try await fixture.logged(1)
      await fixture.quiet()
      fixture.clock.advance(1000)
      _ = try await fixture.logged(2)
      await fixture.quiet()
      let off = try await webhook(hook.id, fixture)
      #expect(off?.disabledBecause == "failed 2 times in a row, last: status 404")
      try await enable(hook.id, fixture)
      fixture.worker.configurationChanged()
      _ = try await fixture.logged(3)
    }
    #expect(try await webhook(hook.id, fixture)?.isActive == true)
    #expect(try calls(fixture).map(\.names) == [["a"], ["a"], ["a"]])
  }

  @Test
  func
    `one that is switched off by hand is not called, and has what it missed when it is on again`()
    async throws
  {
    let fixture = try await DeliveryWorkerFixture()
    let hook = try await add(fixture)
    try await change("a", in: fixture)
    try await fixture.running {
      _ = try await fixture.logged(1)
      await fixture.quiet()
      let own = DeliveryWorkerFixture.containerEnvironment
      try await fixture.engine.webhooks.disable(hook.id, in: own)
      try await change("b", in: fixture)
      await fixture.quiet()
      #expect(try calls(fixture).map(\.names) == [["a"]])
      #expect(try await webhook(hook.id, fixture)?.disabledBecause == Webhook.switchedOffByHand)
      try await enable(hook.id, fixture)
      fixture.worker.configurationChanged()
      _ = try await fixture.logged(2)
    }
    #expect(try calls(fixture).map(\.names) == [["a"], ["b"]])
  }

  @Test func `switching off keeps the reason that the server had`() async throws {
    let fixture = try await DeliveryWorkerFixture()
    var hook = try await add(fixture)
    hook.disabledBecause = "answered 410"
    try await fixture.store.write(in: .all) { [hook] in try $0.webhooks.put(hook) }
    try await fixture.engine.webhooks.disable(
      hook.id, in: DeliveryWorkerFixture.containerEnvironment)
    #expect(try await webhook(hook.id, fixture)?.disabledBecause == "answered 410")
  }

  @Test func `a receiver that answers 410 is not called again`() async throws {
    let fixture = try await DeliveryWorkerFixture()
    fixture.hookAnswers.value = [OutsideReply(status: 410)]
    let hook = try await add(fixture)
    try await change("a", in: fixture)
    try await fixture.running {
      _ = try await fixture.logged(1)
      await fixture.quiet()
      try await change("b", in: fixture)
      await fixture.quiet()
    }
    #expect(try await webhook(hook.id, fixture)?.disabledBecause == "answered 410")
    #expect(fixture.hook.all.count == 1)
  }

  @Test(arguments: [nil, "answered 410"])
  func `the log is kept for a webhook that is behind, on or off, but not without end:`(
    disabledBecause: String?
  ) async throws {
    var limits = Limits()
    limits.webhookLag = 3
    let fixture = try await DeliveryWorkerFixture(limits: limits)
    var hook = try await add(fixture)
    hook.disabledBecause = disabledBecause
    hook.batchEnd = .init(bucket: .only, position: 1)
    try await fixture.store.write(in: .all) { [hook] in try $0.webhooks.put(hook) }
    try await change("a", "b", "c", "d", "e", in: fixture)
    let floors = try await fixture.store.write(in: .all) { [limits] store in
      [
        try store.webhooks.trimmable(in: .only, through: 2, limits: limits),
        try store.webhooks.trimmable(in: .only, through: 5, limits: limits),
      ]
    }
    #expect(floors == [0, 2])
    let behind = try await webhook(hook.id, fixture)
    #expect(behind?.missed == true)
    // The call that was begun is of changes that are given up.
    #expect(behind?.cursor[.only] == 2 && behind?.batchEnd == nil)
    try await fixture.store.write(in: .all) { try $0.log.trim(in: .only, through: 2) }
    try await enable(hook.id, fixture)
    try await fixture.running { _ = try await fixture.logged(1) }
    let body = try JSON(parsing: fixture.hook.all[0].body)
    #expect(body["missed"]?.bool == true)
    #expect(try calls(fixture).map(\.names) == [["c", "d", "e"]])
    #expect(try await webhook(hook.id, fixture)?.missed == false)
  }

  @Test(arguments: [
    ContainerEnvironment(ContainerID("iCloud.org.example.other"), .development),
    ContainerEnvironment(DeliveryWorkerFixture.container, .production),
  ])
  func `a webhook is changed only under its own container and environment, not:`(
    in containerEnvironment: ContainerEnvironment
  ) async throws {
    let fixture = try await DeliveryWorkerFixture()
    var hook = try await add(fixture)
    hook.disabledBecause = "answered 410"
    try await fixture.store.write(in: .all) { [hook] in try $0.webhooks.put(hook) }
    let changes = [
      { try await fixture.engine.webhooks.enable($0, in: $1) },
      { try await fixture.engine.webhooks.remove($0, in: $1) },
      { try await fixture.engine.webhooks.disable($0, in: $1) },
      { _ = try await fixture.engine.webhooks.find($0, in: $1) },
    ]
    for change in changes {
      let error = await #expect(throws: BrumeError.self) {
        try await change(hook.id, containerEnvironment)
      }
      #expect(error?.code == .notFound)
      #expect(
        error?.reason.hasSuffix(
          "is not of \(containerEnvironment.container) in "
            + "\(containerEnvironment.environment.rawValue) but of \(DeliveryWorkerFixture.container) in "
            + "development; name these with --container and --environment") == true)
    }
    #expect(try await webhook(hook.id, fixture) == hook)
    let own = DeliveryWorkerFixture.containerEnvironment
    try await changes[0](hook.id, own)
    #expect(try await webhook(hook.id, fixture)?.isActive == true)
    try await changes[1](hook.id, own)
    #expect(try await webhook(hook.id, fixture) == nil)
    for change in changes {
      await #expect(throws: BrumeError.self) { try await change(hook.id, own) }
    }
  }

  @Test(arguments: [(200, PushLogEntry.Verdict.sent), (500, .refused)])
  func `a test calls once without changes, moves nothing, and is in the log:`(
    status: Int, verdict: PushLogEntry.Verdict
  ) async throws {
    let fixture = try await DeliveryWorkerFixture()
    fixture.hookAnswers.value = [OutsideReply(status: status)]
    let hook = try await add(fixture)
    try await change("a", in: fixture)
    let line = try await fixture.worker.test(hook, messageID: "msg_test", requestID: "R")
    #expect(line.verdict == verdict && line.status == status)
    #expect(line.requestID == "R" && line.device == hook.id && line.notificationID == "msg_test")
    #expect(try await fixture.log().map(\.notificationID) == ["msg_test"])
    #expect(try calls(fixture).map(\.names) == [[]])
    #expect(try await webhook(hook.id, fixture) == hook)
  }

  @Test(arguments: [
    (changes: 2, bytes: 1 << 20), (changes: 100, bytes: 512), (changes: 100, bytes: 767),
  ])
  func `large batches are split, nothing is lost between:`(changes: Int, bytes: Int) async throws {
    var limits = Limits()
    limits.webhookChanges = changes
    // A change without its record counts as 256.
    limits.webhookBytes = bytes
    let fixture = try await DeliveryWorkerFixture(limits: limits)
    _ = try await add(fixture)
    try await change("a", "b", "c", "d", "e", in: fixture)
    try await fixture.running { _ = try await fixture.logged(3) }
    #expect(try calls(fixture).map(\.names) == [["a", "b"], ["c", "d"], ["e"]])
  }

  @Test func `a repeated call goes without records for which there is no room any more`()
    async throws
  {
    var limits = Limits()
    limits.webhookBytes = 8000
    let fixture = try await DeliveryWorkerFixture(limits: limits)
    fixture.hookAnswers.value = [OutsideReply(status: 500), OutsideReply(status: 200)]
    _ = try await add(fixture)
    for name in ["a", "b", "c"] { try await put(name, characters: 1, in: fixture) }
    try await change("a", "b", "c", in: fixture)
    try await fixture.running {
      _ = try await fixture.logged(1)
      await fixture.quiet()
      for name in ["a", "b"] { try await put(name, characters: 4000, in: fixture) }
      fixture.clock.advance(1000)
      _ = try await fixture.logged(2)
    }
    let calls = try calls(fixture)
    #expect(calls.map(\.names) == [["a", "b", "c"], ["a", "b", "c"]])
    #expect(calls[0].id == calls[1].id)
    // "b" has become too large, and "c" fits in as before.
    let changes = try fixture.hook.all.map { try JSON(parsing: $0.body)["changes"]?.array ?? [] }
    #expect(changes[0].map { $0["record"] != nil } == [true, true, true])
    #expect(changes[1].map { $0["record"] != nil } == [true, false, true])
    #expect(fixture.hook.all[1].body.count < 8000)
  }

  @Test func `a call whose entries are all gone does not keep the webhook from those behind`()
    async throws
  {
    let fixture = try await DeliveryWorkerFixture()
    var hook = try await add(fixture)
    hook.batchEnd = .init(bucket: .only, position: 2)
    try await change("a", "b", "c", in: fixture)
    try await fixture.store.write(in: .all) { [hook] store in
      try store.webhooks.put(hook)
      try store.log.trim(in: .only, through: 2)
    }
    try await fixture.running { _ = try await fixture.logged(1) }
    #expect(try calls(fixture).map(\.names) == [["c"]])
    #expect(try await webhook(hook.id, fixture)?.cursor[.only] == 3)
  }

  private func put(
    _ name: String, characters: Int, in fixture: DeliveryWorkerFixture
  ) async throws {
    let zone = ZoneKey(database: database, name: "Notes")
    let title = FieldValue.string(String(repeating: "x", count: characters))
    let record = Record(name: name, zone: zone.id, type: "Note", fields: ["title": title])
    try await fixture.store.write(in: .database(database)) { [database] store in
      let sequence = try store.sequences.next(in: database)
      try store.records.put(record, in: zone, sequence: sequence)
    }
  }

  /// The example of the Standard Webhooks specification's libraries.
  @Test func `a signature is what the specification's libraries make`() {
    let secret = Base64.bytes("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") ?? []
    let signature = WebhookChannel.signature(
      Array(#"{"test": 2432232314}"#.utf8), id: "msg_p5jXN8AQM9LWM0D4loKWxJek", time: "1614265330",
      secret)
    #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  }

  @Test(arguments: [
    (200, true), (204, true), (299, true), (301, false), (400, false), (503, false),
  ])
  func `only a status of 2xx counts as delivered:`(status: Int, isDone: Bool) {
    let answer = WebhookChannel.answer(OutsideReply(status: status, retryAfter: "4"), now: 0)
    #expect((answer.verdict == .done) == isDone)
  }
}
