// The port's part for devices, their mailboxes, and the notifications kept for a user.

package import BrumeModel

/// A notification waiting for one device.
package struct MailboxEntry: Equatable, Sendable {
  /// Rises per store; assigned by the engine. The cursor that a device acknowledges with.
  package var position: Int64
  package let notificationID: String
  /// Empty for "fetch everything".
  package let subscriptionID: String
  package let collapseID: String?
  /// The push in the wire's form.
  package let payload: [UInt8]
  package let time: Milliseconds
  /// The request that caused it, for tracing.
  package let requestID: String

  package init(
    position: Int64, notificationID: String, subscriptionID: String, collapseID: String?,
    payload: [UInt8], time: Milliseconds, requestID: String
  ) {
    self.position = position
    self.notificationID = notificationID
    self.subscriptionID = subscriptionID
    self.collapseID = collapseID
    self.payload = payload
    self.time = time
    self.requestID = requestID
  }
}

package protocol MailboxReading {
  func device(_ key: DeviceKey) throws -> Device?
  /// A user's devices in one container and environment, in device ID order.
  func devices(
    of user: UserID, container: ContainerID, environment: Environment
  ) throws -> [Device]
  /// All of a user's devices, in every container and environment.
  func devices(of user: UserID) throws -> [Device]
  /// The devices that one courier token reaches: one a container, oldest registration first.
  func devices(courierToken: String) throws -> [Device]
  /// Waiting entries after `position`, oldest first, at most `limit`.
  func mailbox(_ device: DeviceKey, after position: Int64, limit: Int) throws -> [MailboxEntry]
  /// None above it was ever given to an entry, in any mailbox.
  func lastMailboxPosition() throws -> Int64
  func mailboxCount(_ device: DeviceKey) throws -> Int
  /// Notifications kept for a user after `position`, oldest first, at most `limit`.
  func keptNotifications(
    of user: UserID, container: ContainerID, environment: Environment, after position: Int64,
    limit: Int
  ) throws -> [KeptNotification]
  /// The badge number last sent to a user's devices.
  func badge(of user: UserID, container: ContainerID, environment: Environment) throws -> Int
}

extension MailboxReading {
  /// The device that the token was made for.
  package func device(courierToken: String) throws -> Device? {
    try devices(courierToken: courierToken).first
  }
}

package protocol MailboxWriting {
  /// Inserts or replaces by key. Replacing keeps the mailbox.
  func put(_ device: Device) throws
  /// Removes the device and its mailbox.
  func removeDevice(_ key: DeviceKey) throws
  /// Adds an entry (its `position` is ignored) and returns the position it got. If an entry with
  /// the same notification and subscription ID waits already, nothing is added and its position is
  /// returned: a repeated fan-out after a crash is harmless.
  @discardableResult
  func enqueue(_ entry: MailboxEntry, to device: DeviceKey) throws -> Int64
  /// Removes entries up to and including `position`.
  func acknowledge(through position: Int64, by device: DeviceKey) throws
  /// Removes one waiting entry.
  func removeMailboxEntry(at position: Int64, of device: DeviceKey) throws
  /// Keeps a notification for a user, dropping the oldest beyond `limit`. Adding the same
  /// notification and subscription ID again does nothing.
  func keep(
    _ notification: KeptNotification, for user: UserID, container: ContainerID,
    environment: Environment, limit: Int
  ) throws
  /// Marks kept notifications read and moves them to the end of the feed. Returns the IDs found.
  func markRead(
    _ ids: [String], of user: UserID, container: ContainerID, environment: Environment
  ) throws -> [String]
  func setBadge(
    _ value: Int, of user: UserID, container: ContainerID, environment: Environment) throws
}
