import BrumeDelivery
import BrumeModel
import BrumePush
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct CourierTests {
  private func id(_ answer: Courier.Answer?) throws -> String? {
    try answer.map { try PushPayload.decode($0.payload).id }
  }

  @Test func `one push per poll, first in, first out, consumed by the next poll`() async throws {
    let world = PushWorld()
    try await world.register()
    try await world.put("a", "b")
    let courier = world.courier
    #expect(try id(await courier.next(token: PushWorld.token, waiting: .seconds(1))) == "a")
    #expect(try await world.waiting() == ["a", "b"])
    #expect(try id(await courier.next(token: PushWorld.token, waiting: .seconds(1))) == "b")
    #expect(try await world.waiting() == ["b"])
    #expect(try id(await courier.next(token: PushWorld.token, waiting: .zero)) == nil)
    #expect(try await world.waiting() == [])
    let lines = try await world.log()
    #expect(lines.map(\.notificationID) == ["a", "b"])
    #expect(lines.map(\.reason) == ["polled again", "polled again"])
    #expect(lines.allSatisfy { $0.channel == "courier" && $0.requestID == "r" })
  }

  @Test func `N7 a server that dies after an answer brings it again`() async throws {
    let world = PushWorld()
    try await world.register()
    try await world.put("a", "b")
    #expect(try id(await world.courier.next(token: PushWorld.token, waiting: .zero)) == "a")
    let restarted = Courier(
      store: world.store, signals: world.signals, desk: CourierDesk(capacity: 1),
      limits: world.limits, clock: world.clock.push, maySend: .always)
    #expect(try id(await restarted.next(token: PushWorld.token, waiting: .zero)) == "a")
    #expect(try id(await restarted.next(token: PushWorld.token, waiting: .zero)) == "b")
  }

  @Test func `a client that names its cursor gets what is behind it, again and again`() async throws
  {
    let world = PushWorld()
    try await world.register()
    try await world.put("a", "b")
    func poll(_ cursor: Int64) async throws -> Courier.Answer? {
      try await world.courier.next(token: PushWorld.token, cursor: cursor, waiting: .zero)
    }
    let first = try #require(try await poll(0))
    #expect(try await poll(0) == first)
    let second = try #require(try await poll(first.position))
    #expect(try id(second) == "b")
    #expect(try await world.waiting() == ["b"])
    #expect(try await poll(second.position) == nil)
    #expect(try await world.log().map(\.reason) == ["acknowledged", "acknowledged"])
  }

  @Test func `a token of several containers brings the pushes of all in their order`() async throws
  {
    let world = PushWorld()
    try await world.register()
    let other = DeviceKey(
      container: ContainerID("iCloud.org.example.other"), environment: .development,
      user: world.phone.user, device: world.phone.device)
    let device = Device(
      key: other, channel: .courier(token: PushWorld.token), registered: world.clock.now)
    try await world.store.write(in: nil) { try $0.put(device) }
    try await world.put("a")
    try await world.put("b", to: other)
    try await world.put("c")
    var got: [String?] = []
    for _ in 0..<3 {
      got.append(try id(await world.courier.next(token: PushWorld.token, waiting: .seconds(1))))
    }
    #expect(got == ["a", "b", "c"])
    // Whichever is signalled, the poll wakes.
    async let answer = world.courier.next(token: PushWorld.token, waiting: .seconds(25))
    await world.clock.sleepers(1)
    try await world.put("d", to: other)
    #expect(try id(await answer) == "d")
  }

  @Test func `an empty queue is held open, then answers with nothing`() async throws {
    let world = PushWorld()
    try await world.register()
    async let answer = world.courier.next(token: PushWorld.token, waiting: .seconds(25))
    await world.clock.sleepers(1)
    world.clock.advance(25_000)
    #expect(try await answer == nil)
  }

  @Test func `a poll that waits gets what comes`() async throws {
    let world = PushWorld()
    try await world.register()
    async let answer = world.courier.next(token: PushWorld.token, waiting: .seconds(25))
    await world.clock.sleepers(1)
    try await world.put("a")
    #expect(try id(await answer) == "a")
  }

  @Test func `N11 a poll that waits is refused when its token ends`() async throws {
    let world = PushWorld()
    try await world.register()
    let poll = Task {
      try await world.courier.next(token: PushWorld.token, waiting: .seconds(25))
    }
    await world.clock.sleepers(1)
    try await world.store.write(in: nil) { try $0.removeDevice(world.phone) }
    world.signals.signal(allOf: world.phone.user)
    let error = await #expect(throws: BrumeError.self) { try await poll.value }
    #expect(error?.code == .authenticationFailed)
  }

  @Test func `polls of one token at once get different pushes or nothing`() async throws {
    let world = PushWorld()
    try await world.register()
    let got = try await withThrowingTaskGroup(of: Courier.Answer?.self) { group in
      for _ in 0..<5 {
        group.addTask {
          try await world.courier.next(token: PushWorld.token, waiting: .seconds(25))
        }
      }
      await world.clock.sleepers(5)
      try await world.put("a", "b", "c")
      var got: [String] = []
      for _ in 0..<3 {
        if let answer = try await group.next(), let id = try id(answer) { got.append(id) }
      }
      // Two are left, and wait until their time has passed.
      await world.clock.sleepers(2)
      world.clock.advance(25_000)
      while let answer = try await group.next() { #expect(answer == nil) }
      return got
    }
    #expect(got.sorted() == ["a", "b", "c"])
  }

  @Test func `a push that another poll was answered with meanwhile is not given twice`()
    async throws
  {
    let world = PushWorld()
    try await world.register()
    try await world.put("a", "b")
    let (quick, given) = (world.courier, Mutexed<Courier.Answer?>(nil))
    // It has read the token twice and then the mailbox.
    let store = OvertakenStore(world.store, afterRead: 3) {
      given.value = try await quick.next(token: PushWorld.token, waiting: .zero)
    }
    let slow = Courier(
      store: store, signals: world.signals, desk: world.desk, limits: world.limits,
      clock: world.clock.push, maySend: .always)
    #expect(try id(await slow.next(token: PushWorld.token, waiting: .zero)) == "b")
    #expect(try id(given.value) == "a")
  }

  @Test func `a poll does not wait for longer because the clock is set back`() async throws {
    let world = PushWorld()
    try await world.register()
    async let answer = world.courier.next(token: PushWorld.token, waiting: .seconds(25))
    await world.clock.sleepers(1)
    world.clock.advance(-3_600_000)
    // Its sleep ends, or somebody wakes it.
    world.signals.signal(world.phone)
    #expect(try await answer == nil)
  }

  @Test func `the courier's numbers for databases are the web's`() async throws {
    let world = PushWorld()
    try await world.register()
    try await world.put("a")
    let answer = try await world.courier.next(token: PushWorld.token, waiting: .seconds(1))
    let json = try JSON(parsing: try #require(answer).payload)
    #expect(json["ck"]?["fet"]?["dbs"]?.int == 1)
  }

  @Test func `an unknown or expired token is told so`() async throws {
    let world = PushWorld()
    try await world.register()
    try await world.put("a")
    for (token, later) in [("nobody", 0), (PushWorld.token, 43_200_000)] {
      world.clock.advance(Milliseconds(later))
      await #expect {
        try await world.courier.next(token: token, waiting: .seconds(1))
      } throws: {
        ($0 as? BrumeError)?.reason.contains("tokens/create") == true
      }
    }
  }
}
