// Asked when a push leaves for a device that fetches: may its user still read what it tells
// (reliability N11)? `DeliveryWorker` asks the same for those that are sent to.

package import BrumeCore
package import BrumeModel
package import BrumeStorage
import BrumeWire

package struct SendPermission: Sendable {
  package typealias Rule =
    @Sendable (Notification, DeviceKey, any ReadTransaction) throws -> Bool
  private let rule: Rule

  package init(_ rule: @escaping Rule) { self.rule = rule }

  /// By the server's rules.
  package init(_ engine: Engine) {
    self.init { try engine.maySend($0, of: $1, in: $2) }
  }

  /// A push that cannot be read is not sent.
  func allows(
    _ entry: MailboxEntry, _ device: DeviceKey, _ store: any ReadTransaction
  ) throws -> Bool {
    guard let notification = try? PushPayload.decode(entry.payload) else { return false }
    return try allows(notification, device, store)
  }

  func allows(
    _ notification: Notification, _ device: DeviceKey, _ store: any ReadTransaction
  ) throws -> Bool {
    try rule(notification, device, store)
  }
}

extension MailboxEntry {
  /// What changed, in words, for the log.
  var subject: String { (try? PushPayload.decode(payload))?.subject.words ?? "" }
}

extension PushLogEntry {
  static func withdrawn(
    _ entry: MailboxEntry, of device: DeviceKey, by channel: Device.Channel.Kind, now: Milliseconds
  ) -> PushLogEntry {
    PushLogEntry(
      entry, of: device, by: channel, .withdrawn, subject: entry.subject, now: now,
      reason: "the user may not read this any more")
  }
}
