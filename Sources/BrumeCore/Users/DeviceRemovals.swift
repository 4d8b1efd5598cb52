// Devices that were removed, for whoever serves them in this process: the rules know no streams. Other processes learn of
// it from the store. It is a hint: a device may have registered again in the same moment.

package import BrumeModel

/// Notifies of devices that were removed.
package struct DeviceRemovals: Sendable {
  private let notify: @Sendable ([DeviceKey]) -> Void

  /// - Parameter notify: called with devices after the write that removed them. It returns at once.
  package init(notifying notify: @escaping @Sendable ([DeviceKey]) -> Void = { _ in }) {
    self.notify = notify
  }

  /// To be called after the write that removed them.
  package func note(_ devices: [DeviceKey]) {
    if !devices.isEmpty { notify(devices) }
  }
}
