import BrumeModel
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Synchronization
import Testing

@testable import BrumeCore
@testable import BrumeNotifier

/// A change with very many subscribers is delivered in slices: each a transaction of bounded size, with saves
/// between them, nothing held that grows but the list of who is to be notified, and figures that say how
/// much is left.
struct LargeFanOutTests {
  private static let subscribers = 400
  private static let slice = 25
  private static let smallSlice = 6
  private let open = zone(ZoneID.defaultName, of: nil)
  private let users = (0..<subscribers).map { UserID("_user\($0)") }

  /// What the notifier delivers after one commit.
  private final class Slices: Sendable {
    private let sizes = Mutex<[Int]>([])
    func add(_ entries: [NewEntries.Entry]) { sizes.withLock { $0.append(entries.count) } }
    var all: [Int] { sizes.withLock { $0 } }
  }

  /// How long the store was left to others.
  private final class Pauses: Sendable {
    private let durations = Mutex<[Duration]>([])
    func add(_ duration: Duration) { durations.withLock { $0.append(duration) } }
    var all: [Duration] { durations.withLock { $0 } }
  }

  private func prepared(_ info: NotificationInfo = visible()) async throws -> NotifierFixture {
    let fixture = try await NotifierFixture {
      $0.notifierDeliveries = Self.slice
      $0.notifierAwaitedDeliveries = Self.smallSlice
      $0.coalescedKeys = 60
      $0.notifierMaximumDelay = 1_000_000
    }
    for user in users {
      try await fixture.register(user, "A", "B")
      try await fixture.subscribe(user, "s", query("Note"), in: .public, info: info)
    }
    try await fixture.notifier.drain()
    return fixture
  }

  private func notifier(
    _ fixture: NotifierFixture, _ slices: Slices,
    pause: @escaping @Sendable (Duration) async throws -> Void = { _ in }
  ) -> Notifier {
    Notifier(
      engine: fixture.engine, store: fixture.store, host: fixture.clock.host,
      encode: PushPayload.encode,
      delivery: TestDelivery { slices.add($0.entries) }, pause: pause)
  }

  private func rows(_ fixture: NotifierFixture) async throws -> Int {
    let users = users
    return try await fixture.store.read { store in
      try users.reduce(0) { sum, user in
        let (a, b) = (device("A", of: user), device("B", of: user))
        return try sum + store.mailboxes.count(of: a) + store.mailboxes.count(of: b)
      }
    }
  }

  @Test func `a fan-out is delivered in slices of bounded size, and saves get between them`()
    async throws
  {
    let fixture = try await prepared()
    let slices = Slices()
    let notifier = notifier(fixture, slices)
    try await fixture.log(.created, "first", in: open)
    var saved: [String] = []
    var known = 0
    while try await notifier.step() {
      let now = try await rows(fixture)
      // A slice ends with the subscription that reaches its bound.
      #expect(now - known <= Self.slice + 1)
      known = now
      if saved.count < 3, now < Self.subscribers * 2 {
        saved.append("between\(saved.count)")
        try await fixture.log(.created, saved[saved.count - 1], in: open)
      }
    }
    #expect(saved.count == 3)
    #expect(slices.all.max() == Self.slice + 1)
    #expect(slices.all.reduce(0, +) == 4 * 2 * Self.subscribers)
    // Each receives the changes in their order, though three were made in the middle of the first.
    for user in users {
      let received = try await fixture.mailbox(user, "B").map { $0.subject.words }
      #expect(received == ["first"] + saved)
    }
  }

  @Test func `a slice ends early while a save waits for it, and not at once`() async throws {
    let fixture = try await prepared()
    let slices = Slices()
    let notifier = notifier(fixture, slices)
    try await notifier.drain()
    try await fixture.log(.created, "one", in: open)
    for isAwaited in [false, true, true, false] {
      fixture.store.setAwaited(isAwaited)
      _ = try await notifier.step()
    }
    #expect(slices.all == [26, 6, 6, 26])
    fixture.store.setAwaited(true)
    try await notifier.drain()
    #expect(slices.all.reduce(0, +) == 2 * Self.subscribers)
  }

  @Test(arguments: [(8, 8, [4, 12]), (9, 13, [4, 14])] as [(Int, Int, [Int])])
  func `what is nearly done is finished, though a save waits for it`(
    subscribers: Int, rest: Int, expected: [Int]
  ) async throws {
    let fixture = try await NotifierFixture {
      $0.notifierAwaitedDeliveries = 4
      $0.notifierRest = rest
    }
    for user in users.prefix(subscribers) {
      try await fixture.register(user, "A", "B")
      try await fixture.subscribe(user, "s", query("Note"), in: .public, info: visible())
    }
    try await fixture.notifier.drain()
    let slices = Slices()
    let notifier = notifier(fixture, slices)
    fixture.store.setAwaited(true)
    try await fixture.log(.created, "one", in: open)
    try await notifier.drain()
    // After four of sixteen twelve are left; after four more it is eight.
    #expect(slices.all == expected)
  }

  @Test
  func
    `while others write, small slices are delivered with pauses between, and then all others at once`()
    async throws
  {
    let fixture = try await prepared()
    let (slices, pauses, open) = (Slices(), Pauses(), open)
    let notifier = notifier(fixture, slices) { duration in
      pauses.add(duration)
      // Others save in the first three.
      if pauses.all.count <= 3 {
        try await fixture.log(.created, "unmatched", type: "Other", in: open)
      }
    }
    try await notifier.drain()
    try await fixture.log(.created, "one", in: open)
    _ = try await notifier.step()
    try await fixture.log(.created, "unmatched", type: "Other", in: open)
    try await notifier.drain()
    let pause = Duration.milliseconds(fixture.engine.limits.notifierPause)
    #expect(pauses.all == [pause, pause, pause, pause])
    #expect(slices.all.prefix(6) == [26, 6, 6, 6, 6, 26])
    #expect(slices.all.reduce(0, +) == 2 * Self.subscribers)
  }

  /// Or it is not known for how long, because the clock was set back.
  @Test(arguments: [Limits().notifierMaximumDelay, -3_600_000])
  func `a change that has waited for long is delivered without pauses, whoever writes`(
    passed: Milliseconds
  ) async throws {
    let fixture = try await prepared()
    let (slices, pauses) = (Slices(), Pauses())
    let notifier = notifier(fixture, slices) { pauses.add($0) }
    try await notifier.drain()
    try await fixture.log(.created, "one", in: open)
    _ = try await notifier.step()
    fixture.clock.advance(passed)
    try await fixture.log(.created, "unmatched", type: "Other", in: open)
    try await notifier.drain()
    #expect(pauses.all.isEmpty)
    #expect(slices.all.prefix(2) == [26, 26])
  }

  @Test func `the lag counts down to nothing while a fan-out is delivered`() async throws {
    let fixture = try await prepared()
    let notifier = notifier(fixture, Slices())
    for name in ["one", "two"] { try await fixture.log(.created, name, in: open) }
    var seen: [(lag: Int64, unserved: Int)] = []
    while try await notifier.step() {
      seen.append((await notifier.status.lag, await notifier.status.unserved))
      #expect(await notifier.status.waitingSince != nil)
    }
    // Two changes, each with fewer left after each slice.
    let lefts = [Int64(2), 1].map { lag in seen.filter { $0.lag == lag }.map(\.unserved) }
    for left in lefts {
      #expect(left.count > 20)
      #expect(left.filter { $0 > 0 } == left.filter { $0 > 0 }.sorted(by: >))
      #expect(Set(left).count == left.count)
    }
    #expect(await notifier.status.lag == 0)
    #expect(await notifier.status.unserved == 0)
    #expect(await notifier.status.waitingSince == nil)
  }

  /// What is left after each step over forty large records, and the bytes of the first sixteen.
  private func steps(reading bytes: Int) async throws -> (lags: [Int64], ofSixteen: Int) {
    let fixture = try await NotifierFixture { $0.notifierBytes = bytes }
    try await fixture.register(alice, "A")
    try await fixture.subscribe(alice, "s", query("Note"), in: .public, info: visible())
    try await fixture.notifier.drain()
    let text = String(repeating: "x", count: 10_000)
    for number in 0..<40 {
      let image = record("n\(number)", "Note", in: open, ["title": .string(text)])
      try await fixture.store.write(in: .database(open.database)) { [open] store in
        let sequence = try store.sequences.next(in: open.database)
        let stored = try store.records.put(image, in: open, sequence: sequence)
        let change = RecordChange(
          record: RecordKey(zone: open, name: image.name), recordType: "Note", kind: .created,
          image: stored)
        try store.log.append(.record(change), in: open.database, origin: origin())
      }
    }
    let position = await fixture.notifier.status.position
    let first = try await fixture.store.read {
      try $0.log.entries(in: .only, after: position, limit: 16)
    }
    var lags: [Int64] = []
    while try await fixture.notifier.step() { lags.append(await fixture.notifier.status.lag) }
    #expect(await fixture.notifier.status.lag == 0)
    #expect(try await fixture.mailbox(alice, "A").map { $0.subject.words }.last == "n39")
    return (lags, first.reduce(0) { $0 + $1.imageBytes })
  }

  @Test func `large records are read a few at a time`() async throws {
    let bytes = try await steps(reading: 100_000).ofSixteen
    #expect(bytes > 160_000)
    // Sixteen are read before their sizes are known, and others if these are not yet all that may be.
    #expect(try await steps(reading: bytes).lags == [24, 8])
    #expect(try await steps(reading: bytes + 1).lags == [8])
  }

  @Test func `between slices only the list of recipients is held, and not after the last`()
    async throws
  {
    // All these pushes may merge with later ones.
    var info = visible()
    info.collapseIDKey = "news"
    let fixture = try await prepared(info)
    let slices = Slices()
    let notifier = notifier(fixture, slices)
    try await fixture.log(.created, "one", in: open)
    var held: [Int] = []
    while try await notifier.step() { held.append(await notifier.heldMatches) }
    #expect(held.contains(Self.subscribers))
    #expect(held.allSatisfy { $0 <= Self.subscribers })
    #expect(MemoryLayout<SubscriptionIndex.Match>.stride <= 16)
    #expect(await notifier.heldMatches == 0)
    // What merging remembers has a bound of its own, below the number of devices here.
    #expect((1...60).contains(await notifier.rememberedKeys))
    #expect(slices.all.allSatisfy { $0 <= Self.slice + 1 })
  }
}

extension Notification.Subject {
  fileprivate var words: String {
    if case .query(_, let name, _, _) = self { name } else { "" }
  }
}
