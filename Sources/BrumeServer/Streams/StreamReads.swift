// This reads mailboxes for open streams, which have no tasks of their own. A stream asks for one reading at
// a time, and for one look for its device, so what waits here is bounded by the streams.

import BrumeDelivery
import BrumeModel
import BrumeStorage
import Logging

/// What one reading of a mailbox found: entries that may be delivered, oldest first; when the next may
/// be, and whether this is all there is.
struct StreamReading: Sendable {
  var entries: [MailboxEntry]
  let nextDue: Milliseconds?
  let isAll: Bool
}

/// Where streams read. In development, faults may stand before the mailbox.
protocol StreamSource: Sendable {
  /// What a device's mailbox has after a position.
  func entries(after position: Int64, of device: DeviceKey) async throws -> StreamReading

  /// What of entries that a stream has read by itself leaves for its device: all, but for faults.
  func leaving(_ entries: [MailboxEntry], to device: DeviceKey) async throws -> [MailboxEntry]

  /// Whether the device is registered.
  func isRegistered(_ device: DeviceKey) async throws -> Bool
}

/// The mailboxes themselves.
struct MailboxSource: StreamSource {
  let store: any Store
  let signals: MailboxSignals
  let limits: Limits
  let clock: PushClock
  /// Asked for each entry that leaves.
  let maySend: SendPermission

  func entries(after position: Int64, of device: DeviceKey) async throws -> StreamReading {
    let found = try await stream(of: device).entries(after: position)
    return StreamReading(entries: found.entries, nextDue: found.nextDue, isAll: found.isAll)
  }

  func leaving(_ entries: [MailboxEntry], to device: DeviceKey) -> [MailboxEntry] { entries }

  func isRegistered(_ device: DeviceKey) async throws -> Bool {
    try await store.read { try $0.devices.find(device) != nil }
  }

  /// A device's mailbox as its streams read it.
  func stream(of device: DeviceKey) -> EventStream {
    EventStream(
      store: store, signals: signals, device: device, limits: limits, clock: clock, maySend: maySend
    )
  }
}

/// The readings that open streams ask for. One for each server.
package final class StreamReads: Sendable {
  private struct Order: Sendable {
    /// Nil: it is looked whether the device is still registered.
    let position: Int64?
    let stream: StreamConnection
  }
  private let source: any StreamSource
  private let accounts: AccountTail?
  private let logger: Logger
  private let orders: AsyncStream<Order>
  private let order: AsyncStream<Order>.Continuation

  /// - Parameter accounts: knows what other processes did to accounts; nil: there are no others.
  init(_ source: any StreamSource, _ accounts: AccountTail?, _ logger: Logger) {
    self.source = source
    self.accounts = accounts
    self.logger = logger
    (orders, order) = AsyncStream.makeStream()
  }

  /// Reads what comes after a position and gives it to the stream.
  func read(after position: Int64, for stream: StreamConnection) {
    order.yield(Order(position: position, stream: stream))
  }

  /// Ends the stream if its device is not registered any more.
  func lookForDevice(of stream: StreamConnection) {
    order.yield(Order(position: nil, stream: stream))
  }

  /// Carries out what is asked for, until cancelled.
  func run() async {
    await withDiscardingTaskGroup { tasks in
      for await order in orders {
        tasks.addTask(operation: { await self.carryOut(order) })
      }
    }
  }

  private func carryOut(_ order: Order) async {
    let stream = order.stream
    do {
      if let position = order.position {
        let found = try await source.entries(after: position, of: stream.device)
        try await accounts?.catchUp()
        stream.found(found.entries, nextDue: found.nextDue, isAll: found.isAll)
      } else {
        stream.lookBegins()
        guard try await !source.isRegistered(stream.device) else { return }
        stream.end(because: StreamEvents.deviceRemoved)
      }
    } catch {
      logger.warning(
        "a stream ends, because its mailbox cannot be read",
        metadata: ["device": "\(stream.device.device)", "error": "\(error)"])
      stream.end(because: nil)
    }
  }
}
