// The port to the outside: a way to send one push to one device, and what the answer means. Streams and
// polls are no channels in this sense: there the device comes and fetches.

package import BrumeModel

/// One push on its way.
package struct OutgoingPush: Sendable {
  /// The same whenever this push is sent again: what duplicates are recognised by.
  package let id: String
  /// The request that caused it, for tracing.
  package let requestID: String
  package let device: Device
  /// What the payload says, as a value.
  package let notification: Notification
  /// The push in the wire's form, within what the channel takes.
  package let payload: [UInt8]
  /// A later push with the same one may take the place of this on the device.
  package let collapseID: String?
  /// When the attempt began.
  package let now: Milliseconds
  /// Worthless after this time.
  package let expires: Milliseconds

  package init(
    id: String, requestID: String = "", device: Device, notification: Notification,
    payload: [UInt8], collapseID: String?, now: Milliseconds, expires: Milliseconds
  ) {
    self.requestID = requestID
    self.id = id
    self.device = device
    self.notification = notification
    self.payload = payload
    self.collapseID = collapseID
    self.now = now
    self.expires = expires
  }
}

/// What the other side said.
package struct ChannelAnswer: Equatable, Sendable {
  /// What becomes of the push. Times are in milliseconds; nil leaves them to the delivery queue.
  package enum Verdict: Equatable, Sendable {
    /// Taken.
    case done
    /// This push may succeed later.
    case retry(after: Milliseconds?)
    /// As `retry`, and no push to this peer will succeed before.
    case busy(after: Milliseconds?)
    /// The device was gone at this time. A registration after it counts.
    case gone(at: Milliseconds)
    /// A smaller push may succeed.
    case tooLarge
    /// This push will never succeed.
    case refused
  }
  /// What is to be done with the push.
  package var verdict: Verdict
  /// Nil if no answer came.
  package var status: Int?
  /// For the operator's log: never an address, token or payload.
  package var reason: String
  package init(_ verdict: Verdict, status: Int? = nil, reason: String = "") {
    self.verdict = verdict
    self.status = status
    self.reason = reason
  }
}

/// A service that takes pushes, such as APNs.
package protocol Channel: Sendable {
  /// What the channel is called in the log and in metrics.
  var kind: Device.Channel.Kind { get }
  /// How large a payload may be.
  var payloadBytes: Int { get }
  /// Whose share of the sends a device counts against.
  func peer(of device: Device) -> DeliveryPeer
  /// Sends once. Failures of any kind are answers; only cancellation ends without one.
  func send(_ push: OutgoingPush) async throws(CancellationError) -> ChannelAnswer
  /// Forgets earlier refusals that it would repeat without asking, so that the other side is asked at the next push.
  func forgetRefusals()
}

extension Channel {
  package func forgetRefusals() {}
}

/// The way to webhooks: as a channel, for batches of changes instead of single pushes.
package protocol WebhookSender: Sendable {
  /// Whose share of the sends a webhook counts against.
  func peer(of webhook: Webhook) -> DeliveryPeer

  /// Sends one batch once. Failures of any kind are answers; only cancellation ends without one.
  ///
  /// - Parameters:
  ///   - id: the same for every attempt: what the receiver recognises a repeat by.
  ///   - requestID: the first request that caused a change in it, for tracing.
  ///   - now: goes into the signature, so that an old call cannot be played again.
  func send(
    _ body: [UInt8], id: String, causedBy requestID: String, to webhook: Webhook,
    now: Milliseconds
  ) async throws(CancellationError) -> ChannelAnswer
}

extension Webhook {
  /// What webhooks are called in the log and in metrics, beside the channels of devices.
  package static let channel = "webhook"
}
