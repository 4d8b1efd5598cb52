// The web courier: a long poll that takes one push out of a device's mailbox, first in, first out.
// There is no acknowledgement: what is delivered is consumed, as web clients expect it. A token may
// stand for mailboxes of several containers; their pushes come in the order in which they were put
// there.

package import BrumeCore
package import BrumeModel
package import BrumeStorage
import BrumeWire

package struct Courier: Sendable {
  private let reader: MailboxReader

  package init(store: any Store, signals: MailboxSignals, limits: Limits, host: Host) {
    self.init(store: store, signals: signals, limits: limits, clock: PushClock(host))
  }

  package init(store: any Store, signals: MailboxSignals, limits: Limits, clock: PushClock) {
    reader = MailboxReader(store: store, signals: signals, limits: limits, clock: clock)
  }

  /// The next push for a token, in the courier's form; nil when the time has passed. Several polls of
  /// one token at once get different pushes.
  package func next(token: String, waiting: Duration) async throws -> [UInt8]? {
    let devices = try await devices(token)
    let entry = try await reader.poll(devices, waiting: waiting) {
      // Looked up again: the token may have ended while the poll waited.
      try await take(from: self.devices(token))
    }
    return entry.map { PushPayload.courier(fromPayload: $0.payload) }
  }

  /// The mailboxes that the token opens. It lives for as long as the URL said when it was made, and
  /// not longer than its user stays signed in.
  private func devices(_ token: String) async throws -> [DeviceKey] {
    let found = try await reader.store.read { try $0.devices(courierToken: token) }
    let life = Milliseconds(reader.limits.courierSeconds) * 1000
    guard let first = found.first, reader.clock.now() < first.registered + life else {
      throw BrumeError(
        .authenticationFailed,
        "the courier token is unknown or has expired; get a new one from tokens/create")
    }
    return found.map(\.key)
  }

  private func take(
    from devices: [DeviceKey]
  ) async throws -> (found: MailboxEntry?, nextDue: Milliseconds?) {
    while true {
      var oldest: (entry: MailboxEntry, device: DeviceKey)?
      var nextDue: Milliseconds?
      for device in devices {
        let front = try await reader.front(of: device, after: 0, limit: 1)
        nextDue = [nextDue, front.nextDue].compactMap { $0 }.min()
        if let entry = front.entries.first, entry.position < oldest?.entry.position ?? .max {
          oldest = (entry, device)
        }
      }
      guard let (first, device) = oldest else { return (nil, nextDue) }
      let isMine = try await reader.store.write(in: nil) { transaction in
        let here = try transaction.mailbox(device, after: first.position - 1, limit: 1).first
        guard here?.position == first.position else { return false }
        try transaction.removeMailboxEntry(at: first.position, of: device)
        return true
      }
      // Otherwise another poll was faster: the next one is looked for.
      if isMine { return (first, nil) }
    }
  }
}
