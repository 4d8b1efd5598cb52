// A line of the push log about an entry of a mailbox, whichever way it left.

package import BrumeModel
package import BrumeStorage

extension PushLogEntry {
  /// - Parameters:
  ///   - subject: what changed, in words; never contents.
  ///   - status: the other side's, if it gave one.
  package init(
    _ entry: MailboxEntry, of device: DeviceKey, by channel: Device.Channel.Kind,
    _ verdict: Verdict, subject: String, now: Milliseconds, status: Int? = nil,
    reason: String = "", attempt: Int = 1
  ) {
    self.init(
      time: now, in: device.containerEnvironment, user: device.user,
      device: device.device.name, channel: channel.rawValue,
      notificationID: entry.notificationID, subscriptionID: entry.subscriptionID,
      requestID: entry.requestID, subject: subject, verdict: verdict, status: status,
      reason: reason, attempt: attempt)
  }
}
