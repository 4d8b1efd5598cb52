// A push that a trace follows: what the history of deliveries and the push log know of it. The notifier finds
// that, delivery says what became of it; neither sees the other.

package import BrumeModel

/// A push that was put into a mailbox.
package struct TracedPush: Sendable {
  package let device: DeviceKey
  /// How the device was reached then.
  package let channel: Device.Channel.Kind
  package let notificationID: String
  /// Empty for "fetch everything".
  package let subscriptionID: String
  /// The notification that took its place, if one did while it was there.
  package let replacedBy: String?
  /// The notification with which the mailbox overflowed after it, if one did.
  package let overflowedBy: String?
  /// The lines of the push log about it, oldest first.
  package let attempts: [PushLogEntry]

  package init(
    device: DeviceKey, channel: Device.Channel.Kind, notificationID: String,
    subscriptionID: String, replacedBy: String?, overflowedBy: String?, attempts: [PushLogEntry]
  ) {
    self.device = device
    self.channel = channel
    self.notificationID = notificationID
    self.subscriptionID = subscriptionID
    self.replacedBy = replacedBy
    self.overflowedBy = overflowedBy
    self.attempts = attempts
  }
}
