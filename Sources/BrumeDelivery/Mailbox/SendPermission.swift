// What is asked when a push leaves for a device that fetches: may its user still read what it contains
// (docs/internals/notifications.md, N11)? `DeliveryWorker` asks the same for those that are sent
// to.

package import BrumeCore
package import BrumeModel
package import BrumeStorage
import BrumeWire

/// Judges a push when it leaves, in the transaction that reads it.
package struct SendPermission: Sendable {
  /// What of a notification in a mailbox entry may leave for a device.
  package typealias Rule =
    @Sendable (Notification, MailboxEntry, DeviceKey, any ReadTransaction) throws -> Permitted
  private let rule: Rule

  package init(_ rule: @escaping Rule) { self.rule = rule }

  /// By the server's rules.
  package init(_ permission: ReadPermission) {
    self.init { try permission.maySend($0, in: $1, of: $2, in: $3) }
  }

  /// The entry as it may be sent, with what it says; nil if it may not be. What is damaged, or is to be judged by what is
  /// damaged, says "fetch everything" instead, which says nothing of anybody: silence is never the answer.
  func allowed(
    _ entry: MailboxEntry, _ device: DeviceKey, _ store: any ReadTransaction
  ) throws -> (entry: MailboxEntry, notification: Notification)? {
    let notification = try? PushPayload.decode(entry.payload)
    let permitted = try BrumeError.unlessDamaged {
      try notification.map { try rule($0, entry, device, store) }
    }
    switch permitted {
    case .all: return notification.map { (entry, $0) }
    case .rest(let rest): return (entry.saying(rest), rest)
    case .nothing: return nil
    case nil:
      let all = entry.fetchEverything(for: device)
      return (entry.saying(all), all)
    }
  }
}

extension MailboxEntry {
  /// What changed, in words, for the log.
  var subject: String { (try? PushPayload.decode(payload))?.subject.words ?? "" }

  /// What takes the place of an entry that waited too long or is damaged.
  func fetchEverything(for device: DeviceKey) -> Notification {
    .fetchEverything(
      id: notificationID,
      of: SubscriptionScope(in: device.containerEnvironment, scope: .private, user: device.user))
  }

  fileprivate func saying(_ notification: Notification) -> MailboxEntry {
    MailboxEntry(
      position: position, notificationID: notificationID, subscriptionID: subscriptionID,
      collapseID: notification.collapseID, payload: PushPayload.encode(notification), time: time,
      requestID: requestID)
  }
}

extension PushLogEntry {
  static func withdrawn(
    _ entry: MailboxEntry, of device: DeviceKey, by channel: Device.Channel.Kind, now: Milliseconds,
    attempt: Int = 1
  ) -> PushLogEntry {
    PushLogEntry(
      entry, of: device, by: channel, .withdrawn, subject: entry.subject, now: now,
      reason: "the user may not read this any more", attempt: attempt)
  }
}
