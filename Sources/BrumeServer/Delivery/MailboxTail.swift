// Brings what any process has put into mailboxes to the devices that are connected to this one, in the order of
// positions, so that no stream passes over an entry that another process made. Who notifies for a bucket
// also sends for it.

import BrumeModel
import BrumeNotifier
import BrumeStorage

struct MailboxTail: Sendable {
  /// Ours: entries that are read at once.
  private static let page = 500

  private let mailboxes: any SharedMailboxes
  private let leases: any Leases
  private let delivery: any EntryDelivery

  init(
    of mailboxes: any SharedMailboxes, leases: any Leases, delivery: any EntryDelivery
  ) {
    self.mailboxes = mailboxes
    self.leases = leases
    self.delivery = delivery
  }

  /// Follows until cancelled.
  func run() async throws {
    let hints = mailboxes.mailboxHints()
    var seen = try await mailboxes.lastMailboxPositions()
    for await buckets in hints {
      for bucket in buckets.sorted() { try await read(bucket, &seen[bucket, default: 0]) }
    }
    try Task.checkCancellation()
  }

  private func read(_ bucket: Bucket, _ seen: inout Int64) async throws {
    while true {
      let page = try await mailboxes.newEntries(in: bucket, after: seen, limit: Self.page)
      guard let last = page.last else { return }
      seen = last.entry.position
      delivery.deliver(newEntries(page, isOwned: leases.owns(bucket)))
      if page.count < Self.page { return }
    }
  }

  private func newEntries(_ page: [NewMailboxEntry], isOwned: Bool) -> NewEntries {
    var new = NewEntries()
    for row in page {
      new.entries.append((row.device, row.entry))
      switch row.channel {
      case .stream, .courier: new.fetching.append(row.device)
      case .apns, .webpush: if isOwned { new.pushed.append(row.device) }
      case nil: break
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

  func connectedDevices(of users: Set<UserID>) -> Set<DeviceKey> {
    devices.connectedDevices(of: users)
  }

  func deliver(_ new: NewEntries) {}
}
