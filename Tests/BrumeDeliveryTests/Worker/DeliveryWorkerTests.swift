import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumePush
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Testing

/// From the mailbox to the channel's answer and back: nothing lost, nothing doubled but with its ID.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DeliveryWorkerTests {
  @Test func `mail goes out in order, leaves the mailbox and is logged with its request`()
    async throws
  {
    let world = try await DeliveryWorld()
    let phone = try await world.register("phone")
    for id in ["N1", "N2", "N3"] { try await world.put(id, to: phone) }
    try await world.running {
      let lines = try await world.logged(3)
      #expect(world.channel.sent.map(\.notification) == ["N1", "N2", "N3"])
      #expect(lines.map(\.requestID) == ["R-N1", "R-N2", "R-N3"])
      #expect(lines.map(\.verdict) == [.sent, .sent, .sent])
      #expect(lines[0].status == 200 && lines[0].subject == "zone Notes changed")
      let left = try await world.waiting(phone)
      #expect(left == [])
    }
  }

  @Test func `mail that waited while nobody ran is found without a hint`() async throws {
    let world = try await DeliveryWorld()
    let phone = try await world.register("phone")
    try await world.put("N1", to: phone)
    try await world.running(world.makeWorker()) { _ = try await world.logged(1) }
    #expect(world.channel.sent.map(\.notification) == ["N1"])
  }

  @Test func `however many devices have mail after a restart, all are found`() async throws {
    let world = try await DeliveryWorld()
    // More than are looked up in one transaction.
    for number in 0..<300 { try await world.put("N", to: try await world.register("p\(number)")) }
    try await world.running(world.makeWorker()) {
      _ = try await world.logged(300)
    }
    #expect(Set(world.channel.sent.map(\.device)).count == 300)
  }

  @Test func `more hints than are remembered make it look through the store`() async throws {
    var limits = Limits()
    limits.deliveryLanes = 2
    let world = try await DeliveryWorld(limits: limits)
    let phone = try await world.register("phone")
    try await world.running {
      // The first look found nothing, the next would come by time.
      await world.quiet()
      try await world.put("N1", to: phone, hinting: false)
      world.worker.hint([phone, phone, phone])
      _ = try await world.logged(1)
    }
    #expect(world.channel.sent.map(\.notification) == ["N1"])
  }

  @Test func `what waits to be tried again does not wait when the operator changed something`()
    async throws
  {
    let world = try await DeliveryWorld()
    let phone = try await world.register("phone")
    world.channel.answer("phone", .busy(after: 3_600_000))
    try await world.put("N1", to: phone)
    try await world.running {
      _ = try await world.logged(1)
      await world.quiet()
      world.worker.configurationChanged()
      await world.channel.arrived(2)
    }
    #expect(world.channel.sent.map(\.notification) == ["N1", "N1"])
  }

  @Test func `E1 a worker whose store had no room begins anew from what the store says`()
    async throws
  {
    let world = try await DeliveryWorld()
    let store = CrashingStore(world.store)
    let webhooks = WebhookChannel(
      concurrency: 1, outside: OutsideGuard(allowed: []) { _ in [] },
      exchange: { _ in OutsideReply(status: 200) })
    let worker = DeliveryWorker(
      engine: world.engine, store: store, channels: [world.channel], webhooks: webhooks,
      clock: world.clock.push, chance: { 1 })
    let phone = try await world.register("phone")
    for id in ["N1", "N2"] { try await world.put(id, to: phone) }
    // After looking for devices, for webhooks and into the mailbox: when the answer is noted.
    store.crash(afterCalls: 3, at: .beforeCommit)
    await #expect(throws: CrashingStore.Crash.self) { try await worker.run() }
    #expect(try await world.waiting(phone) == ["N1", "N2"])
    try await world.running(worker) { _ = try await world.logged(2) }
    #expect(world.channel.sent.map(\.notification) == ["N1", "N1", "N2"])
    #expect(world.channel.sent[0].id == world.channel.sent[1].id)
  }

  @Test func `N2 a push that failed goes again with the same ID, before the ones behind it`()
    async throws
  {
    let world = try await DeliveryWorld()
    let phone = try await world.register("phone")
    world.channel.answer("phone", .retry(after: nil), .busy(after: nil))
    for id in ["N1", "N2"] { try await world.put(id, to: phone) }
    try await world.running {
      _ = try await world.logged(1)
      await world.quiet()
      let waiting = try await world.waiting(phone)
      #expect(waiting == ["N1", "N2"])
      world.clock.advance(1000)
      _ = try await world.logged(2)
      await world.quiet()
      world.clock.advance(2000)
      let lines = try await world.logged(4)
      #expect(lines.map(\.verdict) == [.retry, .retry, .sent, .sent])
      #expect(lines.map(\.attempt) == [1, 2, 3, 1])
    }
    let sent = world.channel.sent
    #expect(sent.map(\.notification) == ["N1", "N1", "N1", "N2"])
    #expect(Set(sent.prefix(3).map(\.id)).count == 1)
    #expect(sent[3].id != sent[0].id)
  }

  @Test func `a worker that dies after sending sends again, with the same ID`() async throws {
    let world = try await DeliveryWorld()
    let phone = try await world.register("phone")
    try await world.put("N1", to: phone)
    world.channel.hold("phone")
    // The run is ended while the other side holds the answer.
    let worker = world.worker
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask(operation: { try? await worker.run() })
      await world.channel.arrived(1)
      group.cancelAll()
      world.channel.release("phone")
    }
    #expect(try await world.waiting(phone) == ["N1"])
    try await world.running(world.makeWorker()) { _ = try await world.logged(1) }
    #expect(world.channel.sent.map(\.notification) == ["N1", "N1"])
    #expect(Set(world.channel.sent.map(\.id)).count == 1)
  }

  @Test func `N8 a host that does not answer holds up nobody else`() async throws {
    let world = try await DeliveryWorld()
    for name in ["slow1", "slow2", "slow3"] {
      let key = try await world.register(name)
      world.channel.hold(name)
      try await world.put("S", to: key)
    }
    let quick = try await world.register("quick")
    for number in 1...20 { try await world.put("Q\(number)", to: quick) }
    try await world.running {
      let lines = try await world.logged(20)
      #expect(lines.allSatisfy { $0.device == "quick" })
      // Two at once for one host.
      #expect(world.channel.sent.filter { $0.device.hasPrefix("slow") }.count == 2)
      for name in ["slow1", "slow2", "slow3"] { world.channel.release(name) }
      _ = try await world.logged(23)
    }
  }

  // MARK: Devices that are gone

  @Test func `N9 a 410 newer than the registration forgets the device and its mail`() async throws {
    let world = try await DeliveryWorld()
    let phone = try await world.register("phone")
    world.channel.answer("phone", .gone(at: world.clock.now))
    try await world.put("N1", to: phone)
    try await world.running {
      let verdicts = try await world.logged(1).map(\.verdict)
      #expect(verdicts == [.gone])
      let known = try await world.store.read { try $0.device(phone) }
      #expect(known == nil)
      let left = try await world.waiting(phone)
      #expect(left == [])
    }
  }

  @Test func `N9 a 410 older than the registration keeps the device, and the push goes again`()
    async throws
  {
    let world = try await DeliveryWorld()
    let phone = try await world.register("phone")
    world.channel.answer("phone", .gone(at: world.clock.now - 1))
    try await world.put("N1", to: phone)
    try await world.running {
      let first = try await world.logged(1).map(\.verdict)
      #expect(first == [.retry])
      let known = try await world.store.read { try $0.device(phone) }
      #expect(known != nil)
      await world.quiet()
      world.clock.advance(1000)
      let verdicts = try await world.logged(2).map(\.verdict)
      #expect(verdicts == [.retry, .sent])
    }
    #expect(Set(world.channel.sent.map(\.id)).count == 1)
  }

  @Test
  func `N9 a 410 that stays older than the registration ends the sending, and the mail waits`()
    async throws
  {
    let world = try await DeliveryWorld()
    let attempts = Limits().goneAttempts
    let phone = try await world.register("phone")
    world.channel.answer("phone", goneFor: attempts + 5, at: world.clock.now - 1)
    for id in ["N1", "N2"] { try await world.put(id, to: phone) }
    try await world.running {
      for attempt in 1..<attempts {
        await world.channel.arrived(attempt)
        await world.quiet()
        world.clock.advance(Limits().deliveryBackoffMaximum)
      }
      await world.channel.arrived(attempts)
      await world.quiet()
      let lines = try await world.log()
      #expect(lines.map(\.attempt) == [1, 2, 4, 8, attempts])
      let last = try #require(lines.last)
      #expect(last.verdict == .gone && last.attempt == attempts)
      #expect(last.reason.contains("nothing is sent until it registers again"))
      // Neither time nor new mail starts it again.
      try await world.put("N3", to: phone)
      world.clock.advance(Limits().pushLife / 2)
      await world.quiet()
      #expect(world.channel.sent.count == attempts)
      let waiting = try await world.waiting(phone)
      #expect(waiting == ["N1", "N2", "N3"])
      // Registering does.
      world.channel.answer("phone", .done)
      try await world.register("phone", token: "new")
      world.worker.hint([phone])
      await world.channel.arrived(attempts + 3)
      await world.quiet()
      let left = try await world.waiting(phone)
      #expect(left == [])
    }
    #expect(world.channel.sent.suffix(3).map(\.notification) == ["N1", "N2", "N3"])
  }

  @Test func `a device that registered another token meanwhile is not forgotten`() async throws {
    let world = try await DeliveryWorld()
    let phone = try await world.register("phone", token: "old")
    world.channel.answer("phone", .gone(at: world.clock.now + 5000))
    world.channel.hold("phone")
    try await world.put("N1", to: phone)
    try await world.running {
      await world.channel.arrived(1)
      try await world.register("phone", token: "new")
      world.channel.release("phone")
      let verdicts = try await world.logged(1).map(\.verdict)
      #expect(verdicts == [.retry])
      let waiting = try await world.waiting(phone)
      #expect(waiting == ["N1"])
    }
  }

  // MARK: What is not sent

  @Test func `N11 a permission withdrawn between the save and the send means no push`()
    async throws
  {
    let world = try await DeliveryWorld()
    let phone = try await world.register("phone", user: "_bob")
    let shared = ZoneID(name: "Shared", ownerName: "_alice")
    // Bob is no participant of Alice's zone any more.
    try await world.put(
      "N1", to: phone, text: "Alice's secret",
      .query(zone: shared, recordName: "r", reason: .updated, fields: [:]), scope: .shared)
    try await world.put("N2", to: phone)
    try await world.running {
      let lines = try await world.logged(2)
      #expect(lines.map(\.verdict) == [.withdrawn, .sent])
      #expect(world.channel.sent.map(\.notification) == ["N2"])
      let left = try await world.waiting(phone)
      #expect(left == [])
    }
  }

  @Test func `N11 the same push is sent while the permission stands`() async throws {
    let world = try await DeliveryWorld()
    let phone = try await world.register("phone")
    let own = ZoneID(name: "Own", ownerName: "_alice")
    try await world.put(
      "N1", to: phone, .query(zone: own, recordName: "r", reason: .updated, fields: [:]))
    try await world.running {
      let verdicts = try await world.logged(1).map(\.verdict)
      #expect(verdicts == [.sent])
    }
  }

  @Test func `what will never be taken does not hold up what comes after`() async throws {
    let world = try await DeliveryWorld()
    let phone = try await world.register("phone")
    world.channel.answer("phone", .refused)
    for id in ["N1", "N2"] { try await world.put(id, to: phone) }
    try await world.running {
      let verdicts = try await world.logged(2).map(\.verdict)
      #expect(verdicts == [.refused, .sent])
    }
  }

  @Test func `a push that is too large is cut until it fits, with the same ID`() async throws {
    let world = try await DeliveryWorld()
    let phone = try await world.register("phone")
    world.channel.answer("phone", .tooLarge, .tooLarge)
    try await world.put("N1", to: phone, text: String(repeating: "é", count: 1900))
    try await world.running { _ = try await world.logged(1) }
    let sizes = world.channel.sent.map(\.size)
    #expect(sizes.count == 3)
    #expect(sizes[0] > 3800 && sizes[1] <= sizes[0] / 2 && sizes[2] <= sizes[1] / 2)
    #expect(Set(world.channel.sent.map(\.id)).count == 1)
  }

  @Test func `N6 what waited too long becomes one fetch-everything, never silence`() async throws {
    let world = try await DeliveryWorld()
    let phone = try await world.register("phone")
    try await world.put("N1", to: phone)
    world.clock.advance(Limits().pushLife + 1)
    try await world.running {
      let lines = try await world.logged(2)
      #expect(lines.map(\.verdict) == [.expired, .sent])
      #expect(lines[1].subject == "fetch everything")
    }
  }

  @Test func `N6 however many waited too long, one fetch-everything takes their place`()
    async throws
  {
    let world = try await DeliveryWorld()
    let phone = try await world.register("phone")
    for id in ["N1", "N2", "N3"] { try await world.put(id, to: phone) }
    world.clock.advance(Limits().pushLife + 1)
    try await world.put("N4", to: phone)
    try await world.running {
      let lines = try await world.logged(5)
      #expect(lines.map(\.verdict) == [.expired, .expired, .expired, .sent, .sent])
      #expect(lines.map(\.notificationID) == ["N1", "N2", "N3", "N4", "N3"])
      #expect(lines[4].subject == "fetch everything")
    }
  }

  @Test
  func `N6 a fetch-everything that nobody takes does not get too old, and those behind it do`()
    async throws
  {
    let world = try await DeliveryWorld()
    let phone = try await world.register("phone")
    for id in ["N1", "N2", "N3"] {
      try await world.put(id, to: phone)
      world.clock.advance(Limits().pushLife + 1)
      world.channel.answer("phone", .busy(after: nil))
      let sent = world.channel.sent.count
      try await world.running(world.makeWorker()) {
        await world.channel.arrived(sent + 1)
        await world.quiet()
      }
    }
    world.channel.answer("phone", .done)
    let before = try await world.log().count
    try await world.running(world.makeWorker()) {
      let lines = try await world.logged(before + 4).dropFirst(before)
      #expect(lines.map(\.verdict) == [.sent, .expired, .expired, .sent])
      #expect(lines.map(\.notificationID) == ["N1", "N2", "N3", "N3"])
      let waiting = try await world.waiting(phone)
      #expect(waiting == [])
    }
  }

  @Test func `N6 what gets too old beside a fetch-everything that waits needs no other`()
    async throws
  {
    let world = try await DeliveryWorld()
    let phone = try await world.register("phone")
    let half = Limits().pushLife / 2 + 1
    try await world.put("N1", to: phone)
    world.clock.advance(half)
    try await world.put("N2", to: phone)
    world.clock.advance(half)
    world.channel.answer("phone", .busy(after: nil))
    try await world.running { _ = try await world.logged(2) }
    world.clock.advance(half)
    try await world.running(world.makeWorker()) {
      let lines = try await world.logged(4)
      #expect(lines.map(\.verdict) == [.expired, .retry, .expired, .sent])
      #expect(lines.map(\.notificationID) == ["N1", "N2", "N2", "N1"])
      await world.quiet()
      let waiting = try await world.waiting(phone)
      #expect(waiting == [])
    }
    #expect(world.channel.sent.count == 2)
  }

  @Test func `a clock that is set back keeps no mail from being found`() async throws {
    let world = try await DeliveryWorld()
    let (phone, other) = (try await world.register("phone"), try await world.register("other"))
    try await world.running {
      await world.quiet()
      world.clock.advance(-3_600_000)
      try await world.put("N1", to: phone, hinting: false)
      // Something wakes it; at the latest its own sleep, which is a length of time.
      try await world.put("N2", to: other)
      await world.channel.arrived(1)
      await world.quiet()
    }
    #expect(Set(world.channel.sent.map(\.notification)) == ["N1", "N2"])
  }

  @Test func `what waited here has the rest of its life at the other side, a fetch-everything all`()
    async throws
  {
    let world = try await DeliveryWorld()
    let phone = try await world.register("phone")
    let (life, made) = (Limits().pushLife, world.clock.now)
    try await world.put("N1", to: phone)
    world.clock.advance(life - 1000)
    try await world.running {
      _ = try await world.logged(1)
      try await world.put("N2", to: phone, due: 500)
      await world.quiet()
      world.clock.advance(500)
      _ = try await world.logged(2)
    }
    let second = world.clock.now
    try await world.put("N3", to: phone)
    world.clock.advance(life + 1)
    try await world.running(world.makeWorker()) { _ = try await world.logged(4) }
    #expect(world.channel.sent.map(\.notification) == ["N1", "N2", "N3"])
    #expect(
      world.channel.sent.map(\.expires) == [made + life, second + life, world.clock.now + life])
  }

  @Test func `mail that waits to be merged is sent when it is due, not before`() async throws {
    let world = try await DeliveryWorld()
    let phone = try await world.register("phone")
    try await world.put("N1", to: phone, due: 800)
    try await world.running {
      await world.quiet()
      #expect(world.channel.sent == [])
      world.clock.advance(800)
      _ = try await world.logged(1)
    }
  }

  @Test func `devices that fetch for themselves are left alone`() async throws {
    let world = try await DeliveryWorld()
    let (tablet, phone) = (world.key("tablet"), try await world.register("phone"))
    let device = Device(key: tablet, channel: .stream, registered: 0)
    try await world.store.write(in: nil) { try $0.put(device) }
    try await world.put("N1", to: tablet)
    try await world.put("N2", to: phone)
    try await world.running {
      _ = try await world.logged(1)
      let waiting = try await world.waiting(tablet)
      #expect(waiting == ["N1"])
    }
  }
}
