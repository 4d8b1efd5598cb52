// A device's mailbox, held open. At least once: an entry stays in the mailbox until the device
// acknowledges it by its position, across reconnects and server restarts.
//
// Sending is not acknowledging: bytes that a socket took may never arrive. So that a device that only
// listens does not fill its mailbox, `batches` ends when half a mailbox is sent and unacknowledged;
// the client comes back with its last position, which acknowledges.

package import BrumeCore
package import BrumeModel
package import BrumeStorage

package struct EventStream: Sendable {
  /// Entries in one batch.
  static let batchSize = 50
  let reader: MailboxReader
  let device: DeviceKey

  package init(
    store: any Store, signals: MailboxSignals, device: DeviceKey, limits: Limits, host: Host
  ) {
    self.init(
      store: store, signals: signals, device: device, limits: limits, clock: PushClock(host))
  }

  package init(
    store: any Store, signals: MailboxSignals, device: DeviceKey, limits: Limits,
    clock: PushClock
  ) {
    reader = MailboxReader(store: store, signals: signals, limits: limits, clock: clock)
    self.device = device
  }

  /// The device has handled everything up to and including this position.
  package func acknowledge(through position: Int64) async throws {
    guard position > 0 else { return }
    let device = device
    try await reader.store.write(in: nil) { try $0.acknowledge(through: position, by: device) }
  }

  /// Entries after a position, oldest first, bounded. Waits for the first of them; empty when the
  /// time has passed. Acknowledges nothing.
  package func entries(
    after position: Int64, waiting: Duration
  ) async throws -> [MailboxEntry] {
    let found = try await reader.poll([device], waiting: waiting) {
      let front = try await reader.front(of: device, after: position, limit: Self.batchSize)
      return (front.entries.isEmpty ? nil : front.entries, front.nextDue)
    }
    return found ?? []
  }

  /// Whether so much is sent and unacknowledged that the client has to come back.
  package func mustAcknowledge(sentThrough position: Int64) async throws -> Bool {
    let device = device
    let (all, unsent) = try await reader.store.read { [limits = reader.limits] transaction in
      let unsent = try transaction.mailbox(device, after: position, limit: limits.mailboxRows)
      return (try transaction.mailboxCount(device), unsent.count)
    }
    return all - unsent >= max(1, reader.limits.mailboxRows / 2)
  }
}
