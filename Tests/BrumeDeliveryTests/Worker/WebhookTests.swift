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
    container: DeliveryWorld.container, environment: .development, owner: UserID("_alice"))

  private func add(_ world: DeliveryWorld) async throws -> Webhook {
    try await world.engine.addWebhook(
      url: "https://hook.example/in", container: DeliveryWorld.container,
      environment: .development)
  }

  private func enable(_ id: String, _ world: DeliveryWorld) async throws {
    try await world.engine.enableWebhook(
      id, container: DeliveryWorld.container, environment: .development)
  }

  private func change(
    _ names: String..., in world: DeliveryWorld, container: ContainerID = DeliveryWorld.container,
    environment: Environment = .development
  ) async throws {
    let database = DatabaseKey(
      container: container, environment: environment, owner: UserID("_alice"))
    let zone = ZoneKey(database: database, name: "Notes")
    let now = world.clock.now
    try await world.store.write(in: database) { store in
      for name in names {
        let origin = Origin(user: UserID("_alice"), device: nil, requestID: "R-\(name)", time: now)
        let change = RecordChange(
          record: RecordKey(zone: zone, name: name), recordType: "Note", kind: .updated, image: nil)
        try store.append(.record(change), in: database, origin: origin)
      }
    }
  }

  private func calls(_ world: DeliveryWorld) throws -> [(id: String, names: [String])] {
    try world.hook.all.map { call in
      let body = try JSON(parsing: call.body)
      return (
        call["webhook-id"] ?? "",
        (body["changes"]?.array ?? []).compactMap { $0["recordName"]?.string }
      )
    }
  }

  private func webhook(_ id: String, _ world: DeliveryWorld) async throws -> Webhook? {
    try await world.store.read { try $0.webhook(id) }
  }

  @Test func `changes arrive in order, signed, only those of the container and environment`()
    async throws
  {
    let world = try await DeliveryWorld()
    try await change("before", in: world)
    let hook = try await add(world)
    try await change("a", "b", in: world)
    try await change("other", in: world, container: ContainerID("iCloud.org.example.other"))
    try await change("published", in: world, environment: .production)
    try await change("c", in: world)
    try await world.running { _ = try await world.logged(1) }
    #expect(try calls(world).flatMap(\.names) == ["a", "b", "c"])
    let call = world.hook.all[0]
    let expected = WebhookChannel.signature(
      call.body, id: call["webhook-id"] ?? "", time: call["webhook-timestamp"] ?? "", hook.secret)
    #expect(call["webhook-signature"] == expected)
    #expect(try await webhook(hook.id, world)?.cursor == 6)
  }

  @Test func `an answer that comes when the log was given up does not take the webhook back`()
    async throws
  {
    var limits = Limits()
    limits.webhookChanges = 1
    let world = try await DeliveryWorld(limits: limits)
    let (hook, store, bodies) = (try await add(world), world.store, Mutexed<[[UInt8]]>([]))
    let channel = WebhookChannel(
      concurrency: 1, outside: OutsideGuard(allowed: []) { _ in [.v4(0x0808_0808)] },
      exchange: { call in
        bodies.value.append(call.body)
        if bodies.value.count == 1 {
          // The notifier moves on what is too far behind.
          try await store.write(in: nil) { store in
            guard var moved = try store.webhook(hook.id) else { return }
            (moved.cursor, moved.batchEnd, moved.missed) = (2, nil, true)
            try store.put(moved)
          }
        }
        return OutsideReply(status: 200)
      })
    let worker = DeliveryWorker(
      engine: world.engine, store: store, channels: [], webhooks: channel, clock: world.clock.push,
      chance: { 1 })
    try await change("a", "b", "c", in: world)
    try await world.running(worker) { _ = try await world.logged(2) }
    let calls = try bodies.value.map { try JSON(parsing: $0) }
    #expect(calls.map { $0["changes"]?.array?.first?["recordName"]?.string } == ["a", "c"])
    #expect(calls.map { $0["missed"] } == [.bool(false), .bool(true)])
  }

  @Test(arguments: [500, 400, 413])
  func `a failed call goes again with the same ID and changes, newer ones wait:`(status: Int)
    async throws
  {
    let world = try await DeliveryWorld()
    world.hookAnswers.value = [OutsideReply(status: status), OutsideReply(status: 200)]
    let hook = try await add(world)
    try await change("a", in: world)
    try await world.running {
      _ = try await world.logged(1)
      await world.quiet()
      try await change("b", in: world)
      world.clock.advance(1000)
      let lines = try await world.logged(3)
      #expect(lines.map(\.verdict) == [.retry, .sent, .sent])
    }
    let calls = try calls(world)
    #expect(calls.map(\.names) == [["a"], ["a"], ["b"]])
    #expect(calls[0].id == calls[1].id && calls[1].id != calls[2].id)
    #expect(try await webhook(hook.id, world)?.failures == 0)
  }

  @Test func `too many failures in a row switch it off, visibly; enabling goes on`() async throws {
    var limits = Limits()
    limits.webhookFailures = 2
    let world = try await DeliveryWorld(limits: limits)
    world.hookAnswers.value = [
      OutsideReply(status: 500), OutsideReply(status: 404), OutsideReply(status: 200),
    ]
    let hook = try await add(world)
    try await change("a", in: world)
    try await world.running {
      _ = try await world.logged(1)
      await world.quiet()
      world.clock.advance(1000)
      _ = try await world.logged(2)
      await world.quiet()
      let off = try await webhook(hook.id, world)
      #expect(off?.disabledBecause == "failed 2 times in a row, last: status 404")
      try await enable(hook.id, world)
      world.worker.configurationChanged()
      _ = try await world.logged(3)
    }
    #expect(try await webhook(hook.id, world)?.isActive == true)
    #expect(try calls(world).map(\.names) == [["a"], ["a"], ["a"]])
  }

  @Test func `a receiver that answers 410 is not called again`() async throws {
    let world = try await DeliveryWorld()
    world.hookAnswers.value = [OutsideReply(status: 410)]
    let hook = try await add(world)
    try await change("a", in: world)
    try await world.running {
      _ = try await world.logged(1)
      await world.quiet()
      try await change("b", in: world)
      await world.quiet()
    }
    #expect(try await webhook(hook.id, world)?.disabledBecause == "answered 410")
    #expect(world.hook.all.count == 1)
  }

  @Test(arguments: [nil, "answered 410"])
  func `the log is kept for a webhook that is behind, on or off, but not without end:`(
    disabledBecause: String?
  ) async throws {
    var limits = Limits()
    limits.webhookLag = 3
    let world = try await DeliveryWorld(limits: limits)
    var hook = try await add(world)
    hook.disabledBecause = disabledBecause
    hook.batchEnd = 1
    try await world.store.write(in: nil) { [hook] in try $0.put(hook) }
    try await change("a", "b", "c", "d", "e", in: world)
    let floors = try await world.store.write(in: nil) { [limits] store in
      [
        try store.trimmable(through: 2, limits: limits),
        try store.trimmable(through: 5, limits: limits),
      ]
    }
    #expect(floors == [0, 2])
    let behind = try await webhook(hook.id, world)
    #expect(behind?.missed == true)
    // The call that was begun is of changes that are given up.
    #expect(behind?.cursor == 2 && behind?.batchEnd == nil)
    try await world.store.write(in: nil) { try $0.trimLog(through: 2) }
    try await enable(hook.id, world)
    try await world.running { _ = try await world.logged(1) }
    let body = try JSON(parsing: world.hook.all[0].body)
    #expect(body["missed"]?.bool == true)
    #expect(try calls(world).map(\.names) == [["c", "d", "e"]])
    #expect(try await webhook(hook.id, world)?.missed == false)
  }

  @Test(arguments: [
    (ContainerID("iCloud.org.example.other"), Environment.development),
    (DeliveryWorld.container, .production),
  ])
  func `a webhook is changed only under its own container and environment, not:`(
    container: ContainerID, environment: Environment
  ) async throws {
    let world = try await DeliveryWorld()
    var hook = try await add(world)
    hook.disabledBecause = "answered 410"
    try await world.store.write(in: nil) { [hook] in try $0.put(hook) }
    let changes = [
      { try await world.engine.enableWebhook($0, container: $1, environment: $2) },
      { try await world.engine.removeWebhook($0, container: $1, environment: $2) },
      { _ = try await world.engine.webhook($0, container: $1, environment: $2) },
    ]
    for change in changes {
      let error = await #expect(throws: BrumeError.self) {
        try await change(hook.id, container, environment)
      }
      #expect(error?.code == .notFound)
      #expect(
        error?.reason.hasSuffix(
          "is not of \(container) in \(environment.rawValue) but of \(DeliveryWorld.container) in "
            + "development; name these with --container and --environment") == true)
    }
    #expect(try await webhook(hook.id, world) == hook)
    let own = (DeliveryWorld.container, Environment.development)
    try await changes[0](hook.id, own.0, own.1)
    #expect(try await webhook(hook.id, world)?.isActive == true)
    try await changes[1](hook.id, own.0, own.1)
    #expect(try await webhook(hook.id, world) == nil)
    for change in changes {
      await #expect(throws: BrumeError.self) { try await change(hook.id, own.0, own.1) }
    }
  }

  @Test(arguments: [(200, PushLogEntry.Verdict.sent), (500, .refused)])
  func `a test calls once without changes, moves nothing, and is in the log:`(
    status: Int, verdict: PushLogEntry.Verdict
  ) async throws {
    let world = try await DeliveryWorld()
    world.hookAnswers.value = [OutsideReply(status: status)]
    let hook = try await add(world)
    try await change("a", in: world)
    let line = try await world.worker.test(hook, messageID: "msg_test", requestID: "R")
    #expect(line.verdict == verdict && line.status == status)
    #expect(line.requestID == "R" && line.device == hook.id && line.notificationID == "msg_test")
    #expect(try await world.log().map(\.notificationID) == ["msg_test"])
    #expect(try calls(world).map(\.names) == [[]])
    #expect(try await webhook(hook.id, world) == hook)
  }

  @Test(arguments: [(changes: 2, bytes: 1 << 20), (changes: 100, bytes: 512)])
  func `large batches are split, nothing is lost between:`(changes: Int, bytes: Int) async throws {
    var limits = Limits()
    limits.webhookChanges = changes
    // A change without its record counts as 256.
    limits.webhookBytes = bytes
    let world = try await DeliveryWorld(limits: limits)
    _ = try await add(world)
    try await change("a", "b", "c", "d", "e", in: world)
    try await world.running { _ = try await world.logged(3) }
    #expect(try calls(world).map(\.names) == [["a", "b"], ["c", "d"], ["e"]])
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
  func `only 2xx is a yes:`(status: Int, isDone: Bool) {
    let answer = WebhookChannel.answer(OutsideReply(status: status, retryAfter: "4"), now: 0)
    #expect((answer.verdict == .done) == isDone)
  }
}
