// The web courier: a long poll that answers with one push from a device's mailbox, first in, first out.
// A token may stand for mailboxes of several containers; their pushes come in the order in which they
// were put there.
//
// At least once: what was answered stays in the mailbox until the client polls again, which says that
// the answer arrived; so a server that crashes in between brings it again, with the same ID. A client
// that wants to be sure of answers lost on the way names the position of the last one it handled
// (`cursor`), and gets what is behind it for as long as it does.

package import BrumeCore
package import BrumeModel
package import BrumeStorage
import BrumeWire

/// Answers long polls.
package struct Courier: Sendable {
  /// The answer that a client has handled. Positions count in each bucket for itself; no two mailboxes of one share any.
  package struct Cursor: Equatable, Sendable {
    package let position: Int64
    /// Of the mailbox that the answer came from.
    package let bucket: Bucket

    package init(_ position: Int64, in bucket: Bucket) {
      self.position = position
      self.bucket = bucket
    }
  }
  /// One answer.
  package struct Answer: Equatable, Sendable {
    /// The push in the courier's form.
    package let payload: [UInt8]
    /// What a client acknowledges it with.
    package let cursor: Cursor
  }
  /// The devices whose mailboxes a token opens.
  package typealias FindDevices = @Sendable (String, any ReadTransaction) throws -> [Device]
  private typealias Opened = (device: DeviceKey, bucket: Bucket)
  private typealias Found = (entry: MailboxEntry, from: Opened)

  private let reader: MailboxReader
  private let inFlight: InFlightEntries
  private let findDevices: FindDevices

  /// By the server's rules of who may read what.
  package init(
    engine: Engine, store: any Store, signals: MailboxSignals, inFlight: InFlightEntries,
    clock: PushClock
  ) {
    self.init(
      store: store, signals: signals, inFlight: inFlight, limits: engine.limits,
      clock: clock, maySend: SendPermission(engine.permission)
    ) { token, transaction in try engine.devices.opened(by: token, in: transaction) }
  }

  /// - Parameter findDevices: the devices whose mailboxes a token opens.
  package init(
    store: any Store, signals: MailboxSignals, inFlight: InFlightEntries, limits: Limits,
    clock: PushClock, maySend: SendPermission,
    findDevices: @escaping FindDevices = { try $1.devices.all(courierToken: $0) }
  ) {
    reader = MailboxReader(
      store: store, signals: signals, limits: limits, clock: clock, maySend: maySend)
    self.inFlight = inFlight
    self.findDevices = findDevices
  }

  /// The next push for a token; nil when the time has passed. Several polls of one token at once
  /// get different pushes.
  ///
  /// - Parameters:
  ///   - cursor: what stands there is handled, with what is before it in its mailbox, and nothing else; nil: what
  ///     earlier polls of the token answered is.
  ///   - enter: gives the token's user a place for as long as the call waits; it throws if there is none.
  /// - Throws: `authenticationFailed` for a token that is unknown or expired, also when it expires while the
  ///   call waits; what `enter` and the store throw; `CancellationError`.
  package func next(
    token: String, cursor: Cursor? = nil, waiting: Duration,
    entering enter: (UserID) throws(BrumeError) -> StreamPlaces.Place? = { _ in nil }
  ) async throws -> Answer? {
    let devices = try await devices(token)
    // An unknown token opens none and has thrown.
    let place = try enter(devices[0].device.user)
    defer { place?.giveBack() }
    for (device, bucket) in devices {
      let given = inFlight.take(from: device)
      if let cursor {
        // Before it, other mailboxes may have what nobody was given: it was not due, or came meanwhile.
        guard cursor.bucket == bucket, try await reader.holds(cursor.position, of: device)
        else { continue }
        try await reader.acknowledge(
          through: cursor.position, by: device, on: .courier, "acknowledged")
      } else if let given {
        try await reader.acknowledge(through: given, by: device, on: .courier, "polled again")
      }
    }
    let found = try await reader.poll(devices.map(\.device), waiting: waiting) {
      // The token may have ended meanwhile.
      try await take(from: self.devices(token), again: cursor != nil)
    }
    return found.map {
      Answer(
        payload: PushPayload.courier(fromPayload: $0.entry.payload),
        cursor: Cursor($0.entry.position, in: $0.from.bucket))
    }
  }

  /// The mailboxes that the token opens. It is valid for as long as the URL said when it was made, and
  /// not longer than its user stays signed in.
  private func devices(_ token: String) async throws -> [Opened] {
    let findDevices = findDevices
    let (found, buckets) = try await reader.store.read { transaction in
      let found = try findDevices(token, transaction)
      return (found, found.map { transaction.log.bucket(of: $0.key.database) })
    }
    let lifetime = Milliseconds(reader.limits.courierSeconds) * 1000
    guard let first = found.first, reader.clock.now() < first.registered + lifetime else {
      throw BrumeError(
        .authenticationFailed,
        "the courier token is unknown or has expired; get a new one from tokens/create")
    }
    return zip(found, buckets).map { ($0.key, $1) }
  }

  /// - Parameter again: also what was answered and is still there.
  private func take(
    from devices: [Opened], again: Bool
  ) async throws -> (found: Found?, nextDue: Milliseconds?) {
    while true {
      var oldest: Found?
      var nextDue: Milliseconds?
      for (device, bucket) in devices {
        let front = try await reader.front(
          of: device, after: again ? 0 : inFlight.last(of: device), limit: 1, by: .courier)
        nextDue = [nextDue, front.nextDue].compactMap { $0 }.min()
        guard let entry = front.entries.first else { continue }
        let found: Found = (entry, (device, bucket))
        if oldest.map({ Self.isOlder(found, $0) }) ?? true { oldest = found }
      }
      guard let oldest else { return (nil, nextDue) }
      if again { return (oldest, nil) }
      // Who has gone while it was read takes no push: the next poll would acknowledge it.
      try Task.checkCancellation()
      // Otherwise another poll was faster: the next one is looked for.
      if inFlight.claim(oldest.entry.position, to: oldest.from.device) { return (oldest, nil) }
    }
  }

  /// Positions of two buckets have no order.
  private static func isOlder(_ one: Found, _ other: Found) -> Bool {
    one.from.bucket == other.from.bucket
      ? one.entry.position < other.entry.position : one.entry.time < other.entry.time
  }
}
