import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

/// What a device hears of a zone is in the order of the changes, over deaths of the server and however
/// its reading is cut; repetitions apart.
@Suite(.serialized, .timeLimit(.minutes(10))) struct OrderKeptTests {
  @Test(arguments: Way.allCases, 1...3 as ClosedRange<UInt64>)
  func `N4 changes of a zone arrive in their order, by`(way: Way, seed: UInt64) async throws {
    #expect(try await inversions(way, seed) == [])
  }

  @Test(arguments: Way.devices)
  func `a mailbox that is read from the end is caught, by`(way: Way) async throws {
    #expect(try await !inversions(way, 1, .backwards).isEmpty)
  }

  private func inversions(
    _ way: Way, _ seed: UInt64, _ fault: DeliveryLab.Fault? = nil
  ) async throws -> [String] {
    var random = SeededRandom(seed: seed)
    let lab = try await DeliveryLab(fault)
    try await lab.register("phone", way)
    try await lab.subscribe("s", .created(), info: .alert())
    try await lab.subscribe("z", .zone(DeliveryLab.zone, recordType: nil), info: .alert())
    for number in 1...30 {
      try await lab.save("n\(number)")
      lab.clock.advance(Int64(random.next(below: 700)))
      if random.one(in: 2) { try await lab.notify() }
      if random.one(in: 3) { try await dying(lab, &random) }
    }
    try await lab.notify()
    try await lab.receive("phone")
    let positions = Dictionary(
      lab.changes.map { ($0.nid, $0.position) }, uniquingKeysWith: { $1 })
    var last: [String: Int64] = [:]
    var seen: Set<String> = []
    var inversions: [String] = []
    for push in lab.heard("phone") where seen.insert("\(push.nid) \(push.sid)").inserted {
      let position = positions[push.nid] ?? -1
      if position <= last[push.sid] ?? 0 { inversions.append("\(push.name) after a later one") }
      last[push.sid] = position
    }
    // Each of thirty changes, by two subscriptions; a webhook has none.
    let expected = way == .webhook ? 30 : 60
    return inversions + (seen.count == expected ? [] : ["\(seen.count) of \(expected) arrived"])
  }

  private func dying(_ lab: DeliveryLab, _ random: inout SeededRandom) async throws {
    lab.store.crash(
      afterCalls: random.next(below: 12), at: random.pick(CrashingStore.Point.allCases))
    do {
      try await lab.receive("phone")
    } catch is CrashingStore.Crash {
      try await lab.restart()
    }
    lab.store.crash(afterCalls: .max, at: .beforeCall)
  }
}
