// Buckets come to a process, and what waits in their mailboxes is to be sent, whoever left it there.

import BrumeDelivery
import BrumeModel
import BrumeNotifier
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeServer

@Suite(.timeLimit(.minutes(1))) struct MailboxTailTests {
  /// Whoever sends looks once at its own start and once at the tail's, with two reads each, and then only if it is woken
  /// or a minute has passed.
  @Test func `a lease that is taken back under the same number wakes whoever sends`() async throws {
    let (reads, read) = AsyncStream.makeStream(of: Void.self)
    let fixture = try await ServerFixture(wrapping: { WatchedStore(inner: $0) { read.yield() } })
    let (leases, mailboxes) = (LeaseThatComes(), EmptyMailboxes())
    let server = fixture.server.delivery
    let tail = MailboxTail(
      mailboxes: mailboxes, leases: leases, delivery: TestDelivery { _ in }, server: server,
      accounts: nil, damaged: nil, now: { 0 })
    let work = [
      Task { try await server.worker.run() }, Task { try await tail.run() },
    ]
    var seen = reads.makeAsyncIterator()
    // What the fixture itself has read is no more than a few.
    for _ in 0..<100 {
      leases.count.change { $0 += 1 }
      mailboxes.signals.signal([.only])
      await seen.next()
    }
    for task in work { task.cancel() }
  }

  @Test(arguments: [true, false])
  func `who polls with a push token is woken everywhere, and sent to by whoever has the bucket:`(
    isOwned: Bool
  ) async throws {
    let fixture = try await ServerFixture()
    let phone = DeviceKey(
      in: ServerFixture.containerEnvironment, user: UserID("_a1"), device: DeviceID("phone"))
    let (deliveries, delivered) = AsyncStream.makeStream(of: NewEntries.self)
    let tail = MailboxTail(
      mailboxes: OneNewEntry(device: phone, channel: .apns),
      leases: isOwned ? AlwaysOwned() : OwnedElsewhere(),
      delivery: TestDelivery { delivered.yield($0) }, server: fixture.server.delivery,
      accounts: nil, damaged: nil, now: { 0 })
    let following = Task { try await tail.run() }
    for await new in deliveries {
      #expect(new.fetching == [phone])
      #expect(new.pushed == (isOwned ? [phone] : []))
      break
    }
    following.cancel()
  }
}

private struct OwnedElsewhere: Leases {
  let processes = 2
  func epoch(of bucket: Bucket) -> Int64? { nil }
}

private final class LeaseThatComes: Leases {
  let count = Mutexed(0)
  let processes = 2
  func epoch(of bucket: Bucket) -> Int64? { 7 }
  var arrivals: Int { count.value }
}

private final class EmptyMailboxes: SharedMailboxes {
  let signals = CommitSignals()
  func mailboxHints() -> CommitHints { signals.hints() }
  func lastMailboxPositions() async throws -> [Bucket: Int64] { [:] }
  func newEntries(
    in bucket: Bucket, after position: Int64, limit: Int
  ) async throws -> [NewMailboxEntry] { [] }
}

/// A store that says when it is read.
private struct WatchedStore: WrappingStore {
  let inner: any Store
  let isRead: @Sendable () -> Void

  func read<Value: Sendable>(
    _ plan: ReadPlan, _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    isRead()
    return try await inner.read(plan, body)
  }
}
