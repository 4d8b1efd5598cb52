// Which buckets are served at the same time, and what a notifier knows of a bucket that was somebody else's.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeNotifier

@Suite struct BucketTurnsTests {
  @Test func `as many buckets run as may, in the order of asking`() {
    var turns = BucketTurns(most: 2)
    turns.add([Bucket(3)])
    turns.add([Bucket(1), Bucket(2)])
    #expect(turns.next() == Bucket(3))
    #expect(turns.next() == Bucket(1))
    #expect(turns.next() == nil)
    turns.ended(Bucket(3))
    #expect(turns.next() == Bucket(2))
  }

  @Test func `a bucket that asks while it runs gets one more turn, and never two at once`() {
    var turns = BucketTurns(most: 4)
    turns.add([Bucket(1)])
    #expect(turns.next() == Bucket(1))
    turns.add([Bucket(1)])
    turns.add([Bucket(1)])
    #expect(turns.next() == nil)
    turns.ended(Bucket(1))
    #expect(turns.next() == Bucket(1))
    turns.ended(Bucket(1))
    #expect(turns.next() == nil)
  }

  @Test func `a bucket that goes on after its turn does so behind those that wait`() {
    var turns = BucketTurns(most: 1)
    turns.add([Bucket(1)])
    #expect(turns.next() == Bucket(1))
    turns.add([Bucket(2)])
    turns.ended(Bucket(1))
    turns.add([Bucket(1)])
    #expect(turns.next() == Bucket(2))
    turns.ended(Bucket(2))
    #expect(turns.next() == Bucket(1))
  }

  @Test func `a bucket that waits for its turn keeps nobody behind it waiting`() {
    var turns = BucketTurns(most: 2)
    turns.add([Bucket(1)])
    #expect(turns.next() == Bucket(1))
    turns.add([Bucket(1)])
    turns.add([Bucket(2)])
    #expect(turns.next() == Bucket(2))
  }
}

extension BucketTurnsTests {
  @Test func `a bucket that failed rests, longer each time, and nobody's asking ends that`() {
    var turns = BucketTurns(most: 2)
    turns.add([Bucket(1)])
    #expect(turns.next() == Bucket(1))
    turns.add([Bucket(1)])
    turns.ended(Bucket(1))
    var rests: [Duration] = []
    for _ in 0..<8 { rests.append(turns.failed(Bucket(1))) }
    #expect(rests == [1, 2, 4, 8, 16, 32, 64, 64].map { .seconds($0) })
    turns.add([Bucket(1), Bucket(2)])
    #expect(turns.next() == Bucket(2))
    #expect(turns.next() == nil)
    turns.restEnded(Bucket(1))
    #expect(turns.next() == Bucket(1))
    turns.succeeded(Bucket(1))
    let next = turns.failed(Bucket(1))
    #expect(next == .seconds(1))
  }
}

@Suite struct LeasedBucketTests {
  private let main = zone(ZoneID.defaultName, of: alice)

  @Test
  func `a notifier begins anew when its bucket was somebody else's, though it did not see that`()
    async throws
  {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "phone")
    var info = NotificationInfo()
    info.shouldBadge = true
    try await fixture.subscribe(alice, "notes", query("Note"), info: info)
    try await fixture.log(.created, "one", in: main)
    _ = try await fixture.notifier.drainIfOwned()
    #expect(try await badge(fixture) == 1)
    try await fixture.log(.created, "two", in: main)
    try await fixture.restarted().drain()
    fixture.store.testLeases.set(AlwaysOwned.epoch + 2)
    _ = try await fixture.notifier.drainIfOwned()
    #expect(try await badge(fixture) == 2, "the second change was served by the other")
    try await fixture.log(.created, "three", in: main)
    _ = try await fixture.notifier.drainIfOwned()
    #expect(try await badge(fixture) == 3)
  }

  @Test func `what a process has left of a bucket that another serves is none of its own`()
    async throws
  {
    let fixture = try await NotifierFixture()
    let notifiers = Notifiers(of: fixture.store, most: 1, pause: { _ in }) { _ in fixture.notifier }
    _ = await notifiers.notifier(of: .only)
    #expect(notifiers.own(await notifiers.statuses()).count == 1)
    fixture.store.testLeases.set(nil)
    #expect(notifiers.own(await notifiers.statuses()).isEmpty)
    #expect(await notifiers.statuses().count == 1)
  }

  @Test func `a notifier whose bucket is somebody else's serves nothing`() async throws {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "phone")
    try await fixture.subscribe(alice, "notes", query("Note"))
    fixture.store.testLeases.set(nil)
    try await fixture.log(.created, "one", in: main)
    _ = try await fixture.notifier.drainIfOwned()
    #expect(try await fixture.pending(alice, "phone") == [])
    fixture.store.testLeases.set(1)
    _ = try await fixture.notifier.drainIfOwned()
    #expect(try await fixture.pending(alice, "phone") == ["notes"])
  }

  @Test func `a turn ends after its steps, says that something is left, and the next goes on`()
    async throws
  {
    let fixture = try await NotifierFixture { $0.notifierEntries = 1 }
    try await fixture.register(alice, "phone")
    try await fixture.subscribe(alice, "notes", query("Note"))
    for name in ["one", "two", "three"] { try await fixture.log(.created, name, in: main) }
    let before = await fixture.notifier.status.position
    #expect(try await fixture.notifier.drainIfOwned(steps: 2))
    let between = await fixture.notifier.status.position
    #expect(before < between)
    #expect(try await !fixture.notifier.drainIfOwned())
    #expect(await fixture.notifier.status.position > between)
    #expect(try await !fixture.notifier.drainIfOwned(steps: 2))
  }

  private func badge(_ fixture: NotifierFixture) async throws -> Int {
    try await fixture.store.read { try $0.notifications.badge(of: alice, in: development) }
  }
}
