// What a push service reads: how long, how urgent, and what replaces what.

import BrumeDelivery
import BrumeModel
import BrumePush
import BrumeTestKit
import Crypto
import Testing

@Suite struct WebPushHeaderTests {
  private let containerEnvironment = ContainerEnvironment(
    ContainerID("iCloud.org.example.trailbook"), .development)
  private let zone = ZoneID(name: "Notes")

  private func call(
    _ subject: Notification.Subject, subscription: String? = "s", collapse: String? = nil,
    text: String? = nil, now: Milliseconds = 1_000_000
  ) async throws -> OutsideCall {
    let calls = Recorder()
    let channel = WebPushChannel(
      vapid: try VAPID(
        key: Array(P256.Signing.PrivateKey().rawRepresentation), contact: "mailto:a@example.org"),
      concurrency: 4, limits: Limits(),
      outside: OutsideGuard(allowed: []) { _ in [.v4(0x0808_0808)] },
      randomBytes: { count in (0..<count).map { UInt8(truncatingIfNeeded: $0 + 1) } },
      exchange: { calls.answer($0, from: [OutsideReply(status: 201)]) })
    let key = DeviceKey(
      in: containerEnvironment, user: UserID("_alice"), device: DeviceID("browser"))
    let target = WebPushTarget(
      endpoint: "https://push.example/secret",
      key: Array(P256.KeyAgreement.PrivateKey().publicKey.x963Representation),
      secret: [UInt8](repeating: 3, count: 16))
    var notification = Notification(
      id: "NID", in: containerEnvironment, scope: .private,
      subscriptionID: subscription, user: key.user, subject: subject)
    notification.alert.literal = text
    let push = OutgoingPush(
      id: "0A0A0A0A-0000-8000-8000-000000000000",
      device: Device(key: key, channel: .webPush(target), registered: 0),
      notification: notification, payload: Array(#"{"aps":{},"ck":{}}"#.utf8), collapseID: collapse,
      now: now, expires: 1_060_000)
    #expect(try await channel.send(push).verdict == .done)
    return calls.all[0]
  }

  @Test func `N10 a push that only says that something changed replaces the one before it`()
    async throws
  {
    let first = try await call(.zone(zone))["topic"]
    let topic = try #require(first)
    // RFC 8030: at most 32 characters of the base64 alphabet for URLs.
    #expect((1...32).contains(topic.utf8.count))
    #expect(topic.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
    #expect(try await call(.zone(zone))["topic"] == topic)
    #expect(try await call(.database(zone))["topic"] == topic)
    #expect(try await call(.zone(zone), subscription: "other")["topic"] != topic)
    #expect(try await call(.fetchEverything, subscription: nil)["topic"] != nil)
  }

  @Test
  func `N10 a push of one record, or one that is shown, replaces only what it collapses with`()
    async throws
  {
    let query = Notification.Subject.query(
      zone: zone, recordName: "r", reason: .created, fields: [:])
    #expect(try await call(query)["topic"] == nil)
    #expect(try await call(query, text: "Hello")["topic"] == nil)
    #expect(try await call(.zone(zone), text: "Hello")["topic"] == nil)
    #expect(try await call(query, collapse: "", text: "Hello")["topic"] == nil)
    let thread = try await call(query, collapse: "thread", text: "Hello")["topic"]
    #expect(try await call(query, collapse: "thread", text: "Again")["topic"] == thread)
    let other = try await call(query, collapse: "Ü\r\ntopic: x", text: "Hello")["topic"]
    #expect(thread != nil && other != nil && thread != other)
    // The service learns nothing of its content.
    #expect(thread?.contains("thread") == false && (other?.utf8.count ?? 99) <= 32)
  }

  @Test func `N10 what is shown is urgent, and all may wait as long as they are worth something`()
    async throws
  {
    let (silent, shown) = (try await call(.zone(zone)), try await call(.zone(zone), text: "Hello"))
    #expect(silent["urgency"] == "normal")
    #expect(shown["urgency"] == "high")
    #expect(silent["ttl"] == "60")
    #expect(try await call(.zone(zone), now: 2_000_000)["ttl"] == "0")
    #expect(silent["content-encoding"] == "aes128gcm")
  }
}
