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
    let fixture = MailboxFixture()
    try await fixture.register()
    try await fixture.put("a", "b")
    let courier = fixture.courier
    #expect(try id(await courier.next(token: MailboxFixture.token, waiting: .seconds(1))) == "a")
    #expect(try await fixture.waiting() == ["a", "b"])
    #expect(try id(await courier.next(token: MailboxFixture.token, waiting: .seconds(1))) == "b")
    #expect(try await fixture.waiting() == ["b"])
    #expect(try id(await courier.next(token: MailboxFixture.token, waiting: .zero)) == nil)
    #expect(try await fixture.waiting() == [])
    let lines = try await fixture.log()
    #expect(lines.map(\.notificationID) == ["a", "b"])
    #expect(lines.map(\.reason) == ["polled again", "polled again"])
    #expect(lines.allSatisfy { $0.channel == "courier" && $0.requestID == "r" })
  }

  @Test func `N7 a server that crashes after an answer brings it again`() async throws {
    let fixture = MailboxFixture()
    try await fixture.register()
    try await fixture.put("a", "b")
    #expect(try id(await fixture.courier.next(token: MailboxFixture.token, waiting: .zero)) == "a")
    let restarted = Courier(
      store: fixture.store, signals: fixture.signals, inFlight: InFlightEntries(capacity: 1),
      limits: fixture.limits, clock: fixture.clock.push, maySend: .always)
    #expect(try id(await restarted.next(token: MailboxFixture.token, waiting: .zero)) == "a")
    #expect(try id(await restarted.next(token: MailboxFixture.token, waiting: .zero)) == "b")
  }

  @Test func `a token is good for as long as its address says`() async throws {
    var fixture = MailboxFixture()
    fixture.limits.courierSeconds = 60
    try await fixture.register()
    let courier = fixture.courier
    fixture.clock.advance(59_999)
    #expect(try await courier.next(token: MailboxFixture.token, waiting: .zero) == nil)
    fixture.clock.advance(1)
    await #expect(throws: BrumeError.self) {
      _ = try await courier.next(token: MailboxFixture.token, waiting: .zero)
    }
  }

  @Test func `a client that names its cursor gets what is behind it, again and again`() async throws
  {
    let fixture = MailboxFixture()
    try await fixture.register()
    try await fixture.put("a", "b")
    func poll(_ cursor: Int64) async throws -> Courier.Answer? {
      try await fixture.courier.next(
        token: MailboxFixture.token, cursor: Courier.Cursor(cursor, in: Bucket(0)), waiting: .zero)
    }
    let first = try #require(try await poll(0))
    #expect(try await poll(0) == first)
    let second = try #require(try await poll(first.cursor.position))
    #expect(try id(second) == "b")
    #expect(try await fixture.waiting() == ["b"])
    #expect(try await poll(second.cursor.position) == nil)
    #expect(try await fixture.log().map(\.reason) == ["acknowledged", "acknowledged"])
  }

  /// Where a store is divided, mailboxes of two containers count each for itself, or both together.
  @Test(arguments: [1, 64])
  func `a cursor acknowledges nothing in another mailbox`(buckets: Int) async throws {
    var fixture = MailboxFixture()
    fixture.store = MemoryStore(coders: .wireForms, buckets: buckets)
    func bucket(_ key: DeviceKey) -> Bucket {
      Bucket(of: DatabaseKey(in: key.containerEnvironment, owner: key.user), among: buckets)
    }
    let phone = fixture.phone
    let others = (0..<99).map { number in
      DeviceKey(
        in: ContainerEnvironment(ContainerID("iCloud.org.example.c\(number)"), .development),
        user: phone.user, device: phone.device)
    }
    let other = try #require(others.first { buckets == 1 || bucket($0) != bucket(phone) })
    let devices = [phone, other].map {
      Device(key: $0, channel: .courier(token: MailboxFixture.token), registered: fixture.clock.now)
    }
    try await fixture.store.write(in: .everything(of: fixture.store)) {
      for device in devices { try $0.devices.put(device) }
    }
    try await fixture.put("theirs", due: 1, to: other)
    try await fixture.put("a")
    let courier = fixture.courier
    let first = try #require(
      try await courier.next(token: MailboxFixture.token, waiting: .zero))
    #expect(try id(first) == "a" && first.cursor.bucket == bucket(phone))
    fixture.clock.advance(1)
    let second = try await courier.next(
      token: MailboxFixture.token, cursor: first.cursor, waiting: .zero)
    #expect(try id(second) == "theirs", "its position is lower")
    #expect(try await fixture.waiting() == [])
    #expect(try await fixture.log().map(\.notificationID) == ["a"])
    let last = try await courier.next(
      token: MailboxFixture.token, cursor: second?.cursor, waiting: .zero)
    #expect(try id(last) == nil)
    #expect(try await fixture.log().map(\.notificationID) == ["a", "theirs"])
  }

  @Test func `a token of several containers brings the pushes of all in their order`() async throws
  {
    let fixture = MailboxFixture()
    try await fixture.register()
    let other = DeviceKey(
      in: ContainerEnvironment(ContainerID("iCloud.org.example.other"), .development),
      user: fixture.phone.user, device: fixture.phone.device)
    let device = Device(
      key: other, channel: .courier(token: MailboxFixture.token), registered: fixture.clock.now)
    try await fixture.store.write(in: .all) { try $0.devices.put(device) }
    try await fixture.put("a")
    try await fixture.put("b", to: other)
    try await fixture.put("c")
    var got: [String?] = []
    for _ in 0..<3 {
      got.append(
        try id(await fixture.courier.next(token: MailboxFixture.token, waiting: .seconds(1))))
    }
    #expect(got == ["a", "b", "c"])
    // Whichever is signalled, the poll goes on.
    async let answer = fixture.courier.next(token: MailboxFixture.token, waiting: .seconds(25))
    await fixture.clock.sleepers(1)
    try await fixture.put("d", to: other)
    #expect(try id(await answer) == "d")
  }

  @Test func `an empty queue is held open, then answers with nothing`() async throws {
    let fixture = MailboxFixture()
    try await fixture.register()
    async let answer = fixture.courier.next(token: MailboxFixture.token, waiting: .seconds(25))
    await fixture.clock.sleepers(1)
    fixture.clock.advance(25_000)
    #expect(try await answer == nil)
  }

  @Test func `a poll that waits gets what comes`() async throws {
    let fixture = MailboxFixture()
    try await fixture.register()
    async let answer = fixture.courier.next(token: MailboxFixture.token, waiting: .seconds(25))
    await fixture.clock.sleepers(1)
    try await fixture.put("a")
    #expect(try id(await answer) == "a")
  }

  @Test func `N11 a poll that waits is refused when its token ends`() async throws {
    let fixture = MailboxFixture()
    try await fixture.register()
    let poll = Task {
      try await fixture.courier.next(token: MailboxFixture.token, waiting: .seconds(25))
    }
    await fixture.clock.sleepers(1)
    try await fixture.store.write(in: .all) { try $0.devices.remove(fixture.phone) }
    fixture.signals.signal(allOf: fixture.phone.user)
    let error = await #expect(throws: BrumeError.self) { try await poll.value }
    #expect(error?.code == .authenticationFailed)
  }

  @Test func `polls of one token at once get different pushes or nothing`() async throws {
    let fixture = MailboxFixture()
    try await fixture.register()
    let got = try await withThrowingTaskGroup(of: Courier.Answer?.self) { group in
      for _ in 0..<5 {
        group.addTask {
          try await fixture.courier.next(token: MailboxFixture.token, waiting: .seconds(25))
        }
      }
      await fixture.clock.sleepers(5)
      try await fixture.put("a", "b", "c")
      var got: [String] = []
      for _ in 0..<3 {
        if let answer = try await group.next(), let id = try id(answer) { got.append(id) }
      }
      // Two are left, and wait until their time has passed.
      await fixture.clock.sleepers(2)
      fixture.clock.advance(25_000)
      while let answer = try await group.next() { #expect(answer == nil) }
      return got
    }
    #expect(got.sorted() == ["a", "b", "c"])
  }

  @Test func `a push that another poll was answered with meanwhile is not given twice`()
    async throws
  {
    let fixture = MailboxFixture()
    try await fixture.register()
    try await fixture.put("a", "b")
    let (quick, given) = (fixture.courier, Mutexed<Courier.Answer?>(nil))
    // It has read the token twice and then the mailbox.
    let store = OvertakenStore(fixture.store, afterRead: 3) {
      given.value = try await quick.next(token: MailboxFixture.token, waiting: .zero)
    }
    let slow = Courier(
      store: store, signals: fixture.signals, inFlight: fixture.inFlight, limits: fixture.limits,
      clock: fixture.clock.push, maySend: .always)
    #expect(try id(await slow.next(token: MailboxFixture.token, waiting: .zero)) == "b")
    #expect(try id(given.value) == "a")
  }

  @Test func `a push that was read for a client that has gone waits for the next poll`()
    async throws
  {
    let fixture = MailboxFixture()
    try await fixture.register()
    try await fixture.put("a")
    let store = OvertakenStore(fixture.store, afterRead: 3) {
      withUnsafeCurrentTask { $0?.cancel() }
    }
    let courier = Courier(
      store: store, signals: fixture.signals, inFlight: fixture.inFlight, limits: fixture.limits,
      clock: fixture.clock.push, maySend: .always)
    let gone = Task { try await courier.next(token: MailboxFixture.token, waiting: .seconds(1)) }
    await #expect(throws: CancellationError.self) { try await gone.value }
    let answer = try await fixture.courier.next(token: MailboxFixture.token, waiting: .zero)
    #expect(try id(answer) == "a")
  }

  @Test func `a poll does not wait for longer because the clock is set back`() async throws {
    let fixture = MailboxFixture()
    try await fixture.register()
    async let answer = fixture.courier.next(token: MailboxFixture.token, waiting: .seconds(25))
    await fixture.clock.sleepers(1)
    fixture.clock.advance(-3_600_000)
    // Its sleep ends, or somebody wakes it.
    fixture.signals.signal(fixture.phone)
    #expect(try await answer == nil)
  }

  @Test func `the courier's numbers for databases are the web's`() async throws {
    let fixture = MailboxFixture()
    try await fixture.register()
    try await fixture.put("a")
    let answer = try await fixture.courier.next(token: MailboxFixture.token, waiting: .seconds(1))
    let json = try JSON(parsing: try #require(answer).payload)
    #expect(json["ck"]?["fet"]?["dbs"]?.int == 1)
  }

  @Test func `an unknown or expired token is refused as such`() async throws {
    let fixture = MailboxFixture()
    try await fixture.register()
    try await fixture.put("a")
    for (token, later) in [("nobody", 0), (MailboxFixture.token, 43_200_000)] {
      fixture.clock.advance(Milliseconds(later))
      await #expect {
        try await fixture.courier.next(token: token, waiting: .seconds(1))
      } throws: {
        ($0 as? BrumeError)?.reason.contains("tokens/create") == true
      }
    }
  }
}
