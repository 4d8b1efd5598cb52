import BrumeModel
import BrumeStorage
import BrumeWire
import Testing

@testable import BrumeCore
@testable import BrumeNotifier

/// N7: nothing is lost and nothing is doubled wherever the process dies.
struct NotifierCrashTests {
  private let main = zone(ZoneID.defaultName, of: alice)

  private func prepared(_ change: (inout Limits) -> Void = { _ in }) async throws -> NotifierWorld {
    let world = try await NotifierWorld(change)
    try await world.register(alice, "A", "B")
    var info = visible()
    info.shouldBadge = true
    try await world.subscribe(alice, "s", query("Note"), info: info)
    return world
  }

  @Test(arguments: [FlakyStore.Fault.beforeCommit, .afterCommit])
  func `N7 a step that dies before or after its commit is made good without doubles`(
    fault: FlakyStore.Fault
  ) async throws {
    let world = try await prepared()
    try await world.log(.created, "n", in: main)
    world.store.plan([fault])
    await #expect(throws: FlakyStore.Failure.self) { try await world.notifier.drain() }
    try await world.restarted().drain()
    #expect(try await world.told(alice, "A") == ["s"])
    #expect(try await world.told(alice, "B") == ["s"])
    #expect(try await world.mailbox(alice, "A").map(\.badge) == [1])
    let kept = try await world.engine.keptNotifications(
      token: nil, limit: nil, as: world.caller(alice), decode: PushPayload.decode)
    #expect(kept.items.count == 1)
  }

  @Test(arguments: [FlakyStore.Fault.beforeCommit, .afterCommit])
  func `N2 the same notifier goes on after a failure, with the same nid`(fault: FlakyStore.Fault)
    async throws
  {
    let world = try await prepared()
    // The log is kept for somebody who is behind, so that what was told could be read again.
    let database = main.database
    try await world.store.write(in: nil) { store in
      try store.put(
        Webhook(
          id: "w", container: database.container, environment: database.environment,
          url: "https://hook.example/", secret: [1], created: 0, cursor: 0))
    }
    // Now it remembers how far it is.
    try await world.notifier.drain()
    try await world.log(.created, "n", in: main)
    let first = try await world.store.read { try $0.log(after: 0, limit: 10) }.last
    let nid = NotificationID.text(generation: world.engine.generation, entry: try #require(first))
    world.store.plan([fault])
    await #expect(throws: FlakyStore.Failure.self) { try await world.notifier.drain() }
    try await world.notifier.drain()
    let entries = try await world.entries(device("A", of: alice))
    #expect(entries.map(\.notificationID) == [nid])
    #expect(try await world.mailbox(alice, "A").map(\.badge) == [1])
    // It knows from the store how far it came: nothing is counted twice.
    try await world.log(.created, "m", in: main)
    try await world.notifier.drain()
    #expect(try await world.mailbox(alice, "A").map(\.badge) == [1, 2])
  }

  @Test func `a push that was undone does not make its repetition wait`() async throws {
    let world = try await NotifierWorld()
    try await world.register(alice, "A")
    let notes = try await world.zone("Notes", of: alice)
    try await world.subscribe(alice, "s", .zone(notes.id, recordType: nil))
    try await world.log(.created, "n", in: notes)
    world.store.plan([.beforeCommit])
    await #expect(throws: FlakyStore.Failure.self) { try await world.notifier.drain() }
    try await world.notifier.drain()
    let entries = try await world.entries(device("A", of: alice))
    #expect(entries.map(\.time) == [world.clock.now])
  }

  @Test func `two steps from the same cursor leave one entry`() async throws {
    let world = try await prepared()
    try await world.log(.created, "n", in: main)
    let log = try await world.store.read { try $0.log(after: 0, limit: 10) }
    try await world.notifier.drain()
    // The same log once more, as if the cursor had not moved.
    let target = FanOut.Target(
      birth: log[0].position, key: SubscriptionKey(scope: place(.private, alice), id: "s"))
    let jobs = try log.compactMap { entry -> FanOut.Job? in
      guard case .record(let change) = entry.event else { return nil }
      return FanOut.Job(
        entry: entry, image: try change.image?.record(), targets: [target], later: 0)
    }
    #expect(jobs.count == 1)
    let (engine, limits) = (world.engine, world.engine.limits)
    let input = FanOut.Input(
      jobs: jobs, cursor: NotifierCursor(position: 0), now: 1,
      pace: Pace(isAmidFanOut: false, othersWrite: false, waiting: 0, limits),
      coalescers: [:], connected: [])
    let rules = FanOut.Rules(
      permission: engine.permission, generation: engine.generation, limits: limits,
      encode: PushPayload.encode)
    let outcome = try await world.store.write(in: nil) { transaction in
      var fanOut = FanOut(input, rules, transaction)
      return try fanOut.run()
    }
    #expect(outcome.unfinished == nil)
    #expect(outcome.notifications == 1)
    #expect(try await world.told(alice, "A") == ["s"])
    #expect(try await world.told(alice, "B") == ["s"])
  }

  @Test func `a fan-out larger than a transaction goes on where it stopped, also after a crash`()
    async throws
  {
    let world = try await NotifierWorld { $0.notifierDeliveries = 3 }
    let open = zone(ZoneID.defaultName, of: nil)
    let users = (0..<10).map { UserID("_user\($0)") }
    var info = visible()
    info.shouldBadge = true
    for user in users {
      try await world.register(user, "D")
      try await world.subscribe(user, "s", query("Note"), in: .public, info: info)
    }
    try await world.log(.created, "n1", in: open)
    try await world.log(.created, "n2", in: open)
    var steps = 0
    var isDone = false
    while !isDone {
      // Each step in a new process, every other one dying once before its commit.
      if steps % 2 == 1 { world.store.plan([.beforeCommit]) }
      do {
        isDone = try await !world.restarted().step()
      } catch is FlakyStore.Failure {}
      steps += 1
      try #require(steps < 100)
    }
    #expect(steps > 7)
    for user in users {
      #expect(try await world.mailbox(user, "D").map(\.badge) == [1, 2])
    }
  }

  @Test func `SUB-20 firesOnce survives a crash before the commit and fires once`() async throws {
    let world = try await NotifierWorld()
    try await world.register(alice, "A")
    try await world.subscribe(alice, "once", query("Note", once: true))
    try await world.log(.created, "n", in: main)
    world.store.plan([.beforeCommit])
    await #expect(throws: FlakyStore.Failure.self) { try await world.notifier.drain() }
    #expect(
      try await world.engine.listSubscriptions(in: .private, as: world.caller(alice)).count == 1)
    try await world.restarted().drain()
    try await world.log(.created, "n2", in: main)
    try await world.restarted().drain()
    #expect(try await world.told(alice, "A") == ["once"])
  }

  @Test func `a cursor reads back, and damaged bytes are no cursor`() {
    let cursors = [
      NotifierCursor(position: 0), NotifierCursor(position: .max),
      NotifierCursor(
        position: 7,
        served: .init(birth: 3, key: SubscriptionKey(scope: place(.shared, bob), id: "caf\u{e9}"))),
    ]
    for cursor in cursors {
      #expect(NotifierCursor(cursor.bytes) == cursor)
      #expect(NotifierCursor(cursor.bytes + [1]) == nil)
    }
    #expect(NotifierCursor([]) == nil)
    #expect(NotifierCursor(Array(cursors[2].bytes.dropLast())) == nil)
  }
}
