// Calls to webhooks: signed as the Standard Webhooks specification says, so that its libraries verify
// them, and sent only where the server may call.

package import BrumeDelivery
package import BrumeModel
import BrumeWire
import Crypto

/// Calls webhooks.
package struct WebhookChannel: WebhookSender {
  private let concurrency: Int
  private let outside: OutsideGuard
  private let used: @Sendable (Webhook) async -> Void
  private let exchange: OutsideExchange

  /// - Parameters:
  ///   - concurrency: calls under way at once for one host.
  ///   - used: gets whose call was answered.
  package init(
    concurrency: Int, outside: OutsideGuard,
    used: @escaping @Sendable (Webhook) async -> Void = { _ in },
    exchange: @escaping OutsideExchange
  ) {
    self.used = used
    self.concurrency = concurrency
    self.outside = outside
    self.exchange = exchange
  }

  package func peer(of webhook: Webhook) -> DeliveryPeer {
    let url = try? PushURL(webhook.url)
    return DeliveryPeer(name: "webhook/\(url?.origin ?? "")", limit: concurrency)
  }

  /// Sends one batch once.
  ///
  /// - Parameters:
  ///   - id: the same for every attempt: what the receiver recognises a repeat by.
  ///   - now: goes into the signature, so that an old call cannot be played again.
  package func send(
    _ body: [UInt8], id: String, causedBy requestID: String = "", to webhook: Webhook,
    now: Milliseconds
  ) async throws(CancellationError) -> ChannelAnswer {
    do {
      let target = try await outside.target(webhook.url)
      var call = target.call(body)
      let seconds = String(now / 1000)
      call.set("content-type", "application/json")
      call.set("user-agent", "Brume")
      call.set("webhook-id", id)
      call.set("webhook-timestamp", seconds)
      call.set("webhook-signature", Self.signature(body, id: id, time: seconds, webhook.secret))
      let reply = try await exchange(call)
      await used(webhook)
      return Self.answer(reply, now: now)
    } catch let error as BrumeError {
      return ChannelAnswer(.retry(after: nil), reason: error.reason)
    } catch {
      return try OutsideFailure.answer(error)
    }
  }

  /// `v1,` and the HMAC-SHA256 of ID, time and body, in base64.
  package static func signature(
    _ body: [UInt8], id: String, time: String, _ secret: [UInt8]
  ) -> String {
    var code = HMAC<SHA256>(key: SymmetricKey(data: secret))
    code.update(data: Array("\(id).\(time).".utf8))
    code.update(data: body)
    return "v1," + Base64.text(Array(code.finalize()))
  }

  /// How a secret is shown: as the specification's libraries read it.
  package static func text(ofSecret secret: [UInt8]) -> String { "whsec_" + Base64.text(secret) }

  /// Only 2xx is a yes. Everything else is tried again, because a feed may not skip; 410 asks us to
  /// stop.
  package static func answer(_ reply: OutsideReply, now: Milliseconds) -> ChannelAnswer {
    switch reply.status {
    case 200..<300: ChannelAnswer(.done, status: reply.status)
    case 410:
      ChannelAnswer(.gone(at: now), status: 410, reason: "the receiver wants no more calls")
    case 300..<400:
      ChannelAnswer(
        .retry(after: nil), status: reply.status, reason: "redirects are not followed")
    default: ChannelAnswer(.retry(after: reply.pause(at: now)), status: reply.status)
    }
  }
}
