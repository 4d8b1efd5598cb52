// Where the notifier's new entries go in tests: to a closure. Devices are connected if a test says so.

package import BrumeModel
package import BrumeNotifier
import Synchronization

package final class TestDelivery: EntryDelivery {
  private let connected = Mutex<Set<DeviceKey>>([])
  private let took: @Sendable (NewEntries) -> Void

  package init(_ took: @escaping @Sendable (NewEntries) -> Void = { _ in }) { self.took = took }

  package func connect(_ device: DeviceKey) { connected.withLock { _ = $0.insert(device) } }

  package func connectedDevices(of users: Set<UserID>) -> Set<DeviceKey> {
    connected.withLock { $0.filter { users.contains($0.user) } }
  }

  package func deliver(_ new: NewEntries) { took(new) }
}
