// Where the notifier's new entries go in tests: to a closure. Devices are connected if a test says so.

package import BrumeModel
package import BrumeNotifier
import Synchronization

/// Hands new entries to a closure.
package final class TestDelivery: EntryDelivery {
  private let connected = Mutex<Set<DeviceKey>>([])
  private let took: @Sendable (NewEntries) -> Void

  package init(_ took: @escaping @Sendable (NewEntries) -> Void = { _ in }) { self.took = took }

  /// From now on the device is connected.
  package func connect(_ device: DeviceKey) { connected.withLock { _ = $0.insert(device) } }

  package func connectedDevices(of users: Set<UserID>) -> [UserID: Set<DeviceKey>] {
    connected.withLock { connected in
      Dictionary(grouping: connected.filter { users.contains($0.user) }, by: \.user)
        .mapValues { Set($0) }
    }
  }

  package func deliver(_ new: NewEntries) { took(new) }
}
