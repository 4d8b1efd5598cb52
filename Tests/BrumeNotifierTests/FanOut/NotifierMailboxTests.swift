import BrumeModel
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Testing

@testable import BrumeCore
@testable import BrumeNotifier

/// Merging, overflow and order in a device's mailbox.
struct NotifierMailboxTests {
  private let main = zone(ZoneID.defaultName, of: alice)

  @Test
  func `PSH-05 silent zone pushes merge: the first at once, the newer one replaces the waiting`()
    async throws
  {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "A")
    let notes = try await fixture.zone("Notes", of: alice)
    try await fixture.subscribe(alice, "z", .zone(notes.id, recordType: nil))
    var ids: [String] = []
    for number in 0..<5 {
      try await fixture.log(.created, "n\(number)", in: notes)
      try await fixture.notifier.drain()
      let entries = try await fixture.entries(device("A", of: alice))
      #expect(entries.count == 1)
      ids.append(try #require(entries.last).notificationID)
    }
    #expect(Set(ids).count == 5)
    let waiting = try #require(try await fixture.entries(device("A", of: alice)).first)
    #expect(waiting.time == fixture.clock.now + 1000)
    // The reader is signalled for the first and once for the one that waits.
    #expect(fixture.pendingDevices.take() == ["A", "A"])
  }

  @Test func `visible alerts never merge`() async throws {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "A")
    let notes = try await fixture.zone("Notes", of: alice)
    try await fixture.subscribe(alice, "z", .zone(notes.id, recordType: nil), info: visible())
    for number in 0..<5 { try await fixture.log(.created, "n\(number)", in: notes) }
    try await fixture.notifier.drain()
    let entries = try await fixture.entries(device("A", of: alice))
    #expect(entries.count == 5)
    #expect(entries.allSatisfy { $0.time <= fixture.clock.now })
  }

  @Test func `alerts with the same collapse ID replace each other while unread`() async throws {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "A")
    var info = visible()
    info.collapseIDKey = "title"
    try await fixture.subscribe(alice, "s", query("Note"), info: info)
    for (name, title) in [("n1", "x"), ("n2", "y"), ("n3", "x")] {
      try await fixture.log(.created, name, ["title": .string(title)], in: main)
    }
    try await fixture.notifier.drain()
    let entries = try await fixture.entries(device("A", of: alice))
    #expect(entries.map(\.collapseID) == ["y", "x"])
  }

  @Test func `however many collapse IDs a user's fields have, so many are remembered of one user`()
    async throws
  {
    let fixture = try await NotifierFixture { $0.coalescedKeysPerUser = 2 }
    try await fixture.register(alice, "A")
    var info = visible()
    info.collapseIDKey = "title"
    try await fixture.subscribe(alice, "s", query("Note"), info: info)
    for number in 0..<5 {
      try await fixture.log(.created, "n\(number)", ["title": .string("\(number)")], in: main)
    }
    try await fixture.notifier.drain()
    #expect(await fixture.notifier.rememberedKeys == 2)
    #expect(try await fixture.entries(device("A", of: alice)).count == 5)
  }

  /// When what three changes made for a silent subscription is due, 100 ms apart.
  private func dueTimes(
    _ fixture: NotifierFixture, _ notifier: Notifier
  ) async throws -> [Milliseconds] {
    try await fixture.register(alice, "A")
    let notes = try await fixture.zone("Notes", of: alice)
    try await fixture.subscribe(alice, "z", .zone(notes.id, recordType: nil))
    for number in 0..<3 {
      try await fixture.log(.created, "n\(number)", in: notes)
      try await notifier.drain()
      fixture.clock.advance(100)
    }
    return try await fixture.entries(device("A", of: alice)).map(\.time)
  }

  @Test(arguments: [true, false])
  func `a silent push that nobody has taken is replaced and does not wait anew`(
    isConnected: Bool
  ) async throws {
    let fixture = try await NotifierFixture()
    let delivery = TestDelivery()
    if isConnected { delivery.connect(device("A", of: alice)) }
    let notifier = Notifier(
      engine: fixture.engine, store: fixture.store, host: fixture.clock.host,
      encode: PushPayload.encode, delivery: delivery)
    let start = fixture.clock.now
    #expect(
      try await dueTimes(fixture, notifier) == [isConnected ? start + 1000 : start])
  }

  @Test func `a device that may be at another process is sent silent pushes once a window`()
    async throws
  {
    let fixture = try await NotifierFixture()
    let notifier = Notifier(
      engine: fixture.engine, store: SharedStore(inner: fixture.store), host: fixture.clock.host,
      encode: PushPayload.encode, delivery: TestDelivery())
    let start = fixture.clock.now
    #expect(try await dueTimes(fixture, notifier) == [start + 1000])
  }

  @Test func `after a clock was set back the reader of a silent push is signalled again`()
    async throws
  {
    let fixture = try await NotifierFixture()
    let host = fixture.clock.host
    let notifier = Notifier(
      engine: fixture.engine, store: fixture.store, host: host, encode: PushPayload.encode,
      delivery: fixture.delivery)
    try await fixture.register(alice, "A")
    let notes = try await fixture.zone("Notes", of: alice)
    try await fixture.subscribe(alice, "z", .zone(notes.id, recordType: nil))
    for number in 0..<3 {
      try await fixture.log(.created, "n\(number)", in: notes)
      try await notifier.drain()
    }
    #expect(fixture.pendingDevices.take() == ["A", "A"])
    // Somebody takes what is due then, before the clock is set back.
    fixture.clock.advance(1500)
    _ = host.now()
    fixture.clock.advance(-1300)
    try await fixture.log(.created, "late", in: notes)
    try await notifier.drain()
    #expect(fixture.pendingDevices.take() == ["A"])
  }

  @Test func `an alert is not held up by a silent push that waits`() async throws {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "A")
    let notes = try await fixture.zone("Notes", of: alice)
    try await fixture.subscribe(alice, "silent", .zone(notes.id, recordType: nil))
    try await fixture.subscribe(alice, "loud", query("Note"), info: visible())
    for number in 0..<3 {
      try await fixture.log(.created, "n\(number)", in: notes)
      try await fixture.notifier.drain()
    }
    let entries = try await fixture.entries(device("A", of: alice))
    #expect(entries.map(\.subscriptionID) == ["loud", "loud", "loud", "silent"])
    #expect(entries.dropLast().allSatisfy { $0.time <= fixture.clock.now })
    #expect(entries.map(\.position) == entries.map(\.position).sorted())
  }

  @Test func `N6 overflow becomes one fetch-everything, never silence, and the rows stay bounded`()
    async throws
  {
    let fixture = try await NotifierFixture { $0.mailboxRows = 10 }
    try await fixture.register(alice, "A")
    try await fixture.subscribe(alice, "s", query("Note"), info: visible())
    for number in 0..<35 {
      try await fixture.log(.created, "n\(number)", in: main)
      try await fixture.notifier.drain()
      #expect(try await fixture.entries(device("A", of: alice)).count <= 10)
    }
    let pending = try await fixture.mailbox(alice, "A")
    let all = try #require(pending.first)
    #expect(all.subject == .fetchEverything && all.isPruned && all.contentAvailable)
    #expect(all.subscriptionID == nil && all.user == alice)
    #expect(pending.count == 5)
    #expect(await fixture.notifier.status.overflows == 3)
    #expect(!fixture.pendingDevices.take().isEmpty)
  }

  @Test func `N4 each device receives the changes of a zone in their order`() async throws {
    let fixture = try await NotifierFixture { $0.notifierEntries = 3 }
    try await fixture.register(alice, "A", "B")
    try await fixture.subscribe(alice, "s", query("Note"))
    for number in 0..<20 {
      try await fixture.log(
        .created, "n\(number)", in: main, by: alice, on: number % 2 == 0 ? "A" : "B")
    }
    try await fixture.notifier.drain()
    for (name, rest) in [("A", 1), ("B", 0)] {
      let names = try await fixture.mailbox(alice, name).map { note in
        if case .query(_, let record, _, _) = note.subject { record } else { "?" }
      }
      #expect(names == (0..<20).filter { $0 % 2 == rest }.map { "n\($0)" })
    }
  }

  @Test func `N5 of random bursts, what a reader may deliver stays within the bounds`() async throws
  {
    var random = SeededRandom(seed: 3)
    for _ in 0..<20 {
      let fixture = try await NotifierFixture()
      try await fixture.register(alice, "A")
      let notes = try await fixture.zone("Notes", of: alice)
      try await fixture.subscribe(alice, "z", .zone(notes.id, recordType: nil))
      try await fixture.subscribe(alice, "q", query("Note"))
      let start = fixture.clock.now
      var delivered: [String: Int] = [:]
      let saves = Int.random(in: 1...20, using: &random)
      for number in 0..<saves {
        fixture.clock.advance(Milliseconds.random(in: 0...500, using: &random))
        try await fixture.log(.created, "n\(number)", in: notes)
        try await fixture.notifier.drain()
        try await deliver(fixture, &delivered)
      }
      let span = fixture.clock.now - start
      fixture.clock.advance(1000)
      try await deliver(fixture, &delivered)
      #expect(delivered["q"] == saves)
      #expect((1...Int((span + 999) / 1000) + 1).contains(delivered["z"] ?? 0))
      #expect(try await fixture.entries(device("A", of: alice)).isEmpty)
    }
  }

  /// A reader that is always there: takes from the front what is due, and acknowledges.
  private func deliver(_ fixture: NotifierFixture, _ delivered: inout [String: Int]) async throws {
    let phone = device("A", of: alice)
    let now = fixture.clock.now
    for entry in try await fixture.entries(phone).prefix(while: { $0.time <= now }) {
      delivered[entry.subscriptionID, default: 0] += 1
      let position = entry.position
      try await fixture.store.write(in: .all) {
        try $0.mailboxes.acknowledge(through: position, by: phone)
      }
    }
  }
}

/// A store that another process has open too, to which devices may be connected.
private struct SharedStore: WrappingStore, SharedMailboxes {
  struct TwoProcesses: Leases {
    let processes = 2
    func epoch(of bucket: Bucket) -> Int64? { AlwaysOwned.epoch }
  }
  let inner: any Store
  let leases: any Leases = TwoProcesses()

  var sharedMailboxes: (any SharedMailboxes)? { self }
  func mailboxHints() -> CommitHints { CommitSignals().hints() }
  func lastMailboxPositions() async throws -> [Bucket: Int64] { [:] }
  func newEntries(
    in bucket: Bucket, after position: Int64, limit: Int
  ) async throws -> [NewMailboxEntry] { [] }
}
