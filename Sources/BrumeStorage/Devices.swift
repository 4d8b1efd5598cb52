// The port's part for devices.

package import BrumeModel

/// Every call throws what ``ReadTransaction`` says.
package protocol DeviceReading: AnyObject {
  /// The device with this key; nil if it is not registered.
  func find(_ key: DeviceKey) throws -> Device?
  /// A user's devices in a container environment, in device ID order.
  func all(of user: UserID, in containerEnvironment: ContainerEnvironment) throws -> [Device]
  /// All of a user's devices, in every container environment.
  func all(of user: UserID) throws -> [Device]
  /// The devices that one courier token reaches: one a container, oldest registration first.
  func all(courierToken: String) throws -> [Device]
  /// Devices registered with a push token or endpoint, of any user.
  func all(address: String) throws -> [Device]
  /// Devices that the server sends to and that have pending entries, in a stable order: those after `cursor`
  /// (nil: from the start), at most `limit`, with the cursor to go on from. A page that others follow may be short.
  func withPendingEntries(
    after cursor: PendingCursor?, limit: Int
  ) throws -> (devices: [Device], next: PendingCursor?)
}

/// Where a look at the devices with pending entries goes on. What it says is the engine's own, but for its first number: a cursor
/// of a number alone is before all devices with a greater first number, and before those with the same one that no cursor
/// has passed.
package struct PendingCursor: Sendable {
  package let numbers: [Int64]
  package let names: [String]

  package init(_ numbers: [Int64], names: [String] = []) {
    self.numbers = numbers
    self.names = names
  }
}

/// Every call throws what ``WriteTransaction`` says; the write's scope has the device's account.
package protocol DeviceWriting: DeviceReading {
  /// Inserts or replaces by key. Replacing keeps the mailbox.
  func put(_ device: Device) throws
  /// Removes the device and its mailbox; other processes learn of it. The lock of what belongs to no bucket is taken for
  /// that, by a scope that says so or when it is needed.
  func remove(_ key: DeviceKey) throws
}
