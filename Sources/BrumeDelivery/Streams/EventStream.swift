// A device's mailbox as its event stream reads it. What is sent when on a connection is
// `StreamProgress`; a client in the same process, which has none, takes `batches`.

package import BrumeModel
package import BrumeStorage

/// The mailbox of one device.
package struct EventStream: Sendable {
  /// Ours: bytes of one reading, or one entry if it has more. What a client does not read stays in memory, for each stream.
  private static let mostBytes = 16_384
  let reader: MailboxReader
  package let device: DeviceKey

  /// - Parameter maySend: asked for each entry that leaves.
  package init(
    store: any Store, signals: MailboxSignals, device: DeviceKey, limits: Limits,
    clock: PushClock, maySend: SendPermission
  ) {
    reader = MailboxReader(
      store: store, signals: signals, limits: limits, clock: clock, maySend: maySend)
    self.device = device
  }

  /// The device has handled everything up to and including this position.
  ///
  /// A position of 0 or less does nothing.
  ///
  /// - Throws: what the store throws.
  package func acknowledge(through position: Int64) async throws {
    guard position > 0 else { return }
    try await reader.acknowledge(through: position, by: device, on: .stream, "acknowledged")
  }

  /// Entries after a position that may be delivered, oldest first, bounded; when the next may be,
  /// and whether this is all there is.
  ///
  /// - Throws: what the store throws.
  package func entries(
    after position: Int64
  ) async throws -> (entries: [MailboxEntry], nextDue: Milliseconds?, isAll: Bool) {
    let front = try await reader.front(
      of: device, after: position, limit: reader.limits.streamEntries, by: .stream)
    var bytes = 0
    let fitting = front.entries.prefix { entry in
      defer { bytes += entry.payload.count }
      return bytes == 0 || bytes + entry.payload.count <= Self.mostBytes
    }
    let isAll = front.isAll && fitting.count == front.entries.count
    return (Array(fitting), front.nextDue, isAll)
  }
}
