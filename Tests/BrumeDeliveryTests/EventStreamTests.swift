import BrumeDelivery
import BrumePush
import BrumeStorage
import Testing

@Suite struct EventStreamTests {
  @Test func `what waits is read in order, after the position`() async throws {
    let world = PushWorld()
    try await world.put("a", "b", "c")
    let all = try await world.stream.entries(after: 0)
    #expect(all.entries.ids == ["a", "b", "c"])
    #expect(all.isAll)
    let rest = try await world.stream.entries(after: all.entries[0].position)
    #expect(rest.entries.ids == ["b", "c"])
  }

  @Test func `entries stay until they are acknowledged, over any number of streams`() async throws {
    let world = PushWorld()
    try await world.put("a", "b")
    let first = try await world.stream.entries(after: 0).entries
    #expect(try await world.waiting() == ["a", "b"])
    try await world.stream.acknowledge(through: first[0].position)
    let again = try await world.stream.entries(after: 0).entries
    #expect(again.ids == ["b"])
    #expect(again.map(\.position) == [first[1].position])
  }

  @Test func `two acknowledgements at once leave one line a push`() async throws {
    let world = PushWorld()
    try await world.put("a", "b")
    let all = try await world.stream.entries(after: 0).entries
    let store = OvertakenStore(world.store) {
      try await world.stream.acknowledge(through: all[0].position)
    }
    let slower = EventStream(
      store: store, signals: world.signals, device: world.phone, limits: world.limits,
      clock: world.clock.push, maySend: .always)
    try await slower.acknowledge(through: all[1].position)
    #expect(try await world.log().map(\.notificationID).sorted() == ["a", "b"])
    #expect(try await world.waiting() == [])
  }

  @Test func `an entry that waits to be merged is held until it is due`() async throws {
    let world = PushWorld()
    try await world.put("a")
    try await world.put("b", due: 1000)
    let first = try await world.stream.entries(after: 0)
    #expect(first.entries.ids == ["a"])
    #expect(first.nextDue == world.clock.now + 1000)
    world.clock.advance(999)
    #expect(try await world.stream.entries(after: first.entries[0].position).entries.isEmpty)
    world.clock.advance(1)
    #expect(try await world.stream.entries(after: first.entries[0].position).entries.ids == ["b"])
  }

  @Test func `a clock that was set back holds nothing up`() async throws {
    let world = PushWorld()
    try await world.put("a", due: 3_600_000)
    #expect(try await world.stream.entries(after: 0).entries.ids == ["a"])
  }

  @Test func `a reading is bounded and says that there is more`() async throws {
    let world = PushWorld()
    for number in 0..<80 { try await world.put("n\(number)") }
    let first = try await world.stream.entries(after: 0)
    #expect(first.entries.count == 50)
    #expect(!first.isAll)
    let rest = try await world.stream.entries(after: first.entries[49].position)
    #expect(rest.entries.count == 30)
    #expect(rest.isAll)
  }
}
