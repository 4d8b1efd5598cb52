import BrumeModel
import BrumePush
import BrumeStorage
import Testing

@Suite(.timeLimit(.minutes(1))) struct EventStreamTests {
  @Test func `what waits comes at once, in order, after the cursor`() async throws {
    let world = PushWorld()
    try await world.put("a", "b", "c")
    let all = try await world.stream.entries(after: 0, waiting: .seconds(15))
    #expect(all.ids == ["a", "b", "c"])
    let rest = try await world.stream.entries(after: all[0].position, waiting: .seconds(15))
    #expect(rest.ids == ["b", "c"])
  }

  @Test func `a reader that waits is woken by a new entry`() async throws {
    let world = PushWorld()
    async let entries = world.stream.entries(after: 0, waiting: .seconds(15))
    await world.clock.sleepers(1)
    try await world.put("a")
    #expect(try await entries.ids == ["a"])
  }

  @Test func `silence gives an empty batch after the time has passed`() async throws {
    let world = PushWorld()
    async let entries = world.stream.entries(after: 0, waiting: .seconds(15))
    await world.clock.sleepers(1)
    world.clock.advance(15_000)
    #expect(try await entries.isEmpty)
    #expect(world.signals.listenedDevices == 0)
  }

  @Test func `entries stay until they are acknowledged, over any number of streams`() async throws {
    let world = PushWorld()
    try await world.put("a", "b")
    let first = try await world.stream.entries(after: 0, waiting: .seconds(1))
    #expect(try await world.waiting() == ["a", "b"])
    try await world.stream.acknowledge(through: first[0].position)
    let again = try await world.stream.entries(after: 0, waiting: .seconds(1))
    #expect(again.ids == ["b"])
    #expect(again.map(\.position) == [first[1].position])
  }

  @Test func `an entry that waits to be merged is held until it is due`() async throws {
    let world = PushWorld()
    try await world.put("a")
    try await world.put("b", due: 1000)
    let first = try await world.stream.entries(after: 0, waiting: .seconds(15))
    #expect(first.ids == ["a"])
    async let second = world.stream.entries(after: first[0].position, waiting: .seconds(15))
    await world.clock.sleepers(1)
    world.clock.advance(999)
    world.clock.advance(1)
    #expect(try await second.ids == ["b"])
  }

  @Test func `a clock that was set back holds nothing up`() async throws {
    let world = PushWorld()
    try await world.put("a", due: 3_600_000)
    let entries = try await world.stream.entries(after: 0, waiting: .seconds(15))
    #expect(entries.ids == ["a"])
  }

  @Test func `the sequence goes on from its position and beats when nothing comes`() async throws {
    let world = PushWorld()
    try await world.put("a")
    var batches = world.stream.batches(after: 0, heartbeat: .seconds(15)).makeAsyncIterator()
    #expect(try await batches.next()?.ids == ["a"])
    try await world.put("b", "c")
    #expect(try await batches.next()?.ids == ["b", "c"])
    let clock = world.clock
    async let beat: Void = {
      await clock.sleepers(1)
      clock.advance(15_000)
    }()
    #expect(try await batches.next()?.isEmpty == true)
    await beat
  }

  @Test func `a client that never acknowledges is sent back when half its mailbox is out`()
    async throws
  {
    var world = PushWorld()
    world.limits.mailboxRows = 10
    try await world.put("a", "b", "c", "d", "e")
    var batches = world.stream.batches(after: 0, heartbeat: .seconds(15)).makeAsyncIterator()
    #expect(try await batches.next()?.count == 5)
    #expect(try await batches.next() == nil)
  }

  @Test func `a client that acknowledges beside the stream stays`() async throws {
    var world = PushWorld()
    world.limits.mailboxRows = 10
    try await world.put("a", "b", "c", "d", "e")
    var batches = world.stream.batches(after: 0, heartbeat: .seconds(15)).makeAsyncIterator()
    let sent = try #require(try await batches.next())
    try await world.stream.acknowledge(through: sent[3].position)
    try await world.put("f")
    #expect(try await batches.next()?.ids == ["f"])
  }

  @Test func `a batch is bounded`() async throws {
    let world = PushWorld()
    for number in 0..<80 { try await world.put("n\(number)") }
    let first = try await world.stream.entries(after: 0, waiting: .seconds(1))
    #expect(first.count == 50)
    let rest = try await world.stream.entries(
      after: first[49].position, waiting: .seconds(1))
    #expect(rest.count == 30)
  }

  @Test func `a cancelled reader ends`() async throws {
    let world = PushWorld()
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        do {
          _ = try await world.stream.entries(after: 0, waiting: .seconds(15))
          return false
        } catch { return error is CancellationError }
      }
      await world.clock.sleepers(1)
      group.cancelAll()
      for await wasCancelled in group { #expect(wasCancelled) }
    }
    #expect(world.signals.listenedDevices == 0)
  }
}
