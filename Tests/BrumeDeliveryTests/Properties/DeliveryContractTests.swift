import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

/// What every way keeps by which a push leaves: stream, long poll, APNs, Web Push, webhook. That nothing
/// is lost or out of order whenever the server crashes, never goes to its origin and never after a right
/// was withdrawn are files of their own beside this one, on the same ways. How a way understands the
/// other side's answers is `ChannelContract`.
@Suite(.timeLimit(.minutes(10))) struct DeliveryContractTests {
  @Test(arguments: PushChannel.allCases)
  func `at least once, over a restart, and gone when it was taken, by`(pushChannel: PushChannel)
    async throws
  {
    let fixture = try await DeliveryFixture()
    try await fixture.register("phone", pushChannel)
    try await fixture.subscribe("s", .created(), info: .alert())
    try await fixture.save("one")
    try await fixture.notify()
    try await fixture.restart()
    try await fixture.receive("phone")
    try await fixture.receive("phone")
    #expect(fixture.received("phone").map(\.name) == ["one"])
    let waiting = try await fixture.memory.read { [key = fixture.key("phone", of: fixture.alice)] in
      try $0.mailboxes.count(of: key)
    }
    #expect(waiting == 0)
  }

  @Test(arguments: PushChannel.devices, PushChannel.devices)
  func `N2 what was received and not acknowledged comes on another way with the same IDs, by`(
    pushChannel: PushChannel, next: PushChannel
  ) async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.register("phone", pushChannel)
    try await fixture.subscribe("s", .created(), info: .alert())
    try await fixture.save("one")
    try await fixture.notify()
    // The server crashes at ever later calls, until the push got out and nothing noted that.
    for calls in 0..<10 where fixture.received("phone").isEmpty {
      fixture.store.crash(afterCalls: calls, at: .beforeCall)
      await #expect(throws: CrashingStore.Crash.self) { try await fixture.receive("phone") }
      try await fixture.restart()
    }
    try #require(fixture.received("phone").count == 1)
    try await fixture.register("phone", next)
    try await fixture.receive("phone")
    let received = fixture.received("phone")
    #expect(received.count == 2)
    #expect(Set(received.map { "\($0.nid) \($0.sid)" }) == ["\(fixture.changes[0].nid) s"])
  }

  @Test(arguments: PushChannel.allCases)
  func `who was notified, why, by whose request and what came of it is in the log, by`(
    pushChannel: PushChannel
  ) async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.register("phone", pushChannel)
    try await fixture.subscribe("s", .created(), info: .alert())
    for name in ["one", "two"] {
      try await fixture.save(name)
      try await fixture.notify()
      try await fixture.receive("phone")
    }
    let lines = try await fixture.memory.read {
      try $0.pushLog.entries(PushLogFilter(), after: 0, limit: 99)
    }
    #expect(lines.map(\.requestID) == ["save one", "save two"])
    #expect(lines.map(\.verdict) == [.sent, .sent])
    switch pushChannel {
    case .webhook:
      #expect(lines.allSatisfy { $0.channel == "webhook" && $0.status == 200 })
    case .stream, .poll, .apns, .webPush:
      #expect(lines.map(\.notificationID) == fixture.changes.map(\.nid))
      #expect(lines.allSatisfy { $0.subscriptionID == "s" && $0.device == "phone" })
      #expect(lines.allSatisfy { $0.user == fixture.alice })
      #expect(lines[0].subject == "record one in zone Notes created")
    }
    #expect(lines.allSatisfy { $0.status != nil || !$0.reason.isEmpty })
  }

  @Test(arguments: PushChannel.devices)
  func `N6 overflow becomes one "fetch everything", and that is in the log, by`(
    pushChannel: PushChannel
  ) async throws {
    var limits = Limits()
    limits.mailboxRows = 10
    let fixture = try await DeliveryFixture(limits: limits)
    try await fixture.register("phone", pushChannel)
    try await fixture.subscribe("s", .created(), info: .alert())
    for number in 1...11 { try await fixture.save("n\(number)") }
    try await fixture.notify()
    try await fixture.receive("phone")
    let received = fixture.received("phone")
    #expect(received.count == 1 && received[0].isFetchEverything && received[0].isPruned)
    #expect(received[0].nid == fixture.changes[10].nid)
    let lines = try await fixture.memory.read {
      try $0.pushLog.entries(PushLogFilter(), after: 0, limit: 99)
    }
    #expect(lines.map(\.verdict) == [.expired, .sent])
    #expect(lines[0].reason.contains("mailbox was full"))
  }

  @Test func `N6 a webhook that is too far behind is informed, once`() async throws {
    var limits = Limits()
    limits.webhookLag = 3
    let fixture = try await DeliveryFixture(limits: limits)
    try await fixture.register("hook", .webhook)
    try await fixture.subscribe("s", .created(), info: .alert())
    for number in 1...8 {
      try await fixture.save("n\(number)")
      try await fixture.notify()
    }
    try await fixture.receive("hook")
    try await fixture.receive("hook")
    let received = fixture.received("hook")
    #expect(received.filter(\.isFetchEverything).count == 1)
    #expect(received.first?.isFetchEverything == true && received.last?.name == "n8")
  }

  @Test(arguments: PushChannel.devices)
  func `N5 silent pushes merge in a window, the first goes at once, by`(pushChannel: PushChannel)
    async throws
  {
    let fixture = try await DeliveryFixture()
    try await fixture.register("phone", pushChannel)
    try await fixture.subscribe("z", .zone(DeliveryFixture.zone, recordType: nil), info: .silent)
    for name in ["one", "two", "three", "four"] {
      try await fixture.save(name)
      try await fixture.notify()
      try await fixture.receive("phone")
    }
    #expect(fixture.received("phone").map(\.nid) == [fixture.changes[0].nid])
    fixture.clock.advance(fixture.limits.coalescingWindow - 1)
    try await fixture.receive("phone")
    #expect(fixture.received("phone").count == 1)
    fixture.clock.advance(1)
    try await fixture.receive("phone")
    #expect(
      fixture.received("phone").map(\.nid) == [fixture.changes[0].nid, fixture.changes[3].nid])
  }

  @Test(arguments: PushChannel.devices)
  func `visible pushes merge by their collapse ID and by nothing else, by`(pushChannel: PushChannel)
    async throws
  {
    let fixture = try await DeliveryFixture()
    try await fixture.register("phone", pushChannel)
    var info = NotificationInfo.alert()
    info.collapseIDKey = "title"
    try await fixture.subscribe("s", .created(), info: info)
    for (name, title) in [("one", "a"), ("two", "b"), ("three", "a")] {
      try await fixture.save(name, title)
    }
    try await fixture.notify()
    try await fixture.receive("phone")
    #expect(fixture.received("phone").map(\.name) == ["two", "three"])
  }

  @Test(arguments: PushChannel.devices)
  func `nothing leaves that is larger than the way takes, by`(pushChannel: PushChannel) async throws
  {
    let fixture = try await DeliveryFixture()
    try await fixture.register("phone", pushChannel)
    var info = NotificationInfo.alert(String(repeating: "\u{e9}", count: 900))
    info.title.localizationKey = "T"
    info.title.localizationArgs = ["title"]
    info.desiredKeys = ["title"]
    try await fixture.subscribe("s", .created(), info: info)
    try await fixture.save("large", String(repeating: "\u{1}\"", count: 3000))
    try await fixture.notify()
    try await fixture.receive("phone")
    let push = try #require(fixture.received("phone").first)
    #expect(push.bytes <= 4096 && push.isPruned)
    #expect(push.nid == fixture.changes[0].nid && push.name == "large")
  }

  @Test func `a webhook's calls are bounded, and hold every change`() async throws {
    var limits = Limits()
    limits.webhookBytes = 2000
    let fixture = try await DeliveryFixture(limits: limits)
    try await fixture.register("hook", .webhook)
    for number in 1...6 { try await fixture.save("n\(number)", String(repeating: "x", count: 900)) }
    try await fixture.receive("hook")
    #expect(fixture.received("hook").map(\.name) == (1...6).map { "n\($0)" })
    #expect(fixture.received("hook").allSatisfy { $0.bytes < 6000 })
  }
}
