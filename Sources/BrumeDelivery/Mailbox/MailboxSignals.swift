// These signals resume whoever waits for a device's mailbox. A signal is a hint and carries nothing: the mailbox
// says what there is. Waiting begins before the mailbox is read, so no signal falls in between.

package import BrumeModel
import Synchronization

/// Wakes those who wait at mailboxes. One for each server.
package final class MailboxSignals: Sendable {
  private enum Listening {
    case quiet
    /// A signal came while nobody waited: the next wait ends at once.
    case signalled
    case waiting(CheckedContinuation<Void, Never>)
  }
  private struct Table {
    var lastID: UInt64 = 0
    var listeners: [DeviceKey: [UInt64: Listening]] = [:]
  }
  private let table = Mutex(Table())

  package init() {}

  /// Devices that somebody listens for.
  package var listenedDevices: Int { table.withLock { $0.listeners.count } }

  /// Resumes all listeners of one device.
  package func signal(_ device: DeviceKey) { signal(CollectionOfOne(device)) }

  /// Resumes all listeners of the devices.
  package func signal(_ devices: some Collection<DeviceKey>) {
    let woken = table.withLock { table in
      table.listeners.isEmpty ? [] : devices.flatMap { device in Self.wake(device, &table) }
    }
    for continuation in woken { continuation.resume() }
  }

  /// Resumes all listeners.
  package func signalAll() { signal(table.withLock { Array($0.listeners.keys) }) }

  /// Resumes all listeners of the user's devices.
  package func signal(allOf user: UserID) {
    signal(table.withLock { table in table.listeners.keys.filter { $0.user == user } })
  }

  private static func wake(
    _ device: DeviceKey, _ table: inout Table
  ) -> [CheckedContinuation<Void, Never>] {
    var woken: [CheckedContinuation<Void, Never>] = []
    for (id, state) in table.listeners[device] ?? [:] {
      if case .waiting(let continuation) = state {
        woken.append(continuation)
        table.listeners[device]?[id] = .quiet
      } else {
        table.listeners[device]?[id] = .signalled
      }
    }
    return woken
  }
}

// MARK: Listening

extension MailboxSignals {
  /// Who waits for the mailbox of one device, until `stop`.
  package struct Listener: Sendable {
    fileprivate let signals: MailboxSignals
    fileprivate let device: DeviceKey
    fileprivate let id: UInt64

    /// Returns at the first signal since the last wait, or since listening began; and when the task
    /// is cancelled.
    package func wait() async {
      await withTaskCancellationHandler {
        await withCheckedContinuation { signals.park($0, device, id) }
      } onCancel: {
        signals.release(device, id)
      }
    }

    /// Ends the listening. To be called once.
    package func stop() { signals.remove(device, id) }
  }

  /// Begins to listen. To be done before the mailbox is read.
  package func listen(to device: DeviceKey) -> Listener {
    let id = table.withLock { table in
      table.lastID += 1
      table.listeners[device, default: [:]][table.lastID] = .quiet
      return table.lastID
    }
    return Listener(signals: self, device: device, id: id)
  }

  private func park(
    _ continuation: CheckedContinuation<Void, Never>, _ device: DeviceKey, _ id: UInt64
  ) {
    let goesOn = table.withLock { table in
      guard case .quiet = table.listeners[device]?[id] else {
        if table.listeners[device]?[id] != nil { table.listeners[device]?[id] = .quiet }
        return true
      }
      // Cancellation may have come before there was anything to release.
      if Task.isCancelled { return true }
      table.listeners[device]?[id] = .waiting(continuation)
      return false
    }
    if goesOn { continuation.resume() }
  }

  private func release(_ device: DeviceKey, _ id: UInt64) {
    let waiting = table.withLock { table -> CheckedContinuation<Void, Never>? in
      guard case .waiting(let continuation) = table.listeners[device]?[id] else { return nil }
      table.listeners[device]?[id] = .quiet
      return continuation
    }
    waiting?.resume()
  }

  private func remove(_ device: DeviceKey, _ id: UInt64) {
    release(device, id)
    table.withLock { table in
      table.listeners[device]?[id] = nil
      if table.listeners[device]?.isEmpty == true { table.listeners[device] = nil }
    }
  }
}
