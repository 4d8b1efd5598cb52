// Pushes to Apple devices: HTTP/2 to Apple's servers, signed with the key of the app's team. The body is
// the push as it lies in the mailbox, which is what `CKNotification` reads.

package import BrumeDelivery
package import BrumeModel
import Synchronization

/// Sends to Apple's devices, through Apple.
package final class APNsChannel: Channel {
  /// Where Apple's servers are.
  package struct Hosts: Equatable, Sendable {
    /// Where pushes go whose device token is of Apple's sandbox: scheme and host.
    package var sandbox = "https://api.sandbox.push.apple.com"
    /// Where all others go.
    package var production = "https://api.push.apple.com"
    package init() {}
  }

  package let kind = Device.Channel.Kind.apns
  package let payloadBytes: Int
  private let hosts: Hosts
  private let concurrency: Int
  private let senders: @Sendable (ContainerID) async throws -> [APNsSender]
  private let used: @Sendable (APNsSender) async -> Void
  private let exchange: OutsideExchange
  private let limits: Limits
  private let tokens: Mutex<ProviderTokens>
  private let refusedKeys: Mutex<RefusedKeys>

  /// - Parameters:
  ///   - concurrency: pushes under way at once for each of the two hosts; the connection takes as many
  ///     as Apple allows.
  ///   - senders: who signs for a container's apps, the first being the container's own.
  ///   - used: gets whose key signed a push that Apple answered.
  package init(
    hosts: Hosts, concurrency: Int, limits: Limits = .apple,
    senders: @escaping @Sendable (ContainerID) async throws -> [APNsSender],
    used: @escaping @Sendable (APNsSender) async -> Void = { _ in },
    exchange: @escaping OutsideExchange
  ) {
    self.hosts = hosts
    self.concurrency = concurrency
    payloadBytes = min(limits.payloadBytes, Limits.apple.payloadBytes)
    self.limits = limits
    tokens = Mutex(ProviderTokens(limits: limits))
    refusedKeys = Mutex(RefusedKeys(limits: limits))
    self.senders = senders
    self.used = used
    self.exchange = exchange
  }

  package func peer(of device: Device) -> DeliveryPeer {
    DeliveryPeer(name: "apns/\(host(of: device))", limit: concurrency)
  }

  package func send(_ push: OutgoingPush) async throws(CancellationError) -> ChannelAnswer {
    guard case .apns(let token, _, let topic) = push.device.channel else {
      return ChannelAnswer(.refused, reason: "the device has no Apple push token")
    }
    guard let sender = await sender(push.device.key.container, topic) else {
      return ChannelAnswer(
        .retry(after: limits.pushConfigurationPause),
        reason: "no key for this app; add one with 'brume apns add'")
    }
    let (host, now) = (host(of: push.device), push.now)
    if let refusal = refusedKeys.withLock({ $0.answer(for: sender, at: host, now: now) }) {
      return refusal
    }
    let answer = try await send(push, to: token, signedFor: sender)
    refusedKeys.withLock { $0.learn(answer, of: sender, at: host, now: now) }
    if answer.status != nil { await used(sender) }
    return answer
  }

  package func forgetRefusals() { refusedKeys.withLock { $0 = RefusedKeys(limits: limits) } }

  /// A second time only when Apple calls the token expired and a new one may help.
  private func send(
    _ push: OutgoingPush, to token: String, signedFor sender: APNsSender
  ) async throws(CancellationError) -> ChannelAnswer {
    var last = ChannelAnswer(
      .retry(after: limits.pushConfigurationPause), reason: "the signing key is unusable")
    for _ in 0..<2 {
      guard let proof = tokens.withLock({ $0.token(for: sender, now: push.now) }) else { break }
      var call = call(push, token, sender.topic, proof)
      // Apple takes tokens of one developer account only on a connection.
      call.account = sender.team
      last = try await answer(call, push.now)
      guard last.status == 403, last.reason == "ExpiredProviderToken",
        tokens.withLock({ $0.refused(proof, of: sender, now: push.now) })
      else { break }
    }
    return last
  }

  private func sender(_ container: ContainerID, _ topic: String?) async -> APNsSender? {
    // A store that fails ends the server elsewhere.
    let known = (try? await senders(container)) ?? []
    return topic.map { topic in known.first { $0.topic == topic } } ?? known.first
  }

  private func answer(
    _ call: OutsideCall, _ now: Milliseconds
  ) async throws(CancellationError) -> ChannelAnswer {
    do {
      return APNsStatus.answer(try await exchange(call), now: now, limits: limits)
    } catch {
      return try OutsideFailure.answer(error)
    }
  }

  private func host(of device: Device) -> String {
    guard case .apns(_, .production, _) = device.channel else { return hosts.sandbox }
    return hosts.production
  }

  /// The headers of "Sending notification requests to APNs".
  private func call(
    _ push: OutgoingPush, _ token: String, _ topic: String, _ proof: String
  ) -> OutsideCall {
    var call = OutsideCall(
      url: "\(host(of: push.device))/3/device/\(token)", pinned: nil, body: push.payload)
    let isBackground = push.notification.isBackground
    call.set("authorization", "bearer \(proof)")
    call.set("apns-id", push.id.lowercased())
    call.set("apns-push-type", isBackground ? "background" : "alert")
    // Apple refuses 10 for background pushes.
    call.set("apns-priority", isBackground ? "5" : "10")
    call.set("apns-expiration", String(push.expires / 1000))
    call.set("apns-topic", topic)
    if let collapse = push.collapseID, !collapse.isEmpty {
      let isField = Self.isField(collapse)
      call.set("apns-collapse-id", isField ? collapse : Digest.text(collapse, length: 43))
    }
    return call
  }

  /// Whether a text may be the value of a header. RFC 9113 (8.2.1): one that begins or ends with a space is malformed.
  private static func isField(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 > 0x1f && $0 < 0x7f } && !text.hasPrefix(" ")
      && !text.hasSuffix(" ")
  }
}

extension Notification {
  /// Nothing is shown, played or counted.
  package var isBackground: Bool {
    alert.isEmpty && title.isEmpty && subtitle.isEmpty && alertActionLocalizationKey == nil
      && alertLaunchImage == nil && soundName == nil && badge == nil
  }
}
