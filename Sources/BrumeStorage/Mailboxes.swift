// The port's part for the mailboxes of devices.

package import BrumeModel

/// A notification waiting for one device.
package struct MailboxEntry: Equatable, Sendable {
  /// Rises per store; assigned by the engine. The cursor that a device acknowledges with.
  package var position: Int64
  /// The same for every subscription and device that one change notifies.
  package let notificationID: String
  /// Empty for "fetch everything".
  package let subscriptionID: String
  /// A later entry with the same one takes the place of this; nil: it replaces nothing.
  package let collapseID: String?
  /// The push in the wire's form.
  package let payload: [UInt8]
  /// When it is due.
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

/// A damaged entry says "fetch everything". Every call throws what ``ReadTransaction`` says.
package protocol MailboxReading: AnyObject {
  /// Waiting entries after `position`, oldest first, at most `limit`.
  func entries(of device: DeviceKey, after position: Int64, limit: Int) throws -> [MailboxEntry]
  /// How many entries wait for the device; 0 also if it is not registered.
  func count(of device: DeviceKey) throws -> Int
  /// None above it was ever given to an entry, in any mailbox of the bucket.
  func lastPosition(in bucket: Bucket) throws -> Int64
}

extension MailboxReading {
  /// The entry at a position; nil if it does not wait any more.
  package func entry(at position: Int64, of device: DeviceKey) throws -> MailboxEntry? {
    let found = try entries(of: device, after: position - 1, limit: 1).first
    return found?.position == position ? found : nil
  }
}

/// Every call throws what ``WriteTransaction`` says; the write's scope has the device's account.
package protocol MailboxWriting: MailboxReading {
  /// Adds an entry (its `position` is ignored) and returns the position it got. If an entry with
  /// the same notification and subscription ID waits already, nothing is added and its position is
  /// returned: a repeated fan-out after a crash is harmless.
  @discardableResult
  func enqueue(_ entry: MailboxEntry, to device: DeviceKey) throws -> Int64
  /// Removes entries up to and including `position`.
  func acknowledge(through position: Int64, by device: DeviceKey) throws
  /// Removes one waiting entry.
  func remove(at position: Int64, of device: DeviceKey) throws
}
