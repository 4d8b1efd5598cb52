import BrumeModel
import BrumeStorage
import BrumeTestKit
import Foundation
import Testing

/// How many pushes there are to be, if `make soak` says it; it has the time for the reference's 100,000.
private let soak = ProcessInfo.processInfo.environment["BRUME_SOAK_PUSHES"].flatMap { Int($0) }

/// Many devices on each channel, eight writers at a time, and a server that crashes again and again in the middle
/// of fan-out and delivery.
@Suite(.serialized, .timeLimit(.minutes(soak == nil ? 10 : 120))) struct EveryDeviceTests {
  /// By sixteen devices, of eight changes, by two subscriptions that fire for each.
  private static let pushesPerRound = 256
  private static let rounds = max(5, ((soak ?? 0) + pushesPerRound - 1) / pushesPerRound)
  private static let counts: [(pushChannel: PushChannel, count: Int)] = [
    (.stream, 6), (.poll, 6), (.apns, 2), (.webPush, 2),
  ]

  @Test func `N1 every device receives every change, under eight writers and twenty crashes`()
    async throws
  {
    let outcome = try await run(rounds: Self.rounds)
    #expect(outcome.crashes >= 4 * Self.rounds)
    #expect(outcome.expected == Self.rounds * Self.pushesPerRound)
    #expect(outcome.missed.prefix(3) == [])
    #expect(outcome.steps.count >= 12)
    if soak != nil {
      print(
        "\(outcome.expected) pushes expected, \(outcome.missed.count) missed, \(outcome.repeated) "
          + "came again, \(outcome.crashes) deaths at \(outcome.steps.count) steps")
    }
  }

  @Test func `a notifier that saves its cursor first makes somebody miss something`() async throws {
    let outcome = try await run(.cursorFirst, rounds: 5)
    #expect(outcome.crashes >= 20)
    #expect(!outcome.missed.isEmpty)
  }

  private struct Outcome {
    var crashes = 0
    /// The calls of the store at which it crashed, and the moment there.
    var steps: Set<String> = []
    var expected = 0
    var repeated = 0
    var missed: [String] = []
  }

  private func run(_ fault: DeliveryFixture.Fault? = nil, rounds: Int) async throws -> Outcome {
    var random = SeededRandom(seed: 17)
    var limits = Limits()
    // Each write copies what the memory engine holds.
    limits.pushLogRows = 50
    let fixture = try await DeliveryFixture(fault, limits: limits)
    let names = Self.counts.flatMap { pushChannel, count in
      (1...count).map { "\(pushChannel)\($0)" }
    }
    for (pushChannel, count) in Self.counts {
      for number in 1...count { try await fixture.register("\(pushChannel)\(number)", pushChannel) }
    }
    try await fixture.subscribe("q", .created(), info: .alert())
    try await fixture.subscribe("z", .zone(DeliveryFixture.zone, recordType: nil), info: .alert())
    try await fixture.subscribe("d", .database(recordType: nil), info: .silent)
    var outcome = Outcome()
    for round in 1...rounds {
      try await fixture.saveAtOnce((1...8).map { "r\(round)w\($0)" })
      for crashNumber in 0..<5 {
        // The first crash of a round is during its fan-out, at one call after the other.
        let call = crashNumber == 0 ? round % 4 : random.next(below: 16)
        let point = random.pick(CrashingStore.Point.allCases)
        guard try await crashesOnce(fixture, names, after: call, at: point, &random) else {
          continue
        }
        outcome.crashes += 1
        outcome.steps.insert("\(call) \(point)")
      }
      try await fixture.notify()
      fixture.clock.advance(2_000)
      for name in names { try await fixture.receive(name) }
    }
    judge(fixture, names, &outcome)
    return outcome
  }

  /// Fans out and delivers until the server crashes at some call; then a new one starts.
  private func crashesOnce(
    _ fixture: DeliveryFixture, _ names: [String], after calls: Int, at point: CrashingStore.Point,
    _ random: inout SeededRandom
  ) async throws -> Bool {
    fixture.store.crash(afterCalls: calls, at: point)
    defer { fixture.store.crash(afterCalls: .max, at: .beforeCall) }
    do {
      try await fixture.notify()
      for _ in 1...10 { try await fixture.receive(random.pick(names)) }
      return false
    } catch is CrashingStore.Crash {
      try await fixture.restart()
      return true
    }
  }

  private func judge(_ fixture: DeliveryFixture, _ names: [String], _ outcome: inout Outcome) {
    let last = fixture.changes.map(\.position).max() ?? 0
    let positions = Dictionary(
      fixture.changes.map { ($0.nid, $0.position) }, uniquingKeysWith: { $1 })
    for name in names {
      let pushes = fixture.received(name)
      let received = Set(pushes.map { "\($0.nid) \($0.sid)" })
      outcome.repeated += pushes.count - received.count
      for change in fixture.changes {
        for sid in ["q", "z"] {
          outcome.expected += 1
          if !received.contains("\(change.nid) \(sid)") {
            outcome.missed.append("\(name) missed \(change.name) by \(sid)")
          }
        }
      }
      let newest = pushes.filter { $0.sid == "d" }.map { positions[$0.nid] ?? 0 }.max()
      if newest != last { outcome.missed.append("\(name) missed the last change by d") }
    }
  }
}
