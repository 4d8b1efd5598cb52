// Getting a notification to a device. There are two kinds of ways:
//
// Devices that ask (EventStream/, Courier/) read their mailbox; `MailboxSignals` wakes them, and what
// they acknowledge or take leaves the mailbox. Services that are asked (Apple's and the browsers'
// push servers) are channels: something reads the mailbox for the device and sends each entry.

package import BrumeModel
package import BrumeStorage

/// A service that takes a notification on its way to a device.
package protocol Channel: Sendable {
  /// Sends one entry. Sending an entry again must be harmless: a crash repeats it.
  func send(_ entry: MailboxEntry, to device: Device) async -> Delivery
}

/// What the answer of a channel means.
package enum Delivery: Equatable, Sendable {
  /// The entry may leave the mailbox.
  case done
  /// The same entry again, not before this time.
  case retry(notBefore: Milliseconds)
  /// The device will never take anything again: remove it.
  case gone
}
