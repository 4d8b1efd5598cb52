import BrumeModel
import BrumeStorage
import BrumeTestKit
import Foundation
import Testing

/// How many pushes there are to be, if `make soak` says it; it has the time for the reference's 100,000.
private let soak = ProcessInfo.processInfo.environment["BRUME_SOAK_PUSHES"].flatMap { Int($0) }

/// Many devices on each way, eight writers at a time, and a server that dies again and again in the middle
/// of telling and delivering.
@Suite(.serialized, .timeLimit(.minutes(soak == nil ? 10 : 120))) struct EveryDeviceTests {
  /// By sixteen devices, of eight changes, by two subscriptions that fire for each.
  private static let pushesPerRound = 256
  private static let rounds = max(5, ((soak ?? 0) + pushesPerRound - 1) / pushesPerRound)
  private static let counts: [(way: Way, count: Int)] = [
    (.stream, 6), (.poll, 6), (.apns, 2), (.webPush, 2),
  ]

  @Test func `N1 every device hears every change, under eight writers and twenty deaths`()
    async throws
  {
    let outcome = try await life(rounds: Self.rounds)
    #expect(outcome.deaths >= 4 * Self.rounds)
    #expect(outcome.expected == Self.rounds * Self.pushesPerRound)
    #expect(outcome.missed.prefix(3) == [])
    #expect(outcome.steps.count >= 12)
    if soak != nil {
      print(
        "\(outcome.expected) pushes expected, \(outcome.missed.count) missed, \(outcome.repeated) "
          + "came again, \(outcome.deaths) deaths at \(outcome.steps.count) steps")
    }
  }

  @Test func `a notifier that saves its cursor first makes somebody miss something`() async throws {
    let outcome = try await life(.cursorFirst, rounds: 5)
    #expect(outcome.deaths >= 20)
    #expect(!outcome.missed.isEmpty)
  }

  private struct Outcome {
    var deaths = 0
    /// The calls of the store at which it died, and the moment there.
    var steps: Set<String> = []
    var expected = 0
    var repeated = 0
    var missed: [String] = []
  }

  private func life(_ fault: DeliveryLab.Fault? = nil, rounds: Int) async throws -> Outcome {
    var random = SeededRandom(seed: 17)
    var limits = Limits()
    // Each write copies what the memory engine holds.
    limits.pushLogRows = 50
    let lab = try await DeliveryLab(fault, limits: limits)
    let names = Self.counts.flatMap { way, count in (1...count).map { "\(way)\($0)" } }
    for (way, count) in Self.counts {
      for number in 1...count { try await lab.register("\(way)\(number)", way) }
    }
    try await lab.subscribe("q", .created(), info: .alert())
    try await lab.subscribe("z", .zone(DeliveryLab.zone, recordType: nil), info: .alert())
    try await lab.subscribe("d", .database(recordType: nil), info: .silent)
    var outcome = Outcome()
    for round in 1...rounds {
      try await lab.saveAtOnce((1...8).map { "r\(round)w\($0)" })
      for death in 0..<5 {
        // The first death of a round is while it is told, at one call after the other.
        let call = death == 0 ? round % 4 : random.next(below: 16)
        let point = random.pick(CrashingStore.Point.allCases)
        guard try await dies(lab, names, after: call, at: point, &random) else { continue }
        outcome.deaths += 1
        outcome.steps.insert("\(call) \(point)")
      }
      try await lab.notify()
      lab.clock.advance(2_000)
      for name in names { try await lab.receive(name) }
    }
    judge(lab, names, &outcome)
    return outcome
  }

  /// Tells and delivers until the server dies at some call; then a new one starts.
  private func dies(
    _ lab: DeliveryLab, _ names: [String], after calls: Int, at point: CrashingStore.Point,
    _ random: inout SeededRandom
  ) async throws -> Bool {
    lab.store.crash(afterCalls: calls, at: point)
    defer { lab.store.crash(afterCalls: .max, at: .beforeCall) }
    do {
      try await lab.notify()
      for _ in 1...10 { try await lab.receive(random.pick(names)) }
      return false
    } catch is CrashingStore.Crash {
      try await lab.restart()
      return true
    }
  }

  private func judge(_ lab: DeliveryLab, _ names: [String], _ outcome: inout Outcome) {
    let last = lab.changes.map(\.position).max() ?? 0
    let positions = Dictionary(
      lab.changes.map { ($0.nid, $0.position) }, uniquingKeysWith: { $1 })
    for name in names {
      let pushes = lab.heard(name)
      let heard = Set(pushes.map { "\($0.nid) \($0.sid)" })
      outcome.repeated += pushes.count - heard.count
      for change in lab.changes {
        for sid in ["q", "z"] {
          outcome.expected += 1
          if !heard.contains("\(change.nid) \(sid)") {
            outcome.missed.append("\(name) missed \(change.name) by \(sid)")
          }
        }
      }
      let newest = pushes.filter { $0.sid == "d" }.map { positions[$0.nid] ?? 0 }.max()
      if newest != last { outcome.missed.append("\(name) missed the last change by d") }
    }
  }
}
