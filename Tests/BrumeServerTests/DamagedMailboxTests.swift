// A page of the mailboxes is damaged: the process goes on, and so do pushes to all that are read without it.

import BrumeModel
import BrumeNotifier
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeServer

@Suite(.timeLimit(.minutes(5))) struct DamagedMailboxTests {
  @Test func `entries on a damaged page are passed over, and the next ones delivered`()
    async throws
  {
    let fixture = try await ServerFixture()
    let damaged = DamagedRows()
    let (names, delivered) = AsyncStream.makeStream(of: [String].self)
    let mailboxes = DamagedMailboxes()
    let tail = MailboxTail(
      mailboxes: mailboxes, leases: AlwaysOwned(),
      delivery: TestDelivery { delivered.yield($0.entries.map(\.entry.notificationID)) },
      server: fixture.server.delivery, accounts: nil, damaged: damaged, now: { 0 })
    let following = Task { try await tail.run() }
    for await names in names {
      #expect(names == ["after"])
      break
    }
    following.cancel()
    #expect(mailboxes.asked.value.prefix(2) == [3, 7])
    #expect(damaged.reads == 1)
  }
}

/// Mailboxes whose first new entries are on a damaged page.
private final class DamagedMailboxes: SharedMailboxes {
  private let signals = CommitSignals()
  private let looks = Mutexed<[Int64]>([3, 7])
  let asked = Mutexed<[Int64]>([])

  func mailboxHints() -> CommitHints {
    let hints = signals.hints()
    signals.signal([.only])
    return hints
  }

  func lastMailboxPositions() async throws -> [Bucket: Int64] {
    var last: Int64 = 0
    looks.change { last = $0.removeFirst() }
    return [.only: last]
  }

  func newEntries(
    in bucket: Bucket, after position: Int64, limit: Int
  ) async throws -> [NewMailboxEntry] {
    asked.change { $0.append(position) }
    if position == 3 {
      signals.signal([.only])
      throw StoreError(.corrupt, "invalid page in block 0")
    }
    guard position == 7 else { return [] }
    let device = DeviceKey(
      in: ServerFixture.containerEnvironment, user: UserID("_a1"), device: DeviceID("phone"))
    let entry = MailboxEntry(
      position: 8, notificationID: "after", subscriptionID: "s", collapseID: nil, payload: [1],
      time: 0, requestID: "R")
    return [NewMailboxEntry(device: device, channel: .stream, entry: entry)]
  }
}
