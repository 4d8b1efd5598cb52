// The tail brings what any process has put into mailboxes to the devices that are connected to this one, in the
// order of positions, so that no stream passes over an entry that another process made. Who notifies for a bucket
// also sends for it.

import BrumeDelivery
import BrumeModel
import BrumeNotifier
import BrumeStorage

struct MailboxTail: Sendable {
  /// Ours: entries that are read at once.
  private static let page = 500
  /// Ours: entries come within a quarter of a second, under load later. What this process reads after a sleep was judged too long
  /// ago.
  private static let longestDelay: Milliseconds = 5000

  let mailboxes: any SharedMailboxes
  let leases: any Leases
  /// Gets new entries.
  let delivery: any EntryDelivery
  /// Whoever is connected, and the worker.
  let server: ServerDelivery
  /// What others did to accounts, before what was read of mailboxes leaves; nil: nobody does anything.
  let accounts: AccountTail?
  /// Is notified of damaged pages.
  let damaged: DamagedRows?
  let now: @Sendable () -> Milliseconds

  /// Follows until cancelled. What came before it began, as while the store could not be reached, nobody here
  /// was given, and a stream must not pass over it: everybody looks.
  func run() async throws {
    let hints = mailboxes.mailboxHints()
    var seen = try await mailboxes.lastMailboxPositions()
    var arrivals = leases.arrivals
    server.lookEverywhere()
    for await buckets in hints {
      // What another process was to send may be left, and what this one was to send while it had no lease.
      let before = exchange(&arrivals, with: leases.arrivals)
      if arrivals != before { server.worker.scan() }
      for bucket in buckets.sorted() { try await readWhole(bucket, &seen[bucket, default: 0]) }
    }
    try Task.checkCancellation()
  }

  /// Of entries on a damaged page nobody here is given any: all that there are so far are passed over, as at the
  /// beginning, and everybody looks into their own mailbox.
  private func readWhole(_ bucket: Bucket, _ seen: inout Int64) async throws {
    do {
      try await read(bucket, &seen)
    } catch let error as StoreError where error.code == .corrupt {
      damaged?.note("mailbox", "bucket \(bucket): \(error)")
      seen = try await mailboxes.lastMailboxPositions()[bucket] ?? seen
      server.lookEverywhere()
    }
  }

  private func read(_ bucket: Bucket, _ seen: inout Int64) async throws {
    while true {
      let page = try await mailboxes.newEntries(in: bucket, after: seen, limit: Self.page)
      guard let last = page.last else { return }
      // After a sleep there may be pushes here to somebody who signed out elsewhere meanwhile.
      try await accounts?.catchUp()
      seen = last.entry.position
      let new = newEntries(page, isOwned: leases.owns(bucket))
      if isLate(page) { server.look(for: new) } else { delivery.deliver(new) }
      if page.count < Self.page { return }
    }
  }

  private func isLate(_ page: [NewMailboxEntry]) -> Bool {
    let oldest = now() - Self.longestDelay
    return page.contains { $0.entry.time < oldest }
  }

  private func newEntries(_ page: [NewMailboxEntry], isOwned: Bool) -> NewEntries {
    var new = NewEntries()
    for row in page {
      new.entries.append((row.device, row.entry))
      if let channel = row.channel {
        new.note(row.device, reachedBy: channel, isSentHere: isOwned)
      }
    }
    return new
  }
}

/// What the notifier of a shared store delivers to: nobody, because the tail does. It may know less than the
/// store, and an entry of another process may come before its own.
struct DeliveryByTail: EntryDelivery {
  private let devices: any EntryDelivery

  /// - Parameter devices: knows who is connected.
  init(_ devices: any EntryDelivery) { self.devices = devices }

  func connectedDevices(of users: Set<UserID>) -> [UserID: Set<DeviceKey>] {
    devices.connectedDevices(of: users)
  }

  func deliver(_ new: NewEntries) {}
}
