// How far polls were answered with what is still in its mailbox, because the client has not come back
// yet. Forgetting it (a restart, too many devices) brings a push again with the same ID.

package import BrumeModel
import Synchronization

package final class CourierDesk: Sendable {
  /// The position of what each device was given last. Mailboxes are given in order.
  private let lent = Mutex<[DeviceKey: Int64]>([:])
  private let capacity: Int

  /// - Parameter capacity: devices that are remembered; beyond it all are forgotten.
  package init(capacity: Int) {
    precondition(capacity > 0, "a desk that may remember nobody is none")
    self.capacity = capacity
  }

  /// Whether the device was given something that it has not come back for.
  package func hasLent(to device: DeviceKey) -> Bool { lent.withLock { $0[device] != nil } }

  /// The position of what the device was given last; 0 if nothing.
  func last(of device: DeviceKey) -> Int64 { lent.withLock { $0[device] ?? 0 } }

  /// Gives an entry away; false if it or a later one is given already.
  func lend(_ position: Int64, to device: DeviceKey) -> Bool {
    lent.withLock { lent in
      if lent[device] == nil, lent.count >= capacity { lent = [:] }
      if let last = lent[device], last >= position { return false }
      lent[device] = position
      return true
    }
  }

  /// What the device was given last; it is forgotten here.
  func take(from device: DeviceKey) -> Int64? { lent.withLock { $0.removeValue(forKey: device) } }
}
