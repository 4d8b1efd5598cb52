import BrumeDelivery
import BrumeModel
import BrumePush
import BrumeTestKit
import BrumeWire
import Crypto
import Synchronization
import Testing

/// The contract on every channel.
@Suite struct ChannelContractTests {
  enum Outside: String, CaseIterable, Sendable {
    case apns, webPush
  }

  @Test(arguments: Outside.allCases, ChannelContract.all)
  func `a channel keeps its promise:`(outside: Outside, promise: ChannelContract.Case)
    async throws
  {
    let side = OtherSide()
    switch outside {
    case .apns: try await promise.run(apns(side))
    case .webPush: try await promise.run(webPush(side))
    }
  }

  private let containerEnvironment = ContainerEnvironment(
    ContainerID("iCloud.org.example.trailbook"), .development)

  private func device(_ channel: Device.Channel) -> Device {
    let key = DeviceKey(in: containerEnvironment, user: UserID("_alice"), device: DeviceID("phone"))
    return Device(key: key, channel: channel, registered: 0)
  }

  private func apns(_ side: OtherSide) -> ChannelContract.Subject {
    let sender = APNsSender(
      container: containerEnvironment.container, topic: "org.example.app", team: "TEAM",
      keyID: "KEY",
      privateKey: P256.Signing.PrivateKey().pemRepresentation)
    let statuses: [ChannelContract.Answer: Int] = [
      .accept: 200, .busy: 503, .gone: 410, .tooLarge: 413, .refuse: 400,
    ]
    let channel = APNsChannel(
      hosts: .init(), concurrency: 5, senders: { _ in [sender] },
      exchange: { try side.reply(to: $0, id: $0["apns-id"], payload: $0.body, statuses) })
    return side.subject(
      channel, device(.apns(token: "5ec4e7", environment: .production, topic: nil)))
  }

  private func webPush(_ side: OtherSide) throws -> ChannelContract.Subject {
    let browser = P256.KeyAgreement.PrivateKey()
    let statuses: [ChannelContract.Answer: Int] = [
      .accept: 201, .busy: 429, .gone: 410, .tooLarge: 413, .refuse: 400,
    ]
    let outside = OutsideGuard(allowed: []) { _ in [.v4(0x0808_0808)] }
    let channel = WebPushChannel(
      vapid: try VAPID(
        key: Array(P256.Signing.PrivateKey().rawRepresentation), contact: "mailto:a@example.org"),
      concurrency: 4, limits: Limits(), outside: outside,
      randomBytes: { count in (0..<count).map { _ in UInt8.random(in: 0...255) } },
      exchange: { try side.reply(to: $0, id: nil, payload: [], statuses) })
    let target = WebPushTarget(
      endpoint: "https://push.example/secret",
      key: Array(browser.publicKey.x963Representation), secret: [UInt8](repeating: 3, count: 16))
    return side.subject(channel, device(.webPush(target)))
  }
}

/// Answers as configured, then accepts, and remembers what arrived.
final class OtherSide: Sendable {
  private struct State {
    var answers: [ChannelContract.Answer] = []
    var arrivals: [ChannelContract.Arrival] = []
  }
  struct Broken: Error {}
  private let state = Mutex(State())

  func subject(_ channel: any Channel, _ device: Device) -> ChannelContract.Subject {
    ChannelContract.Subject(
      channel: channel, device: device,
      answer: { answers in self.state.withLock { $0.answers = answers } },
      arrivals: { self.state.withLock { $0.arrivals } })
  }

  func reply(
    to call: OutsideCall, id: String?, payload: [UInt8], _ statuses: [ChannelContract.Answer: Int]
  ) throws -> OutsideReply {
    let answer = state.withLock { state in
      state.arrivals.append(.init(id: id, payload: payload, bytes: call.body.count))
      return state.answers.isEmpty ? .accept : state.answers.removeFirst()
    }
    guard let status = statuses[answer] else { throw Broken() }
    return OutsideReply(
      status: status, retryAfter: answer == .busy ? "9" : nil, body: Array("{}".utf8))
  }
}
