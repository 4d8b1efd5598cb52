// How far polls were answered with what is still in its mailbox, because the client has not come back
// yet. Forgetting it (a restart, too many devices) brings a push again with the same ID.

package import BrumeModel
import Synchronization

/// What polls were answered with. One for each server.
package final class InFlightEntries: Sendable {
  private struct State {
    /// The position of what each device was given last. Mailboxes are given in order.
    var users: [UserID: [DeviceKey: Int64]] = [:]
    var devices: BoundedCount

    init(capacity: Int) {
      devices = BoundedCount(upTo: capacity, of: "devices that were given something")
    }
  }
  private let state: Mutex<State>

  /// - Parameter capacity: devices that are remembered; beyond it all are forgotten.
  package init(capacity: Int) {
    state = Mutex(State(capacity: capacity))
  }

  /// The devices of these users that were given something and have not come back for more.
  package func devices(of users: Set<UserID>) -> Set<DeviceKey> {
    state.withLock { state in
      if state.devices.value == 0 { return [] }
      return Set(users.flatMap { state.users[$0].map { Array($0.keys) } ?? [] })
    }
  }

  /// The position of what the device was given last; 0 if nothing.
  func last(of device: DeviceKey) -> Int64 {
    state.withLock { $0.users[device.user]?[device] ?? 0 }
  }

  /// Gives an entry away; false if it or a later one is given already.
  func claim(_ position: Int64, to device: DeviceKey) -> Bool {
    state.withLock { state in
      let last = state.users[device.user]?[device]
      if let last, last >= position { return false }
      if last == nil {
        if !state.devices.hasRoom { state = State(capacity: state.devices.bound) }
        state.devices.add()
      }
      state.users[device.user, default: [:]][device] = position
      return true
    }
  }

  /// What the device was given last; it is forgotten here.
  func take(from device: DeviceKey) -> Int64? {
    state.withLock { state in
      guard let last = state.users[device.user]?.removeValue(forKey: device) else { return nil }
      state.devices.remove()
      if state.users[device.user]?.isEmpty == true { state.users[device.user] = nil }
      return last
    }
  }
}
