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
  @Test func `entries are sent in order, leave the mailbox and are logged with their request`()
    async throws
  {
    let fixture = try await DeliveryWorkerFixture()
    let phone = try await fixture.register("phone")
    for id in ["N1", "N2", "N3"] { try await fixture.put(id, to: phone) }
    try await fixture.running {
      let lines = try await fixture.logged(3)
      #expect(fixture.channel.sent.map(\.notification) == ["N1", "N2", "N3"])
      #expect(lines.map(\.requestID) == ["R-N1", "R-N2", "R-N3"])
      #expect(lines.map(\.verdict) == [.sent, .sent, .sent])
      #expect(lines[0].status == 200 && lines[0].subject == "zone Notes changed")
      let left = try await fixture.waiting(phone)
      #expect(left == [])
    }
  }

  @Test func `an entry that waited while no worker ran is found without a hint`() async throws {
    let fixture = try await DeliveryWorkerFixture()
    let phone = try await fixture.register("phone")
    try await fixture.put("N1", to: phone)
    try await fixture.running(fixture.makeWorker()) { _ = try await fixture.logged(1) }
    #expect(fixture.channel.sent.map(\.notification) == ["N1"])
  }

  @Test func `however many devices have pending entries after a restart, all are found`()
    async throws
  {
    let fixture = try await DeliveryWorkerFixture()
    // More than are looked up in one transaction.
    for number in 0..<300 {
      try await fixture.put("N", to: try await fixture.register("p\(number)"))
    }
    try await fixture.running(fixture.makeWorker()) {
      _ = try await fixture.logged(300)
    }
    #expect(Set(fixture.channel.sent.map(\.device)).count == 300)
  }

  @Test func `more hints than are remembered make it look through the store`() async throws {
    var limits = Limits()
    limits.deliveryLanes = 2
    let fixture = try await DeliveryWorkerFixture(limits: limits)
    let phone = try await fixture.register("phone")
    try await fixture.running {
      // The first look found nothing, the next would come by time.
      await fixture.quiet()
      try await fixture.put("N1", to: phone, hinting: false)
      fixture.worker.hint([phone, phone, phone])
      _ = try await fixture.logged(1)
    }
    #expect(fixture.channel.sent.map(\.notification) == ["N1"])
  }

  /// Two devices of a host of which one may be sent to at a time.
  private func onePlaceForTwo() async throws -> (DeliveryWorkerFixture, DeviceKey, DeviceKey) {
    var limits = Limits()
    limits.deliveryLanesPerPeer = 1
    let fixture = try await DeliveryWorkerFixture(limits: limits)
    // With letters in front that are the same, they have one host.
    return (fixture, try await fixture.register("phone"), try await fixture.register("player"))
  }

  @Test
  func `a device that cannot be sent to gives its place to one with a push, and is found again`()
    async throws
  {
    let (fixture, phone, player) = try await onePlaceForTwo()
    fixture.channel.answer("phone", .retry(after: 3_600_000))
    try await fixture.put("N1", to: phone)
    try await fixture.running {
      _ = try await fixture.logged(1)
      await fixture.quiet()
      try await fixture.put("N2", to: player)
      await fixture.channel.arrived(3)
    }
    #expect(fixture.channel.sent.map(\.notification) == ["N1", "N2", "N1"])
  }

  @Test func `devices that cannot be sent to keep no other that a look finds from its push`()
    async throws
  {
    let (fixture, phone, player) = try await onePlaceForTwo()
    let unsent = Array(repeating: ChannelAnswer.Verdict.retry(after: 3_600_000), count: 99)
    fixture.channel.answer("phone", unsent)
    for device in [phone, player] { try await fixture.put("N", to: device, hinting: false) }
    try await fixture.running {
      // So many looks, all within the first pause of the one.
      for _ in 0..<18 {
        await fixture.quiet()
        fixture.clock.advance(fixture.engine.limits.deliveryScan)
      }
      await fixture.quiet()
    }
    #expect(fixture.channel.sent.contains { $0.device == "player" })
    // Which has gone, and the other one is tried again in its place.
    #expect(fixture.channel.sent.last?.device == "phone" && fixture.worker.status.lanes == 1)
    #expect(try await fixture.waiting(phone) == ["N"])
  }

  @Test func `what waits to be tried again does not wait when the operator changed something`()
    async throws
  {
    let fixture = try await DeliveryWorkerFixture()
    let phone = try await fixture.register("phone")
    fixture.channel.answer("phone", .busy(after: 3_600_000))
    try await fixture.put("N1", to: phone)
    try await fixture.running {
      _ = try await fixture.logged(1)
      await fixture.quiet()
      fixture.worker.configurationChanged()
      await fixture.channel.arrived(2)
    }
    #expect(fixture.channel.sent.map(\.notification) == ["N1", "N1"])
  }

  @Test func `what failed is sent again when somebody asks for it, and only to whom it is meant`()
    async throws
  {
    let fixture = try await DeliveryWorkerFixture()
    let (phone, tablet) = (
      try await fixture.register("phone"), try await fixture.register("tablet")
    )
    for (name, device) in [("phone", phone), ("tablet", tablet)] {
      fixture.channel.answer(name, .retry(after: 3_600_000))
      try await fixture.put("N-\(name)", to: device)
    }
    try await fixture.running {
      _ = try await fixture.logged(2)
      await fixture.quiet()
      #expect(fixture.worker.retry { $0 == .device(tablet) } == 1)
      await fixture.channel.arrived(3)
      await fixture.quiet()
      #expect(fixture.worker.retry { _ in true } == 1)
      await fixture.channel.arrived(4)
    }
    #expect(
      fixture.channel.sent.dropFirst(2).map(\.notification) == ["N-tablet", "N-phone"])
  }

  @Test func `E1 a worker whose store had no room begins anew from what the store says`()
    async throws
  {
    let fixture = try await DeliveryWorkerFixture()
    let store = CrashingStore(fixture.store)
    let worker = fixture.makeWorker(on: store)
    let phone = try await fixture.register("phone")
    for id in ["N1", "N2"] { try await fixture.put(id, to: phone) }
    // After looking for devices, for webhooks and into the mailbox: when the answer is noted.
    store.crash(afterCalls: 3, at: .beforeCommit)
    await #expect(throws: CrashingStore.Crash.self) { try await worker.run() }
    #expect(try await fixture.waiting(phone) == ["N1", "N2"])
    try await fixture.running(worker) { _ = try await fixture.logged(2) }
    #expect(fixture.channel.sent.map(\.notification) == ["N1", "N1", "N2"])
    #expect(fixture.channel.sent[0].id == fixture.channel.sent[1].id)
  }

  @Test func `N2 a push that failed goes again with the same ID, before the ones behind it`()
    async throws
  {
    let fixture = try await DeliveryWorkerFixture()
    let phone = try await fixture.register("phone")
    fixture.channel.answer("phone", .retry(after: nil), .busy(after: nil))
    for id in ["N1", "N2"] { try await fixture.put(id, to: phone) }
    try await fixture.running {
      _ = try await fixture.logged(1)
      await fixture.quiet()
      let waiting = try await fixture.waiting(phone)
      #expect(waiting == ["N1", "N2"])
      fixture.clock.advance(1000)
      _ = try await fixture.logged(2)
      await fixture.quiet()
      fixture.clock.advance(2000)
      let lines = try await fixture.logged(4)
      #expect(lines.map(\.verdict) == [.retry, .retry, .sent, .sent])
      #expect(lines.map(\.attempt) == [1, 2, 3, 1])
    }
    let sent = fixture.channel.sent
    #expect(sent.map(\.notification) == ["N1", "N1", "N1", "N2"])
    #expect(Set(sent.prefix(3).map(\.id)).count == 1)
    #expect(sent[3].id != sent[0].id)
  }

  @Test func `a worker that crashes after sending sends again, with the same ID`() async throws {
    let fixture = try await DeliveryWorkerFixture()
    let phone = try await fixture.register("phone")
    try await fixture.put("N1", to: phone)
    fixture.channel.hold("phone")
    // The run is ended while the other side holds the answer.
    let worker = fixture.worker
    await withTaskGroup(of: Void.self) { group in
      group.addTask(operation: { try? await worker.run() })
      await fixture.channel.arrived(1)
      group.cancelAll()
      fixture.channel.release("phone")
    }
    #expect(try await fixture.waiting(phone) == ["N1"])
    try await fixture.running(fixture.makeWorker()) { _ = try await fixture.logged(1) }
    #expect(fixture.channel.sent.map(\.notification) == ["N1", "N1"])
    #expect(Set(fixture.channel.sent.map(\.id)).count == 1)
  }

  @Test func `N8 a host that does not answer holds up nobody else`() async throws {
    let fixture = try await DeliveryWorkerFixture()
    for name in ["slow1", "slow2", "slow3"] {
      let key = try await fixture.register(name)
      fixture.channel.hold(name)
      try await fixture.put("S", to: key)
    }
    let quick = try await fixture.register("quick")
    for number in 1...20 { try await fixture.put("Q\(number)", to: quick) }
    try await fixture.running {
      let lines = try await fixture.logged(20)
      #expect(lines.allSatisfy { $0.device == "quick" })
      // Two at once for one host.
      #expect(fixture.channel.sent.filter { $0.device.hasPrefix("slow") }.count == 2)
      for name in ["slow1", "slow2", "slow3"] { fixture.channel.release(name) }
      _ = try await fixture.logged(23)
    }
  }

  // MARK: Devices that are gone

  @Test func `N9 a 410 newer than the registration forgets the device and its mailbox`()
    async throws
  {
    let fixture = try await DeliveryWorkerFixture()
    let phone = try await fixture.register("phone")
    fixture.channel.answer("phone", .gone(at: fixture.clock.now))
    try await fixture.put("N1", to: phone)
    try await fixture.running {
      let verdicts = try await fixture.logged(1).map(\.verdict)
      #expect(verdicts == [.gone])
      let known = try await fixture.store.read { try $0.devices.find(phone) }
      #expect(known == nil)
      let left = try await fixture.waiting(phone)
      #expect(left == [])
    }
  }

  @Test func `N9 a 410 older than the registration keeps the device, and the push goes again`()
    async throws
  {
    let fixture = try await DeliveryWorkerFixture()
    let phone = try await fixture.register("phone")
    fixture.channel.answer("phone", .gone(at: fixture.clock.now - 1))
    try await fixture.put("N1", to: phone)
    try await fixture.running {
      let first = try await fixture.logged(1).map(\.verdict)
      #expect(first == [.retry])
      let known = try await fixture.store.read { try $0.devices.find(phone) }
      #expect(known != nil)
      await fixture.quiet()
      fixture.clock.advance(1000)
      let verdicts = try await fixture.logged(2).map(\.verdict)
      #expect(verdicts == [.retry, .sent])
    }
    #expect(Set(fixture.channel.sent.map(\.id)).count == 1)
  }

  @Test
  func `N9 a 410 that stays older than the registration ends the sending, and the entries wait`()
    async throws
  {
    let fixture = try await DeliveryWorkerFixture()
    let attempts = 15
    let phone = try await fixture.register("phone")
    fixture.channel.answer("phone", goneFor: attempts + 5, at: fixture.clock.now - 1)
    for id in ["N1", "N2"] { try await fixture.put(id, to: phone) }
    try await fixture.running {
      for attempt in 1..<attempts {
        await fixture.channel.arrived(attempt)
        await fixture.quiet()
        fixture.clock.advance(Limits().deliveryBackoffMaximum)
      }
      await fixture.channel.arrived(attempts)
      await fixture.quiet()
      let lines = try await fixture.log()
      #expect(lines.map(\.attempt) == [1, 2, 4, 8, attempts])
      let last = try #require(lines.last)
      #expect(last.verdict == .gone && last.attempt == attempts)
      #expect(last.reason.contains("nothing is sent until it registers again"))
      // Neither time nor a new entry starts it again.
      try await fixture.put("N3", to: phone)
      fixture.clock.advance(Limits().pushLifetime / 2)
      await fixture.quiet()
      #expect(fixture.channel.sent.count == attempts)
      let waiting = try await fixture.waiting(phone)
      #expect(waiting == ["N1", "N2", "N3"])
      // Registering does.
      fixture.channel.answer("phone", .done)
      try await fixture.register("phone", token: "new")
      fixture.worker.hint([phone])
      await fixture.channel.arrived(attempts + 3)
      await fixture.quiet()
      let left = try await fixture.waiting(phone)
      #expect(left == [])
    }
    #expect(fixture.channel.sent.suffix(3).map(\.notification) == ["N1", "N2", "N3"])
  }

  @Test func `a device that registered another token meanwhile is not forgotten`() async throws {
    let fixture = try await DeliveryWorkerFixture()
    let phone = try await fixture.register("phone", token: "old")
    fixture.channel.answer("phone", .gone(at: fixture.clock.now + 5000))
    fixture.channel.hold("phone")
    try await fixture.put("N1", to: phone)
    try await fixture.running {
      await fixture.channel.arrived(1)
      try await fixture.register("phone", token: "new")
      fixture.channel.release("phone")
      let verdicts = try await fixture.logged(1).map(\.verdict)
      #expect(verdicts == [.retry])
      let waiting = try await fixture.waiting(phone)
      #expect(waiting == ["N1"])
    }
  }

  // MARK: What is not sent

  @Test func `N11 a permission withdrawn between the save and the send means no push`()
    async throws
  {
    let fixture = try await DeliveryWorkerFixture()
    let phone = try await fixture.register("phone", user: "_bob")
    let shared = ZoneID(name: "Shared", ownerName: "_alice")
    // Bob is no participant of Alice's zone any more.
    try await fixture.put(
      "N1", to: phone, text: "Alice's secret",
      .query(zone: shared, recordName: "r", reason: .updated, fields: [:]), scope: .shared)
    try await fixture.put("N2", to: phone)
    try await fixture.running {
      let lines = try await fixture.logged(2)
      #expect(lines.map(\.verdict) == [.withdrawn, .sent])
      #expect(fixture.channel.sent.map(\.notification) == ["N2"])
      let left = try await fixture.waiting(phone)
      #expect(left == [])
    }
  }

  @Test func `N11 the same push is sent while the permission stands`() async throws {
    let fixture = try await DeliveryWorkerFixture()
    let phone = try await fixture.register("phone")
    let own = ZoneID(name: "Own", ownerName: "_alice")
    try await fixture.put(
      "N1", to: phone, .query(zone: own, recordName: "r", reason: .updated, fields: [:]))
    try await fixture.running {
      let verdicts = try await fixture.logged(1).map(\.verdict)
      #expect(verdicts == [.sent])
    }
  }

  @Test func `what will never be taken does not hold up what comes after`() async throws {
    let fixture = try await DeliveryWorkerFixture()
    let phone = try await fixture.register("phone")
    fixture.channel.answer("phone", .refused)
    for id in ["N1", "N2"] { try await fixture.put(id, to: phone) }
    try await fixture.running {
      let verdicts = try await fixture.logged(2).map(\.verdict)
      #expect(verdicts == [.refused, .sent])
    }
  }

  @Test func `a push that is too large is cut until it fits, with the same ID`() async throws {
    let fixture = try await DeliveryWorkerFixture()
    let phone = try await fixture.register("phone")
    fixture.channel.answer("phone", .tooLarge, .tooLarge)
    try await fixture.put("N1", to: phone, text: String(repeating: "é", count: 1900))
    try await fixture.running { _ = try await fixture.logged(1) }
    let sizes = fixture.channel.sent.map(\.size)
    #expect(sizes.count == 3)
    #expect(sizes[0] > 3800 && sizes[1] <= sizes[0] / 2 && sizes[2] <= sizes[1] / 2)
    #expect(Set(fixture.channel.sent.map(\.id)).count == 1)
  }

  @Test(arguments: [(28 * 86_400_000, false), (28 * 86_400_000 + 1, true)] as [(Int64, Bool)])
  func `N6 what waited too long becomes one fetch-everything, never silence`(
    waited: Milliseconds, isTooLong: Bool
  ) async throws {
    let fixture = try await DeliveryWorkerFixture()
    let phone = try await fixture.register("phone")
    try await fixture.put("N1", to: phone)
    fixture.clock.advance(waited)
    try await fixture.running {
      let lines = try await fixture.logged(isTooLong ? 2 : 1)
      #expect(lines.map(\.verdict) == (isTooLong ? [.expired, .sent] : [.sent]))
      #expect((lines.last?.subject == "fetch everything") == isTooLong)
    }
  }

  @Test func `N6 however many waited too long, one fetch-everything takes their place`()
    async throws
  {
    let fixture = try await DeliveryWorkerFixture()
    let phone = try await fixture.register("phone")
    for id in ["N1", "N2", "N3"] { try await fixture.put(id, to: phone) }
    fixture.clock.advance(Limits().pushLifetime + 1)
    try await fixture.put("N4", to: phone)
    try await fixture.running {
      let lines = try await fixture.logged(5)
      #expect(lines.map(\.verdict) == [.expired, .expired, .expired, .sent, .sent])
      #expect(lines.map(\.notificationID) == ["N1", "N2", "N3", "N4", "N3"])
      #expect(lines[4].subject == "fetch everything")
    }
  }

  @Test
  func `N6 a fetch-everything that nobody takes does not get too old, and those behind it do`()
    async throws
  {
    let fixture = try await DeliveryWorkerFixture()
    let phone = try await fixture.register("phone")
    for id in ["N1", "N2", "N3"] {
      try await fixture.put(id, to: phone)
      fixture.clock.advance(Limits().pushLifetime + 1)
      fixture.channel.answer("phone", .busy(after: nil))
      let sent = fixture.channel.sent.count
      try await fixture.running(fixture.makeWorker()) {
        await fixture.channel.arrived(sent + 1)
        await fixture.quiet()
      }
    }
    fixture.channel.answer("phone", .done)
    let before = try await fixture.log().count
    try await fixture.running(fixture.makeWorker()) {
      let lines = try await fixture.logged(before + 4).dropFirst(before)
      #expect(lines.map(\.verdict) == [.sent, .expired, .expired, .sent])
      #expect(lines.map(\.notificationID) == ["N1", "N2", "N3", "N3"])
      let waiting = try await fixture.waiting(phone)
      #expect(waiting == [])
    }
  }

  @Test func `N6 what gets too old beside a fetch-everything that waits needs no other`()
    async throws
  {
    let fixture = try await DeliveryWorkerFixture()
    let phone = try await fixture.register("phone")
    let half = Limits().pushLifetime / 2 + 1
    try await fixture.put("N1", to: phone)
    fixture.clock.advance(half)
    try await fixture.put("N2", to: phone)
    fixture.clock.advance(half)
    fixture.channel.answer("phone", .busy(after: nil))
    try await fixture.running { _ = try await fixture.logged(2) }
    fixture.clock.advance(half)
    try await fixture.running(fixture.makeWorker()) {
      let lines = try await fixture.logged(4)
      #expect(lines.map(\.verdict) == [.expired, .retry, .expired, .sent])
      #expect(lines.map(\.notificationID) == ["N1", "N2", "N2", "N1"])
      await fixture.quiet()
      let waiting = try await fixture.waiting(phone)
      #expect(waiting == [])
    }
    #expect(fixture.channel.sent.count == 2)
  }

  @Test func `a clock that is set back keeps no entry from being found`() async throws {
    let fixture = try await DeliveryWorkerFixture()
    let (phone, other) = (try await fixture.register("phone"), try await fixture.register("other"))
    try await fixture.running {
      await fixture.quiet()
      fixture.clock.advance(-3_600_000)
      try await fixture.put("N1", to: phone, hinting: false)
      // A signal ends the wait; at the latest the end of its own sleep, which is a length of time.
      try await fixture.put("N2", to: other)
      await fixture.channel.arrived(1)
      await fixture.quiet()
    }
    #expect(Set(fixture.channel.sent.map(\.notification)) == ["N1", "N2"])
  }

  @Test
  func `what waited here has the rest of its lifetime at the other side, a fetch-everything all`()
    async throws
  {
    let fixture = try await DeliveryWorkerFixture()
    let phone = try await fixture.register("phone")
    let (lifetime, made) = (Limits().pushLifetime, fixture.clock.now)
    try await fixture.put("N1", to: phone)
    fixture.clock.advance(lifetime - 1000)
    try await fixture.running {
      _ = try await fixture.logged(1)
      try await fixture.put("N2", to: phone, due: 500)
      await fixture.quiet()
      fixture.clock.advance(500)
      _ = try await fixture.logged(2)
    }
    let second = fixture.clock.now
    try await fixture.put("N3", to: phone)
    fixture.clock.advance(lifetime + 1)
    try await fixture.running(fixture.makeWorker()) { _ = try await fixture.logged(4) }
    #expect(fixture.channel.sent.map(\.notification) == ["N1", "N2", "N3"])
    #expect(
      fixture.channel.sent.map(\.expires) == [
        made + lifetime, second + lifetime, fixture.clock.now + lifetime,
      ])
  }

  @Test func `an entry that waits to be merged is sent when it is due, not before`() async throws {
    let fixture = try await DeliveryWorkerFixture()
    let phone = try await fixture.register("phone")
    try await fixture.put("N1", to: phone, due: 800)
    try await fixture.running {
      await fixture.quiet()
      #expect(fixture.channel.sent == [])
      fixture.clock.advance(800)
      _ = try await fixture.logged(1)
    }
  }

  @Test func `devices that fetch for themselves are left alone`() async throws {
    let fixture = try await DeliveryWorkerFixture()
    let (tablet, phone) = (fixture.key("tablet"), try await fixture.register("phone"))
    let device = Device(key: tablet, channel: .stream, registered: 0)
    try await fixture.store.write(in: .all) { try $0.devices.put(device) }
    try await fixture.put("N1", to: tablet)
    try await fixture.put("N2", to: phone)
    try await fixture.running {
      _ = try await fixture.logged(1)
      let waiting = try await fixture.waiting(tablet)
      #expect(waiting == ["N1"])
    }
  }
}
