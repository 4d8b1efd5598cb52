// `brume push test`: a push that no change caused, by the rules of those that one did. It is cut to fit
// and respects a mailbox's bound.

package import BrumeModel
import BrumeStorage

/// Pushes that an operator sends to see whether they arrive.
package struct TestPushes: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
  }

  /// What became of a test push.
  package struct Sent: Sendable {
    package let notificationID: String
    /// Those in whose mailboxes it is.
    package var devices: [DeviceKey] = []
    /// Devices that got nothing, because their mailboxes are full already.
    package var full = 0
  }

  /// A push as devices get it, before anybody has got it.
  package struct Composed: Sendable {
    package let notificationID: String
    /// In the wire's form.
    package let payload: [UInt8]
    /// Whether something was left out, so that it fits.
    package let isCut: Bool
    /// How many bytes a payload may have.
    package let mostBytes: Int
  }

  /// Makes an alert for a user's devices, and sends nothing.
  ///
  /// - Parameters:
  ///   - text: the alert's body.
  ///   - encode: the push in the wire's form.
  package func compose(
    _ text: String, to user: UserID, in containerEnvironment: ContainerEnvironment,
    encode: @escaping @Sendable (Notification) -> [UInt8]
  ) -> Composed {
    var notification = Notification(
      id: host.uuid(), in: containerEnvironment, scope: .private, subscriptionID: "brume-test",
      user: user, subject: .database(nil))
    notification.alert.literal = text
    let budget = PayloadBudget(
      maximum: limits.payloadBytes, textLength: limits.payloadStringLength, encode: encode)
    let (payload, sent) = budget.fit(notification)
    return Composed(
      notificationID: notification.id, payload: payload, isCut: sent.isPruned,
      mostBytes: limits.payloadBytes)
  }

  /// Puts an alert into the mailboxes of a user's devices, as a subscription would.
  ///
  /// - Parameter requestID: names the request in the push log.
  /// - Throws: what the store throws.
  package func send(
    _ push: Composed, to user: UserID, in containerEnvironment: ContainerEnvironment,
    requestID: String
  ) async throws -> Sent {
    let entry = MailboxEntry(
      position: 0, notificationID: push.notificationID, subscriptionID: "brume-test",
      collapseID: nil, payload: push.payload, time: host.now(), requestID: requestID)
    let rows = limits.mailboxRows
    return try await store.write(in: .account(user, containerEnvironment)) { store in
      var sent = Sent(notificationID: entry.notificationID)
      let devices = try store.devices.all(of: user, in: containerEnvironment)
      for device in devices {
        if try store.mailboxes.count(of: device.key) >= rows {
          sent.full += 1
        } else {
          try store.mailboxes.enqueue(entry, to: device.key)
          sent.devices.append(device.key)
        }
      }
      return sent
    }
  }
}
