import BrumeModel
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Testing

@testable import BrumeCore
@testable import BrumeNotifier

/// N7: nothing is lost and nothing is doubled wherever the process crashes.
struct NotifierCrashTests {
  private let main = zone(ZoneID.defaultName, of: alice)

  private func prepared(_ change: (inout Limits) -> Void = { _ in }) async throws -> NotifierFixture
  {
    let fixture = try await NotifierFixture(change)
    try await fixture.register(alice, "A", "B")
    var info = visible()
    info.shouldBadge = true
    try await fixture.subscribe(alice, "s", query("Note"), info: info)
    return fixture
  }

  @Test(arguments: [FlakyStore.Fault.beforeCommit, .afterCommit])
  func `N7 a step that crashes before or after its commit is made good without doubles`(
    fault: FlakyStore.Fault
  ) async throws {
    let fixture = try await prepared()
    try await fixture.log(.created, "n", in: main)
    fixture.store.plan([fault])
    await #expect(throws: FlakyStore.Failure.self) { try await fixture.notifier.drain() }
    try await fixture.restarted().drain()
    #expect(try await fixture.pending(alice, "A") == ["s"])
    #expect(try await fixture.pending(alice, "B") == ["s"])
    #expect(try await fixture.mailbox(alice, "A").map(\.badge) == [1])
    let kept = try await fixture.engine.notifications.kept(
      token: nil, limit: nil, as: fixture.caller(alice), decode: PushPayload.decode)
    #expect(kept.items.count == 1)
  }

  @Test(arguments: [FlakyStore.Fault.beforeCommit, .afterCommit])
  func `N2 the same notifier goes on after a failure, with the same nid`(fault: FlakyStore.Fault)
    async throws
  {
    let fixture = try await prepared()
    // The log is kept for somebody who is behind, so that what was delivered could be read again.
    let database = main.database
    try await fixture.store.write(in: .all) { store in
      try store.webhooks.put(
        Webhook(
          id: "w", in: database.containerEnvironment,
          url: "https://hook.example/", secret: [1], created: 0, cursor: LogPositions()))
    }
    // Now it remembers how far it is.
    try await fixture.notifier.drain()
    try await fixture.log(.created, "n", in: main)
    let first = try await fixture.store.read { try $0.log.entries(in: .only, after: 0, limit: 10) }
      .last
    let nid = NotificationID.text(generation: fixture.engine.generation, entry: try #require(first))
    fixture.store.plan([fault])
    await #expect(throws: FlakyStore.Failure.self) { try await fixture.notifier.drain() }
    try await fixture.notifier.drain()
    let entries = try await fixture.entries(device("A", of: alice))
    #expect(entries.map(\.notificationID) == [nid])
    #expect(try await fixture.mailbox(alice, "A").map(\.badge) == [1])
    // It knows from the store how far it came: nothing is counted twice.
    try await fixture.log(.created, "m", in: main)
    try await fixture.notifier.drain()
    #expect(try await fixture.mailbox(alice, "A").map(\.badge) == [1, 2])
  }

  @Test func `a push that was undone does not make its repetition wait`() async throws {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "A")
    let notes = try await fixture.zone("Notes", of: alice)
    try await fixture.subscribe(alice, "s", .zone(notes.id, recordType: nil))
    try await fixture.log(.created, "n", in: notes)
    fixture.store.plan([.beforeCommit])
    await #expect(throws: FlakyStore.Failure.self) { try await fixture.notifier.drain() }
    try await fixture.notifier.drain()
    let entries = try await fixture.entries(device("A", of: alice))
    #expect(entries.map(\.time) == [fixture.clock.now])
  }

  @Test func `two steps from the same cursor leave one entry`() async throws {
    let fixture = try await prepared()
    try await fixture.log(.created, "n", in: main)
    let log = try await fixture.store.read { try $0.log.entries(in: .only, after: 0, limit: 10) }
    try await fixture.notifier.drain()
    // The same log once more, as if the cursor had not moved.
    let target = FanOut.Target(
      startPosition: log[0].position, key: SubscriptionKey(scope: place(.private, alice), id: "s"))
    let jobs = try log.compactMap { entry -> FanOut.Job? in
      guard case .record(let change) = entry.event else { return nil }
      return FanOut.Job(
        entry: entry, image: try change.image?.record(), targets: [target], later: 0)
    }
    #expect(jobs.count == 1)
    let (engine, limits) = (fixture.engine, fixture.engine.limits)
    let input = FanOut.Input(
      bucket: .only, jobs: jobs, cursor: NotifierCursor(position: 0), now: 1,
      pace: Pace(isAmidFanOut: false, othersWrite: false, waiting: 0, limits),
      coalescers: [:], connected: [:])
    let rules = FanOut.Rules(
      permission: engine.permission, generation: engine.generation, limits: limits,
      encode: PushPayload.encode)
    let outcome = try await fixture.store.write(in: .all) { transaction in
      var fanOut = FanOut(input, rules, transaction)
      return try fanOut.run()
    }
    #expect(outcome.unfinished == nil)
    #expect(outcome.notifications == 1)
    #expect(try await fixture.pending(alice, "A") == ["s"])
    #expect(try await fixture.pending(alice, "B") == ["s"])
  }

  @Test func `a fan-out larger than a transaction goes on where it stopped, also after a crash`()
    async throws
  {
    let fixture = try await NotifierFixture { $0.notifierDeliveries = 3 }
    let open = zone(ZoneID.defaultName, of: nil)
    let users = (0..<10).map { UserID("_user\($0)") }
    var info = visible()
    info.shouldBadge = true
    for user in users {
      try await fixture.register(user, "D")
      try await fixture.subscribe(user, "s", query("Note"), in: .public, info: info)
    }
    try await fixture.log(.created, "n1", in: open)
    try await fixture.log(.created, "n2", in: open)
    var steps = 0
    var isDone = false
    while !isDone {
      // Each step in a new process, every other one dying once before its commit.
      if steps % 2 == 1 { fixture.store.plan([.beforeCommit]) }
      do {
        isDone = try await !fixture.restarted().step()
      } catch is FlakyStore.Failure {}
      steps += 1
      try #require(steps < 100)
    }
    #expect(steps > 7)
    for user in users {
      #expect(try await fixture.mailbox(user, "D").map(\.badge) == [1, 2])
    }
  }

  @Test func `SUB-20 firesOnce survives a crash before the commit and fires once`() async throws {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "A")
    try await fixture.subscribe(alice, "once", query("Note", once: true))
    try await fixture.log(.created, "n", in: main)
    fixture.store.plan([.beforeCommit])
    await #expect(throws: FlakyStore.Failure.self) { try await fixture.notifier.drain() }
    #expect(
      try await fixture.engine.subscriptions.list(in: .private, as: fixture.caller(alice)).count
        == 1
    )
    try await fixture.restarted().drain()
    try await fixture.log(.created, "n2", in: main)
    try await fixture.restarted().drain()
    #expect(try await fixture.pending(alice, "A") == ["once"])
  }

  @Test func `a cursor reads back, and damaged bytes are no cursor`() {
    let cursors = [
      NotifierCursor(position: 0), NotifierCursor(position: .max),
      NotifierCursor(
        position: 7,
        served: .init(
          startPosition: 3, key: SubscriptionKey(scope: place(.shared, bob), id: "caf\u{e9}"))),
    ]
    for cursor in cursors {
      #expect(NotifierCursor(cursor.bytes) == cursor)
      #expect(NotifierCursor(cursor.bytes + [1]) == nil)
    }
    #expect(NotifierCursor([]) == nil)
    #expect(NotifierCursor(Array(cursors[2].bytes.dropLast())) == nil)
  }
}
