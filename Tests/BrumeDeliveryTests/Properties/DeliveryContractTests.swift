import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

/// What every way keeps by which a push leaves: stream, long poll, APNs, Web Push, webhook. That nothing
/// is lost or out of order whenever the server dies, never goes to its origin and never after a right
/// was withdrawn are files of their own beside this one, on the same ways. How a way understands the
/// other side's answers is `ChannelContract`.
@Suite(.timeLimit(.minutes(10))) struct DeliveryContractTests {
  @Test(arguments: Way.allCases)
  func `at least once, over a restart, and gone when it was taken, by`(way: Way) async throws {
    let lab = try await DeliveryLab()
    try await lab.register("phone", way)
    try await lab.subscribe("s", .created(), info: .alert())
    try await lab.save("one")
    try await lab.notify()
    try await lab.restart()
    try await lab.receive("phone")
    try await lab.receive("phone")
    #expect(lab.heard("phone").map(\.name) == ["one"])
    let waiting = try await lab.memory.read { [key = lab.key("phone", of: lab.alice)] in
      try $0.mailboxCount(key)
    }
    #expect(waiting == 0)
  }

  @Test(arguments: Way.devices, Way.devices)
  func `N2 what was heard and not acknowledged comes on another way with the same IDs, by`(
    way: Way, next: Way
  ) async throws {
    let lab = try await DeliveryLab()
    try await lab.register("phone", way)
    try await lab.subscribe("s", .created(), info: .alert())
    try await lab.save("one")
    try await lab.notify()
    // The server dies at ever later calls, until the push got out and nothing noted that.
    for calls in 0..<10 where lab.heard("phone").isEmpty {
      lab.store.crash(afterCalls: calls, at: .beforeCall)
      await #expect(throws: CrashingStore.Crash.self) { try await lab.receive("phone") }
      try await lab.restart()
    }
    try #require(lab.heard("phone").count == 1)
    try await lab.register("phone", next)
    try await lab.receive("phone")
    let heard = lab.heard("phone")
    #expect(heard.count == 2)
    #expect(Set(heard.map { "\($0.nid) \($0.sid)" }) == ["\(lab.changes[0].nid) s"])
  }

  @Test(arguments: Way.allCases)
  func `who was told, why, by whose request and what came of it is in the log, by`(
    way: Way
  ) async throws {
    let lab = try await DeliveryLab()
    try await lab.register("phone", way)
    try await lab.subscribe("s", .created(), info: .alert())
    for name in ["one", "two"] {
      try await lab.save(name)
      try await lab.notify()
      try await lab.receive("phone")
    }
    let lines = try await lab.memory.read { try $0.pushLog(PushLogFilter(), after: 0, limit: 99) }
    #expect(lines.map(\.requestID) == ["save one", "save two"])
    #expect(lines.map(\.verdict) == [.sent, .sent])
    switch way {
    case .webhook:
      #expect(lines.allSatisfy { $0.channel == "webhook" && $0.status == 200 })
    case .stream, .poll, .apns, .webPush:
      #expect(lines.map(\.notificationID) == lab.changes.map(\.nid))
      #expect(lines.allSatisfy { $0.subscriptionID == "s" && $0.device == "phone" })
      #expect(lines.allSatisfy { $0.user == lab.alice })
      #expect(lines[0].subject == "record one in zone Notes created")
    }
    #expect(lines.allSatisfy { $0.status != nil || !$0.reason.isEmpty })
  }

  @Test(arguments: Way.devices)
  func `N6 overflow becomes one "fetch everything", and that is in the log, by`(
    way: Way
  ) async throws {
    var limits = Limits()
    limits.mailboxRows = 10
    let lab = try await DeliveryLab(limits: limits)
    try await lab.register("phone", way)
    try await lab.subscribe("s", .created(), info: .alert())
    for number in 1...11 { try await lab.save("n\(number)") }
    try await lab.notify()
    try await lab.receive("phone")
    let heard = lab.heard("phone")
    #expect(heard.count == 1 && heard[0].isFetchEverything && heard[0].isPruned)
    #expect(heard[0].nid == lab.changes[10].nid)
    let lines = try await lab.memory.read { try $0.pushLog(PushLogFilter(), after: 0, limit: 99) }
    #expect(lines.map(\.verdict) == [.expired, .sent])
    #expect(lines[0].reason.contains("mailbox was full"))
  }

  @Test func `N6 a webhook that is too far behind is told so, once`() async throws {
    var limits = Limits()
    limits.webhookLag = 3
    let lab = try await DeliveryLab(limits: limits)
    try await lab.register("hook", .webhook)
    try await lab.subscribe("s", .created(), info: .alert())
    for number in 1...8 {
      try await lab.save("n\(number)")
      try await lab.notify()
    }
    try await lab.receive("hook")
    try await lab.receive("hook")
    let heard = lab.heard("hook")
    #expect(heard.filter(\.isFetchEverything).count == 1)
    #expect(heard.first?.isFetchEverything == true && heard.last?.name == "n8")
  }

  @Test(arguments: Way.devices)
  func `N5 silent pushes merge in a window, the first goes at once, by`(way: Way) async throws {
    let lab = try await DeliveryLab()
    try await lab.register("phone", way)
    try await lab.subscribe("z", .zone(DeliveryLab.zone, recordType: nil), info: .silent)
    for name in ["one", "two", "three", "four"] {
      try await lab.save(name)
      try await lab.notify()
      try await lab.receive("phone")
    }
    #expect(lab.heard("phone").map(\.nid) == [lab.changes[0].nid])
    lab.clock.advance(lab.limits.coalescingWindow - 1)
    try await lab.receive("phone")
    #expect(lab.heard("phone").count == 1)
    lab.clock.advance(1)
    try await lab.receive("phone")
    #expect(lab.heard("phone").map(\.nid) == [lab.changes[0].nid, lab.changes[3].nid])
  }

  @Test(arguments: Way.devices)
  func `visible pushes merge by their collapse ID and by nothing else, by`(way: Way) async throws {
    let lab = try await DeliveryLab()
    try await lab.register("phone", way)
    var info = NotificationInfo.alert()
    info.collapseIDKey = "title"
    try await lab.subscribe("s", .created(), info: info)
    for (name, title) in [("one", "a"), ("two", "b"), ("three", "a")] {
      try await lab.save(name, title)
    }
    try await lab.notify()
    try await lab.receive("phone")
    #expect(lab.heard("phone").map(\.name) == ["two", "three"])
  }

  @Test(arguments: Way.devices)
  func `nothing leaves that is larger than the way takes, by`(way: Way) async throws {
    let lab = try await DeliveryLab()
    try await lab.register("phone", way)
    var info = NotificationInfo.alert(String(repeating: "\u{e9}", count: 900))
    info.title.localizationKey = "T"
    info.title.localizationArgs = ["title"]
    info.desiredKeys = ["title"]
    try await lab.subscribe("s", .created(), info: info)
    try await lab.save("large", String(repeating: "\u{1}\"", count: 3000))
    try await lab.notify()
    try await lab.receive("phone")
    let push = try #require(lab.heard("phone").first)
    #expect(push.bytes <= 4096 && push.isPruned)
    #expect(push.nid == lab.changes[0].nid && push.name == "large")
  }

  @Test func `a webhook's calls are bounded, and hold every change`() async throws {
    var limits = Limits()
    limits.webhookBytes = 2000
    let lab = try await DeliveryLab(limits: limits)
    try await lab.register("hook", .webhook)
    for number in 1...6 { try await lab.save("n\(number)", String(repeating: "x", count: 900)) }
    try await lab.receive("hook")
    #expect(lab.heard("hook").map(\.name) == (1...6).map { "n\($0)" })
    #expect(lab.heard("hook").allSatisfy { $0.bytes < 6000 })
  }
}
