// Pushes to browsers and to UnifiedPush distributors: encrypted, signed, and sent to the endpoint that
// the subscription names, after checking once more that it may be called.

package import BrumeDelivery
package import BrumeModel
import BrumeWire
import Crypto
import Synchronization

/// Sends to browsers, through the services that their subscriptions name.
package final class WebPushChannel: Channel {
  package let kind = Device.Channel.Kind.webpush
  package let payloadBytes: Int
  private let concurrency: Int
  private let limits: Limits
  private let outside: OutsideGuard
  private let randomBytes: @Sendable (Int) -> [UInt8]
  private let exchange: OutsideExchange
  private let vapid: Mutex<VAPID>

  /// - Parameter concurrency: messages under way at once for each push service.
  package init(
    vapid: VAPID, concurrency: Int, limits: Limits, outside: OutsideGuard,
    randomBytes: @escaping @Sendable (Int) -> [UInt8], exchange: @escaping OutsideExchange
  ) {
    self.vapid = Mutex(vapid)
    self.concurrency = concurrency
    self.limits = limits
    self.outside = outside
    self.randomBytes = randomBytes
    self.exchange = exchange
    payloadBytes = min(limits.payloadBytes, limits.webPushPayloadBytes)
  }

  /// What browsers need to subscribe.
  package var publicKey: String { vapid.withLock { $0.publicKey } }

  package func peer(of device: Device) -> DeliveryPeer {
    var name = "webpush"
    if case .webPush(let target) = device.channel, let url = try? PushURL(target.endpoint) {
      name = "webpush/\(url.origin)"
    }
    return DeliveryPeer(name: name, limit: concurrency, owner: device.key.user.name)
  }

  package func send(_ push: OutgoingPush) async throws(CancellationError) -> ChannelAnswer {
    guard case .webPush(let subscription) = push.device.channel else {
      return ChannelAnswer(.refused, reason: "the device has no push subscription")
    }
    do {
      let target = try await outside.target(subscription.endpoint, for: push.device.key.user)
      let call = try call(push, subscription, target)
      return WebPushStatus.answer(try await exchange(call), now: push.now, limits: limits)
    } catch let error as BrumeError {
      return error.code == .tryAgainLater
        ? ChannelAnswer(.retry(after: nil), reason: error.reason)
        : ChannelAnswer(.refused, reason: error.reason)
    } catch {
      return try OutsideFailure.answer(error)
    }
  }

  private func call(
    _ push: OutgoingPush, _ subscription: WebPushTarget, _ target: OutsideGuard.Target
  ) throws -> OutsideCall {
    let body = try WebPushEncryption.encrypt(
      PushPayload.courier(fromPayload: push.payload), for: subscription.key,
      secret: subscription.secret, own: freshKey(), salt: randomBytes(16))
    var call = target.call(body)
    call.set(
      "authorization",
      try vapid.withLock { try $0.authorization(for: target.url.origin, now: push.now) })
    call.set("content-type", "application/octet-stream")
    call.set("content-encoding", "aes128gcm")
    call.set("ttl", String(max(0, push.expires - push.now) / 1000))
    call.set("urgency", push.notification.isBackground ? "normal" : "high")
    if let topic = Self.topic(push) { call.set("topic", topic) }
    return call
  }

  private func freshKey() throws -> P256.KeyAgreement.PrivateKey {
    // One in 2^32 texts of 32 bytes is no key; the next one is.
    while true {
      if let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: randomBytes(32)) {
        return key
      }
    }
  }

  /// An undelivered message with the same topic is replaced: what collapses, and what only says that
  /// something changed.
  private static func topic(_ push: OutgoingPush) -> String? {
    if let collapse = push.collapseID, !collapse.isEmpty {
      return Digest.text("collapse \(collapse)", length: 32)
    }
    guard push.notification.isBackground else { return nil }
    switch push.notification.subject {
    case .query: return nil
    case .zone, .database, .fetchEverything:
      return Digest.text("silent \(push.notification.subscriptionID ?? "")", length: 32)
    }
  }
}
