// Those who bring the entries of mailboxes to their devices, as the notifier sees them.

package import BrumeModel
package import BrumeStorage

/// Brings new entries of mailboxes to devices.
package protocol EntryDelivery: Sendable {
  /// Which devices of these users get a new entry at once, because they are connected.
  func connectedDevices(of users: Set<UserID>) -> [UserID: Set<DeviceKey>]

  /// Entries that are durable now. It returns at once; what is missed here is found in the mailbox.
  func deliver(_ new: NewEntries)
}

/// What one transaction of the notifier put into mailboxes.
package struct NewEntries: Sendable {
  /// An entry in the mailbox of a device.
  package typealias Entry = (device: DeviceKey, entry: MailboxEntry)
  /// In the order of their positions.
  package var entries: [Entry] = []
  /// Devices with entries that ask for them: streams, long polls. Some of them perhaps twice.
  package private(set) var fetching: [DeviceKey] = []
  /// Devices with entries that are sent to: APNs, Web Push. Some of them perhaps twice.
  package private(set) var pushed: [DeviceKey] = []

  package init() {}

  /// Notes that a device has entries. One with an Apple push token is sent to, and may poll as well.
  ///
  /// - Parameters:
  ///   - channel: how it is reached.
  ///   - isSentHere: whether this process sends to it, if anybody does.
  package mutating func note(
    _ device: DeviceKey, reachedBy channel: Device.Channel.Kind, isSentHere: Bool = true
  ) {
    if channel.isFetched { fetching.append(device) }
    if channel.isPushed, isSentHere { pushed.append(device) }
  }
}
