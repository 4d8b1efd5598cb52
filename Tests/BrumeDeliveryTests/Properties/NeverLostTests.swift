import BrumeTestKit
import Testing

/// A registered device is notified of every change that its subscription matches, wherever on the path the
/// server is killed; what it receives twice has the same (`nid`, `sid`).
///
/// The server crashes once in each run: at the first call of the store, at the second, and so on to the
/// last, each time before the call, before its commit, and after it when nobody gets the answer.
@Suite(.serialized, .timeLimit(.minutes(10))) struct NeverLostTests {
  @Test(arguments: PushChannel.allCases, CrashingStore.Point.allCases)
  func `N1 N2 N7 nothing is lost wherever the server crashes, by`(
    pushChannel: PushChannel, point: CrashingStore.Point
  ) async throws {
    let runs = try await everyCrash(pushChannel, point)
    #expect(runs.count > 10)
    #expect(runs.flatMap(\.violations).prefix(3) == [])
  }

  @Test(arguments: [PushChannel.stream])
  func `a notifier that saves its cursor before it enqueues is caught, by`(pushChannel: PushChannel)
    async throws
  {
    let runs = try await everyCrash(pushChannel, .afterCommit, .cursorFirst)
    #expect(runs.contains { $0.violations.contains { $0.hasPrefix("lost") } })
  }

  @Test(arguments: PushChannel.devices)
  func `a push that leaves its mailbox before it was delivered is caught, by`(
    pushChannel: PushChannel
  ) async throws {
    let runs = try await everyCrash(pushChannel, .afterCommit, .removedFirst)
    #expect(runs.contains { $0.violations.contains { $0.hasPrefix("lost") } })
  }

  @Test(arguments: PushChannel.fetching)
  func `repetitions with another nid are caught, by`(pushChannel: PushChannel) async throws {
    let runs = try await everyCrash(pushChannel, .beforeCall, .newIDs)
    #expect(runs.contains { $0.violations.contains { $0.hasPrefix("twice") } })
  }

  private struct Run {
    var violations: [String] = []
  }

  private func everyCrash(
    _ pushChannel: PushChannel, _ point: CrashingStore.Point, _ fault: DeliveryFixture.Fault? = nil
  ) async throws -> [Run] {
    var runs: [Run] = []
    var crashed = true
    while crashed {
      let fixture = try await DeliveryFixture(fault)
      try await fixture.register("phone", pushChannel)
      try await fixture.subscribe("s", .created(), info: .alert())
      try await fixture.notify()
      fixture.store.crash(afterCalls: runs.count, at: point)
      crashed = try await run(fixture)
      runs.append(Run(violations: violations(fixture)))
      try #require(runs.count < 200)
    }
    return runs
  }

  /// Two saves, each delivered and read, in as many runs as it takes. Answers whether the server crashed.
  private func run(_ fixture: DeliveryFixture) async throws -> Bool {
    var crashed = false
    for name in ["one", "two"] {
      var isDone = false
      while !isDone {
        do {
          try await fixture.follow()
          if !fixture.changes.contains(where: { $0.name == name }) { try await fixture.save(name) }
          try await fixture.notify()
          try await fixture.receive("phone")
          isDone = true
        } catch is CrashingStore.Crash {
          crashed = true
          try await fixture.restart()
        }
      }
    }
    return crashed
  }

  private func violations(_ fixture: DeliveryFixture) -> [String] {
    let received = fixture.received("phone")
    let lost = fixture.changes.filter { change in !received.contains { $0.nid == change.nid } }
      .map { "lost: \($0.name)" }
    let twice = ["one", "two"].filter { name in
      Set(received.filter { $0.name == name }.map { "\($0.nid) \($0.sid)" }).count > 1
    }.map { "twice, with different IDs: \($0)" }
    return lost + twice + (fixture.changes.count == 2 ? [] : ["the saves themselves were lost"])
  }
}
