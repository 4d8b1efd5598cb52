import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

/// What a device receives of a zone is in the order of the changes, over crashes of the server and however
/// its reading is cut; repetitions apart.
@Suite(.serialized, .timeLimit(.minutes(10))) struct OrderKeptTests {
  @Test(arguments: PushChannel.allCases, 1...3 as ClosedRange<UInt64>)
  func `N4 changes of a zone arrive in their order, by`(pushChannel: PushChannel, seed: UInt64)
    async throws
  {
    #expect(try await inversions(pushChannel, seed) == [])
  }

  @Test(arguments: PushChannel.devices)
  func `a mailbox that is read from the end is caught, by`(pushChannel: PushChannel) async throws {
    #expect(try await !inversions(pushChannel, 1, .backwards).isEmpty)
  }

  private func inversions(
    _ pushChannel: PushChannel, _ seed: UInt64, _ fault: DeliveryFixture.Fault? = nil
  ) async throws -> [String] {
    var random = SeededRandom(seed: seed)
    let fixture = try await DeliveryFixture(fault)
    try await fixture.register("phone", pushChannel)
    try await fixture.subscribe("s", .created(), info: .alert())
    try await fixture.subscribe("z", .zone(DeliveryFixture.zone, recordType: nil), info: .alert())
    for number in 1...30 {
      try await fixture.save("n\(number)")
      fixture.clock.advance(Int64(random.next(below: 700)))
      if random.one(in: 2) { try await fixture.notify() }
      if random.one(in: 3) { try await crashing(fixture, &random) }
    }
    try await fixture.notify()
    try await fixture.receive("phone")
    let positions = Dictionary(
      fixture.changes.map { ($0.nid, $0.position) }, uniquingKeysWith: { $1 })
    var last: [String: Int64] = [:]
    var seen: Set<String> = []
    var inversions: [String] = []
    for push in fixture.received("phone") where seen.insert("\(push.nid) \(push.sid)").inserted {
      let position = positions[push.nid] ?? -1
      if position <= last[push.sid] ?? 0 { inversions.append("\(push.name) after a later one") }
      last[push.sid] = position
    }
    // Each of thirty changes, by two subscriptions; a webhook has none.
    let expected = pushChannel == .webhook ? 30 : 60
    return inversions + (seen.count == expected ? [] : ["\(seen.count) of \(expected) arrived"])
  }

  private func crashing(_ fixture: DeliveryFixture, _ random: inout SeededRandom) async throws {
    fixture.store.crash(
      afterCalls: random.next(below: 12), at: random.pick(CrashingStore.Point.allCases))
    do {
      try await fixture.receive("phone")
    } catch is CrashingStore.Crash {
      try await fixture.restart()
    }
    fixture.store.crash(afterCalls: .max, at: .beforeCall)
  }
}
