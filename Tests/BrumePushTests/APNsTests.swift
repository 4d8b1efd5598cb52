import BrumeDelivery
import BrumeModel
import BrumePush
import BrumeTestKit
import BrumeWire
import Crypto
import Synchronization
import Testing

@Suite struct APNsTests {
  private static let key = P256.Signing.PrivateKey()
  private let sender = APNsSender(
    container: ContainerID("iCloud.org.example.trailbook"), topic: "org.example.app",
    team: "TEAM123456", keyID: "KEY1234567", privateKey: key.pemRepresentation)

  private func reply(_ status: Int, _ reason: String = "", timestamp: Int64? = nil) -> OutsideReply
  {
    var body = JSONObject()
    body["reason"] = .string(reason)
    body["timestamp"] = timestamp.map { .int($0) }
    return OutsideReply(status: status, retryAfter: "8", body: JSON.object(body).bytes())
  }

  @Test(arguments: [
    (200, "", ChannelAnswer.Verdict.done),
    (400, "BadDeviceToken", .refused), (400, "BadCollapseId", .refused),
    (400, "DeviceTokenNotForTopic", .retry(after: 300_000)),
    (400, "BadTopic", .retry(after: 300_000)), (400, "MissingTopic", .retry(after: 300_000)),
    (400, "TopicDisallowed", .retry(after: 300_000)), (400, "IdleTimeout", .retry(after: nil)),
    (403, "ExpiredProviderToken", .retry(after: 300_000)),
    (403, "InvalidProviderToken", .retry(after: 300_000)), (404, "BadPath", .refused),
    (405, "MethodNotAllowed", .refused), (410, "Unregistered", .gone(at: 77)),
    (410, "ExpiredToken", .gone(at: 77)), (413, "PayloadTooLarge", .tooLarge),
    (429, "TooManyRequests", .retry(after: 8000)),
    (429, "TooManyProviderTokenUpdates", .retry(after: 1_200_000)),
    (500, "InternalServerError", .retry(after: 8000)),
    (503, "ServiceUnavailable", .busy(after: 8000)), (503, "Shutdown", .busy(after: 8000)),
    (302, "", .retry(after: nil)), (407, "", .retry(after: nil)), (502, "", .retry(after: 8000)),
    (101, "", .retry(after: nil)),
  ])
  func `each of Apple's answers has one meaning:`(
    status: Int, reason: String, verdict: ChannelAnswer.Verdict
  ) {
    let answer = APNsStatus.answer(reply(status, reason, timestamp: 77), now: 99)
    #expect(answer == ChannelAnswer(verdict, status: status, reason: reason))
  }

  @Test func `a 410 without a time counts from now, and any body is taken`() {
    #expect(APNsStatus.answer(reply(410, "Unregistered"), now: 99).verdict == .gone(at: 99))
    let odd = OutsideReply(status: 410, body: [0xff, 0x00, 0x7b])
    #expect(APNsStatus.answer(odd, now: 99) == ChannelAnswer(.gone(at: 99), status: 410))
  }

  // MARK: Tokens

  @Test func `a provider token is valid for an hour and is then made anew`() throws {
    var tokens = ProviderTokens()
    let texts = [0, 60 * 60_000 - 1, 60 * 60_000].map { tokens.token(for: sender, now: $0) }
    #expect(texts[0] != nil)
    #expect(texts[1] == texts[0])
    #expect(texts[2] != texts[0])
    // A clock that went back makes a new one: Apple refuses times in the future.
    let back = tokens.token(for: sender, now: -1)
    #expect(back != texts[2])
    // Pushes that began a moment earlier take the one that is there.
    #expect(tokens.token(for: sender, now: -60_001) == back)
  }

  @Test func `a token says who signs, and since when`() throws {
    var tokens = ProviderTokens()
    let text = tokens.token(for: sender, now: 1_795_176_000_000)
    let parts = try #require(text).split(separator: ".").map(String.init)
    let bytes = try parts.map { try #require(Base64URL.bytes($0)) }
    #expect(try JSON(parsing: bytes[0]) == ["alg": "ES256", "kid": "KEY1234567"])
    #expect(try JSON(parsing: bytes[1]) == ["iss": "TEAM123456", "iat": 1_795_176_000])
    let signature = try P256.Signing.ECDSASignature(rawRepresentation: bytes[2])
    #expect(
      Self.key.publicKey.isValidSignature(signature, for: Array("\(parts[0]).\(parts[1])".utf8)))
  }

  @Test func `a token that Apple calls expired is replaced once, and not if it is young`() throws {
    var tokens = ProviderTokens()
    func refused(_ text: String?, _ now: Milliseconds) -> Bool {
      tokens.refused(text ?? "", of: sender, now: now)
    }
    func token(_ now: Milliseconds) -> String? { tokens.token(for: sender, now: now) }
    let first = token(0)
    #expect(first != nil)
    let whenYoung = (refused(first, 60_000), token(60_000))
    #expect(whenYoung == (false, first))
    // Of a push that began before it was made.
    let early = (refused(first, -5), token(-5))
    #expect(early == (false, first))
    let later: Milliseconds = 21 * 60_000
    let whenOld = (refused(first, later), token(later))
    #expect(whenOld.0)
    #expect(whenOld.1 != nil && whenOld.1 != first)
    // Another push that was under way with the old one: the new one is kept.
    let late = (refused(first, later + 1), token(later + 1))
    #expect(late == (true, whenOld.1))
    let again = refused(whenOld.1, later + 2)
    #expect(!again)
  }

  @Test func `a sender without a usable key makes no token`() {
    var tokens = ProviderTokens()
    let bad = APNsSender(
      container: sender.container, topic: "t", team: "T", keyID: "K", privateKey: "nonsense")
    let text = tokens.token(for: bad, now: 0)
    #expect(text == nil)
  }

  // MARK: The channel

  private func channel(
    _ calls: Recorder, senders: [APNsSender]? = nil, answers: [OutsideReply]
  ) -> APNsChannel {
    let senders = senders ?? [sender]
    return APNsChannel(
      hosts: .init(), concurrency: 5, senders: { _ in senders },
      exchange: { calls.answer($0, from: answers) })
  }

  private func push(
    _ adjust: (inout Notification) -> Void = { _ in }, collapse: String? = nil,
    environment: Environment = .production, topic: String? = nil, now: Milliseconds = 5_000_000
  ) -> OutgoingPush {
    let key = DeviceKey(
      in: ContainerEnvironment(sender.container, .development), user: UserID("_alice"),
      device: DeviceID("phone"))
    var notification = Notification(
      id: "NID", in: ContainerEnvironment(sender.container, .development), scope: .private,
      subscriptionID: "s", user: UserID("_alice"), subject: .zone(ZoneID(name: "Notes")))
    adjust(&notification)
    return OutgoingPush(
      id: "0A0A0A0A-0000-8000-8000-000000000000",
      device: Device(
        key: key, channel: .apns(token: "abcd", environment: environment, topic: topic),
        registered: 0),
      notification: notification, payload: PushPayload.encode(notification), collapseID: collapse,
      now: now, expires: now + 60_000)
  }

  @Test func `a silent push goes out as background, an alert as alert`() async throws {
    let calls = Recorder()
    let channel = channel(calls, answers: [reply(200), reply(200)])
    let silent = push { $0.contentAvailable = true }
    #expect(try await channel.send(silent) == ChannelAnswer(.done, status: 200))
    _ = try await channel.send(
      push({ $0.alert.literal = "Hello" }, collapse: "thread", environment: .development))
    let (first, second) = (calls.all[0], calls.all[1])
    #expect(first.url == "https://api.push.apple.com/3/device/abcd")
    #expect(first["apns-push-type"] == "background")
    #expect(first["apns-priority"] == "5")
    #expect(first["apns-topic"] == "org.example.app")
    #expect(first["apns-id"] == "0a0a0a0a-0000-8000-8000-000000000000")
    #expect(first["apns-expiration"] == "5060")
    #expect(first["apns-collapse-id"] == nil)
    #expect(first.body == silent.payload)
    #expect(second.url == "https://api.sandbox.push.apple.com/3/device/abcd")
    #expect(second["apns-push-type"] == "alert")
    #expect(second["apns-priority"] == "10")
    #expect(second["apns-collapse-id"] == "thread")
    #expect(second["authorization"] == first["authorization"])
  }

  @Test func `PSH-19 a push that shows, plays or counts goes at once, one that only wakes later`()
    async throws
  {
    let calls = Recorder()
    let properties: [(inout Notification) -> Void] = [
      { _ in }, { $0.mutableContent = true }, { $0.category = "c" },
      { $0.alert.literal = "a" }, { $0.alert.localizationKey = "A" }, { $0.title.literal = "t" },
      { $0.subtitle.literal = "s" }, { $0.soundName = "ping" }, { $0.badge = 0 },
      { $0.alertActionLocalizationKey = "OPEN" }, { $0.alertLaunchImage = "i" },
    ]
    let channel = channel(calls, answers: properties.map { _ in reply(200) })
    for property in properties {
      _ = try await channel.send(
        push {
          $0.contentAvailable = true
          property(&$0)
        })
    }
    let urgent = Array(repeating: "10", count: 8)
    #expect(calls.all.map { $0["apns-priority"] } == ["5", "5", "5"] + urgent)
  }

  @Test func `a collapse ID that no header may hold is replaced by its digest`() async throws {
    let calls = Recorder()
    let channel = channel(calls, answers: Array(repeating: reply(200), count: 3))
    // HTTP/2 takes a field for malformed that begins or ends with a space, and its connection with it.
    for (number, collapse) in ["Ü\r\napns-topic: x", " x", "x "].enumerated() {
      _ = try await channel.send(push(collapse: collapse))
      let text = try #require(calls.all[number]["apns-collapse-id"])
      #expect(text.utf8.count <= 64 && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f })
    }
  }

  @Test func `PSH-14 a device's topic decides who signs; an unknown one waits for the operator`()
    async throws
  {
    let other = APNsSender(
      container: sender.container, topic: "org.example.watch", team: "OTHER", keyID: "K2",
      privateKey: Self.key.pemRepresentation)
    let calls = Recorder()
    let channel = channel(calls, senders: [sender, other], answers: [reply(200), reply(200)])
    _ = try await channel.send(push(topic: "org.example.watch"))
    #expect(calls.all[0]["apns-topic"] == "org.example.watch")
    // Apple refuses the tokens of two teams on one connection.
    #expect(calls.all[0].account == "OTHER")
    let answer = try await channel.send(push(topic: "org.example.gone"))
    #expect(answer.verdict == .retry(after: 300_000))
    #expect(calls.all.count == 1)
  }

  @Test func `an expired token is made anew once, and the push goes again with its ID`()
    async throws
  {
    let calls = Recorder()
    let channel = channel(
      calls, answers: [reply(200), reply(403, "ExpiredProviderToken"), reply(200)])
    _ = try await channel.send(push(now: 0))
    #expect(try await channel.send(push(now: 1_300_000)).verdict == .done)
    #expect(calls.all.count == 3)
    #expect(calls.all[0]["authorization"] == calls.all[1]["authorization"])
    #expect(calls.all[1]["authorization"] != calls.all[2]["authorization"])
    #expect(calls.all[1]["apns-id"] == calls.all[2]["apns-id"])
  }

  @Test func `a token that Apple calls expired is made anew after twenty minutes, not before`() {
    var tokens = ProviderTokens()
    let text = tokens.token(for: sender, now: 0) ?? ""
    let answers = [1_199_999, 1_200_000].map { tokens.refused(text, of: sender, now: $0) }
    #expect(answers == [false, true])
    let next = tokens.token(for: sender, now: 1_200_000)
    #expect(next != text)
  }

  @Test func `Apple calling every token expired does not make one for each push`() async throws {
    let calls = Recorder()
    let channel = channel(
      calls, answers: Array(repeating: reply(403, "ExpiredProviderToken"), count: 9))
    for _ in 0..<4 {
      #expect(try await channel.send(push()).verdict == .retry(after: 300_000))
    }
    #expect(calls.all.count == 1)
  }

  @Test(arguments: [
    (403, "InvalidProviderToken", 300_000), (429, "TooManyProviderTokenUpdates", 1_200_000),
    (400, "BadTopic", 300_000),
  ])
  func `N8 a key that Apple refuses is left alone, and holds up nothing that another signs:`(
    status: Int, reason: String, pause: Milliseconds
  ) async throws {
    let other = APNsSender(
      container: sender.container, topic: "org.example.watch", team: "OTHER", keyID: "K2",
      privateKey: Self.key.pemRepresentation)
    let calls = Recorder()
    let channel = channel(
      calls, senders: [sender, other], answers: [reply(status, reason), reply(200)])
    func sent(_ topic: String, _ now: Milliseconds, _ environment: Environment = .production)
      async throws -> ChannelAnswer
    {
      try await channel.send(push(environment: environment, topic: topic, now: now))
    }
    let (own, start) = (sender.topic, Milliseconds(5_000_000))
    #expect(try await sent(own, start).verdict == .retry(after: pause))
    let waiting = try await sent(own, start + 1000)
    #expect(
      waiting == ChannelAnswer(.retry(after: pause - 1000), status: status, reason: reason))
    #expect(calls.all.count == 1)
    // Neither another app's pushes wait nor those to Apple's other server.
    #expect(try await sent(other.topic, start + 1000).verdict == .done)
    #expect(try await sent(own, start + 1000, .development).verdict == .done)
    #expect(try await sent(own, start + pause).verdict == .done)
    #expect(calls.all.count == 4)
  }

  @Test func `a refused key is asked for again when its pause, or the clock, is over`() async throws
  {
    let calls = Recorder()
    let refusal = reply(403, "InvalidProviderToken")
    let channel = channel(calls, answers: [refusal, refusal, reply(200)])
    for now: Milliseconds in [5_000_000, 4_000_000, 4_299_999, 4_300_000] {
      _ = try await channel.send(push(now: now))
    }
    #expect(calls.all.count == 3)
  }

  @Test func `a push that began before Apple refused the key waits as those behind it do`()
    async throws
  {
    let calls = Recorder()
    let channel = channel(calls, answers: [reply(403, "InvalidProviderToken"), reply(200)])
    for now: Milliseconds in [5_000_000, 4_999_995, 5_000_000] {
      let answer = try await channel.send(push(now: now))
      #expect(answer.verdict == .retry(after: 5_300_000 - now))
    }
    #expect(calls.all.count == 1)
  }

  @Test func `no answer means try again, without the token in the reason`() async throws {
    struct Lost: Error {}
    let sender = sender
    let channel = APNsChannel(
      hosts: .init(), concurrency: 5, senders: { _ in [sender] },
      exchange: { _ in throw Lost() })
    let answer = try await channel.send(push())
    #expect(answer.verdict == .retry(after: nil))
    #expect(!answer.reason.contains("abcd"))
  }
}
