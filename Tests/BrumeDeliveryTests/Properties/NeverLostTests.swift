import BrumeTestKit
import Testing

/// A registered device hears of every change that its subscription matches, wherever on the path the
/// server is killed; what it hears twice has the same (`nid`, `sid`).
///
/// The server dies once in each run: at the first call of the store, at the second, and so on to the
/// last, each time before the call, before its commit, and after it when nobody hears of it.
@Suite(.serialized, .timeLimit(.minutes(10))) struct NeverLostTests {
  @Test(arguments: Way.allCases, CrashingStore.Point.allCases)
  func `N1 N2 N7 nothing is lost wherever the server dies, by`(
    way: Way, point: CrashingStore.Point
  ) async throws {
    let runs = try await everyDeath(way, point)
    #expect(runs.count > 10)
    #expect(runs.flatMap(\.violations).prefix(3) == [])
  }

  @Test(arguments: [Way.stream])
  func `a notifier that saves its cursor before it enqueues is caught, by`(way: Way) async throws {
    let runs = try await everyDeath(way, .afterCommit, .cursorFirst)
    #expect(runs.contains { $0.violations.contains { $0.hasPrefix("lost") } })
  }

  @Test(arguments: Way.devices)
  func `a push that leaves its mailbox before it was delivered is caught, by`(way: Way) async throws
  {
    let runs = try await everyDeath(way, .afterCommit, .removedFirst)
    #expect(runs.contains { $0.violations.contains { $0.hasPrefix("lost") } })
  }

  @Test(arguments: Way.fetching)
  func `repetitions with another nid are caught, by`(way: Way) async throws {
    let runs = try await everyDeath(way, .beforeCall, .newIDs)
    #expect(runs.contains { $0.violations.contains { $0.hasPrefix("twice") } })
  }

  private struct Run {
    var violations: [String] = []
  }

  private func everyDeath(
    _ way: Way, _ point: CrashingStore.Point, _ fault: DeliveryLab.Fault? = nil
  ) async throws -> [Run] {
    var runs: [Run] = []
    var died = true
    while died {
      let lab = try await DeliveryLab(fault)
      try await lab.register("phone", way)
      try await lab.subscribe("s", .created(), info: .alert())
      try await lab.notify()
      lab.store.crash(afterCalls: runs.count, at: point)
      died = try await live(lab)
      runs.append(Run(violations: violations(lab)))
      try #require(runs.count < 200)
    }
    return runs
  }

  /// Two saves, each told and read, in as many lives as it takes. Answers whether the server died.
  private func live(_ lab: DeliveryLab) async throws -> Bool {
    var died = false
    for name in ["one", "two"] {
      var isDone = false
      while !isDone {
        do {
          try await lab.follow()
          if !lab.changes.contains(where: { $0.name == name }) { try await lab.save(name) }
          try await lab.notify()
          try await lab.receive("phone")
          isDone = true
        } catch is CrashingStore.Crash {
          died = true
          try await lab.restart()
        }
      }
    }
    return died
  }

  private func violations(_ lab: DeliveryLab) -> [String] {
    let heard = lab.heard("phone")
    let lost = lab.changes.filter { change in !heard.contains { $0.nid == change.nid } }
      .map { "lost: \($0.name)" }
    let twice = ["one", "two"].filter { name in
      Set(heard.filter { $0.name == name }.map { "\($0.nid) \($0.sid)" }).count > 1
    }.map { "twice, with different IDs: \($0)" }
    return lost + twice + (lab.changes.count == 2 ? [] : ["the saves themselves were lost"])
  }
}
