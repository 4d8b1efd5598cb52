// The clock that is moved by hand, and what waits for it.

import BrumeCore
import BrumeModel
import BrumeWire
import Synchronization
import Testing

@testable import BrumeServer

@Suite(.timeLimit(.minutes(10))) struct ManualTimeTests {
  @Test func `a sleep ends when its time has come, and not before`() async throws {
    let time = ManualTime(1000)
    let sleep = Task { try await time.sleep(until: 3000, for: "a nap") }
    try await time.somethingWaits()
    time.advance(by: 1999)
    #expect(time.shown(most: 9).timers == [.init(name: "a nap", time: 3000)])
    time.advance(by: 1)
    try await sleep.value
    #expect(time.alarmCount == 0 && time.now == 3000)
  }

  @Test func `what is past is not waited for`() async throws {
    let time = ManualTime(1000)
    try await time.sleep(until: 1000, for: "nothing")
    try await time.sleep(until: .min, for: "nothing")
    #expect(time.alarmCount == 0)
  }

  @Test func `a task that is cancelled waits no longer, whenever that is`() async throws {
    let time = ManualTime(0)
    let early = Task { try await time.sleep(until: 5, for: "x") }
    early.cancel()
    await #expect(throws: CancellationError.self) { try await early.value }
    let late = Task { try await time.sleep(until: 5, for: "x") }
    try await time.somethingWaits()
    late.cancel()
    await #expect(throws: CancellationError.self) { try await late.value }
    #expect(time.alarmCount == 0)
  }

  @Test func `somebody waits until so much waits, or is cancelled`() async throws {
    let time = ManualTime(0)
    let first = Task { try await time.sleep(until: 5, for: "first") }
    try await time.somethingWaits()
    let two = Task { try await time.somethingWaits(atLeast: 2) }
    let three = Task { try await time.somethingWaits(atLeast: 3) }
    three.cancel()
    await #expect(throws: CancellationError.self) { try await three.value }
    let second = Task { try await time.sleep(until: 5, for: "second") }
    try await two.value
    #expect(time.alarmCount == 2)
    time.advance(by: 5)
    try await first.value
    try await second.value
  }

  @Test func `the next timer is named, and reached`() {
    let time = ManualTime(0)
    let rung = Mutex<[String]>([])
    for (name, at) in [("later", Milliseconds(20)), ("soon", 10), ("at once", 0)] {
      time.alarm(at: at, for: name) { hasCome in if hasCome { rung.withLock { $0.append(name) } } }
    }
    #expect(time.advanceToNext() == .init(name: "soon", time: 10))
    #expect(time.advanceToNext() == .init(name: "later", time: 20))
    #expect(time.advanceToNext() == nil)
    #expect(time.now == 20)
    #expect(rung.withLock { $0 } == ["at once", "soon", "later"])
  }

  @Test func `of what waits so much is named, the next first`() {
    let time = ManualTime(0)
    for at in [Milliseconds(30), 10, 20] { time.alarm(at: at, for: "\(at)") { _ in } }
    #expect(time.shown(most: 3).timers.map(\.time) == [10, 20, 30])
    #expect(time.shown(most: 2).timers.map(\.time) == [10, 20])
    #expect(Limits.apple.shownTimers == 20)
  }

  @Test func `an alarm that is given up does not ring`() {
    let time = ManualTime(0)
    let answers = Mutex<[Bool]>([])
    let id = time.alarm(at: 10, for: "x") { hasCome in answers.withLock { $0.append(hasCome) } }
    time.giveUp(id)
    time.advance(by: 100)
    #expect(answers.withLock { $0 } == [false])
  }
}

@Suite(.timeLimit(.minutes(10))) struct ClockRouteTests {
  private func fixture() async throws -> ServerFixture {
    try await ServerFixture { $0.isClockManual = true }
  }

  @Test func `an operator sees the time, and moves it`() async throws {
    try await fixture().routes { client in
      let before = try await client.admin("clock")
      #expect(before["manual"]?.bool == true)
      let now = try #require(before["now"]?.int)
      let after = try await client.admin("clock", ["milliseconds": 60_000])
      #expect(after["now"]?.int == now + 60_000)
      #expect(client.fixture.server.host.now() == now + 60_000)
    }
  }

  @Test(
    arguments: [
      [:], ["milliseconds": -1], ["milliseconds": 1, "toNext": true], ["milliseconds": "soon"],
      ["milliseconds": 9_000_000_000_000_000],
    ] as [JSON])
  func `what does not say how the clock moves is refused`(body: JSON) async throws {
    try await fixture().routes { client in
      let answer = try await client.admin("clock", body)
      #expect(answer.status == 400, "\(answer.text)")
    }
  }

  @Test func `one call moves it by a century and no further`() async throws {
    try await fixture().routes { client in
      let century: Int64 = 36_525 * 86_400_000
      let refused = try await client.admin("clock", ["milliseconds": .int(century + 1)])
      #expect(refused.status == 400, "\(refused.text)")
      let moved = try await client.admin("clock", ["milliseconds": .int(century)])
      #expect(moved.status == 200, "\(moved.text)")
    }
  }

  @Test func `a clock that passes by itself is shown, and not moved`() async throws {
    try await ServerFixture().routes { client in
      #expect(try await client.admin("clock")["manual"]?.bool == false)
      let refused = try await client.admin("clock", ["milliseconds": 1])
      #expect(refused.status == 400 && refused.reason.contains("--clock manual"))
    }
  }

  @Test func `a session of a user ends by the clock`() async throws {
    try await fixture().routes { client in
      #expect(try await client.call("users/current").status == 200)
      let hours = client.fixture.server.settings.limits.keptWebAuthTokenLifetime
      _ = try await client.admin("clock", ["milliseconds": .int(hours + 1)])
      #expect(try await client.call("users/current").status != 200)
    }
  }
}
