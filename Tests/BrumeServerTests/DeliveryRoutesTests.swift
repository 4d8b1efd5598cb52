import BrumeModel
import BrumePush
import BrumeServer
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Crypto
import Testing

/// Registering what the server sends to, and what the operator sees of it.
@Suite struct DeliveryRoutesTests {
  private static let browser = P256.KeyAgreement.PrivateKey()

  private func subscription(_ endpoint: String, key: [UInt8]? = nil, secret: Int = 16) -> JSON {
    let key = key ?? Array(Self.browser.publicKey.x963Representation)
    return [
      "webPush": [
        "endpoint": .string(endpoint),
        "keys": [
          "p256dh": .string(Base64.text(key)),
          "auth": .string(Base64.text([UInt8](repeating: 1, count: secret))),
        ],
      ]
    ]
  }

  private func channels(_ fixture: ServerFixture, of user: String) async throws -> [Device.Channel]
  {
    let id = fixture.user(user)
    return try await fixture.server.store.read {
      try $0.devices.all(of: id, in: ServerFixture.containerEnvironment).map(\.channel)
    }
  }

  @Test func `a browser registers with what it got from its push service`() async throws {
    let fixture = try await ServerFixture { $0.outside.webPushAllowed = ["127.0.0.1"] }
    try await fixture.routes { client in
      let key = try await client.send("/_brume/webpush/key")
      #expect(key.json["publicKey"]?.string?.count == 87)
      let answer = try await client.own("devices", subscription("http://127.0.0.1:9/push/secret"))
      #expect(answer.status == 200, "\(answer.text)")
      let target = WebPushTarget(
        endpoint: "http://127.0.0.1:9/push/secret",
        key: Array(Self.browser.publicKey.x963Representation),
        secret: [UInt8](repeating: 1, count: 16))
      let registered = try await channels(fixture, of: "alice")
      #expect(registered == [.webPush(target)])
    }
  }

  @Test func `devices of all users are listed some users at a time`() async throws {
    let fixture = try await ServerFixture { $0.outside.webPushAllowed = ["127.0.0.1"] }
    try await fixture.routes { client in
      for user in ["alice", "bob"] {
        _ = try await client.own("devices", subscription("http://127.0.0.1:9/\(user)"), as: user)
      }
      var (users, after, pages) = ([JSON?](), "", 0)
      repeat {
        let page = try await client.admin("devices?limit=1&after=\(after)")
        let devices = try #require(page["devices"]?.array, "\(page.text)")
        #expect(devices.count <= 1)
        users += devices.map { $0["user"] }
        after = page["after"]?.string ?? ""
        pages += 1
      } while !after.isEmpty && pages < 20
      #expect(users == ["alice", "bob"] && pages >= 2)
    }
  }

  @Test func `hosts of the operator's webhooks are not for endpoints that users register`()
    async throws
  {
    let fixture = try await ServerFixture { $0.outside.allowed = ["127.0.0.1"] }
    try await fixture.routes { client in
      let answer = try await client.own("devices", subscription("http://127.0.0.1:9/push"))
      #expect(answer.status == 400 && answer.reason.contains("--webpush-allow"), "\(answer.text)")
      let hook = try await client.admin("webhooks", ["url": "http://127.0.0.1:9/in"])
      #expect(hook.status == 200, "\(hook.text)")
    }
  }

  @Test func `hosts of users' push services are not for webhooks`() async throws {
    let fixture = try await ServerFixture { $0.outside.webPushAllowed = ["127.0.0.1"] }
    try await fixture.routes { client in
      let hook = try await client.admin("webhooks", ["url": "http://127.0.0.1:9/in"])
      #expect(hook.status == 400 && hook.reason.contains("--push-allow"), "\(hook.text)")
    }
  }

  @Test func `A11 an endpoint belongs to whoever registered it last`() async throws {
    let fixture = try await ServerFixture { $0.outside.webPushAllowed = ["127.0.0.1"] }
    try await fixture.routes { client in
      _ = try await client.own("devices", subscription("http://127.0.0.1:9/x"), as: "alice")
      _ = try await client.own("devices", subscription("http://127.0.0.1:9/x"), as: "bob")
      let (alice, bob) = (
        try await channels(fixture, of: "alice"), try await channels(fixture, of: "bob")
      )
      #expect(alice == [])
      #expect(bob.count == 1)
      let answer = try await client.own("devices/remove", [:], as: "bob")
      #expect(answer.status == 200)
      let left = try await channels(fixture, of: "bob")
      #expect(left == [])
    }
  }

  @Test(arguments: [
    "http://push.example/x", "https://127.0.0.1/x", "https://169.254.169.254/x", "https://[::1]/x",
    "https://user@push.example/x", "https://push.example:22/x", "file:///etc/passwd",
  ])
  func `A6 an endpoint that is not an open server elsewhere is refused:`(endpoint: String)
    async throws
  {
    let fixture = try await ServerFixture()
    try await fixture.routes { client in
      let answer = try await client.own("devices", subscription(endpoint))
      #expect(answer.status == 400, "\(answer.text)")
      #expect(!answer.text.contains(endpoint), "the answer repeats the endpoint")
      let hook = try await client.admin("webhooks", ["url": .string(endpoint)])
      #expect(hook.status == 400, "\(hook.text)")
      let registered = try await channels(fixture, of: "alice")
      #expect(registered == [])
    }
  }

  @Test func `keys that are none are refused`() async throws {
    let fixture = try await ServerFixture { $0.outside.webPushAllowed = ["127.0.0.1"] }
    try await fixture.routes { client in
      let url = "http://127.0.0.1:9/x"
      let bodies = [
        subscription(url, key: [4] + [UInt8](repeating: 9, count: 64)),
        subscription(url, key: [1, 2]), subscription(url, secret: 15), ["webPush": [:]],
        ["apns": ["token": "zz", "environment": "production"]], ["apns": ["token": "ab"]],
        ["apns": ["token": "ab", "environment": "sandbox"]], ["webpush": [:]],
      ]
      for body in bodies {
        let answer = try await client.own("devices", body)
        #expect(answer.status == 400, "\(body): \(answer.text)")
      }
    }
  }

  @Test func `an app names its topic, also through tokens/register`() async throws {
    let fixture = try await ServerFixture()
    try await fixture.routes { client in
      let token: JSON = [
        "apnsEnvironment": "production", "apnsToken": "ABCD", "brume": ["topic": "org.example.app"],
      ]
      let answer = try await client.call("tokens/register", token, device: "phone")
      #expect(answer.status == 200, "\(answer.text)")
      #expect(answer["apnsEnvironment"] == "production" && answer["apnsToken"] == "abcd")
      let registered = try await channels(fixture, of: "alice")
      #expect(
        registered == [.apns(token: "abcd", environment: .production, topic: "org.example.app")])
    }
  }

  @Test func `keys for Apple are checked, listed without themselves and removed`() async throws {
    let fixture = try await ServerFixture()
    try await fixture.routes { client in
      let pem = P256.Signing.PrivateKey().pemRepresentation
      func sender(_ topic: String, _ key: String) -> JSON {
        ["topic": .string(topic), "team": "TEAM", "keyID": "KEY", "key": .string(key)]
      }
      for bad in [sender("org.example.app", "no key"), sender("a b", pem), ["topic": "x"]] {
        let answer = try await client.admin("apns", bad)
        #expect(answer.status == 400, "\(answer.text)")
      }
      let added = try await client.admin("apns", sender("org.example.app", pem))
      #expect(added.status == 200 && !added.text.contains("PRIVATE"))
      let list = try await client.admin("apns")
      #expect(list.json["senders"]?.array?.first?["topic"]?.string == "org.example.app")
      #expect(!list.text.contains("PRIVATE"))
      let removed = try await client.admin("apns/remove", ["topic": "org.example.app"])
      #expect(removed.status == 200)
      let again = try await client.admin("apns/remove", ["topic": "org.example.app"])
      #expect(again.status == 404)
    }
  }

  @Test func `a webhook's secret is shown once`() async throws {
    let fixture = try await ServerFixture { $0.outside.allowed = ["127.0.0.1"] }
    try await fixture.routes { client in
      let added = try await client.admin("webhooks", ["url": "http://127.0.0.1:9/hook"])
      let id = added.json["id"]?.string ?? ""
      #expect(added.json["secret"]?.string?.hasPrefix("whsec_") == true)
      let list = try await client.admin("webhooks")
      #expect(list.json["webhooks"]?.array?.first?["state"]?.string == "on")
      #expect(!list.text.contains("whsec_"))
      for path in ["webhooks/disable", "webhooks/enable", "webhooks/remove"] {
        let answer = try await client.admin(path, ["id": .string(id)])
        #expect(answer.status == 200, "\(path): \(answer.text)")
        let unknown = try await client.admin(path, ["id": "wh_none"])
        #expect(unknown.status == 404, "\(path)")
      }
    }
  }

  @Test func `a webhook is switched off and on by hand, and the audit log says who did`()
    async throws
  {
    let fixture = try await ServerFixture { $0.outside.allowed = ["127.0.0.1"] }
    try await fixture.routes { client in
      let made = try await client.admin("webhooks", ["url": "http://127.0.0.1:9/hook"])
      let id = try #require(made["id"])
      func shown() async throws -> JSON? {
        try await client.admin("webhooks").json["webhooks"]?.array?.first
      }
      #expect(try await client.admin("webhooks/disable", ["id": id]).status == 200)
      let off = try await shown()
      #expect(off?["state"] == "off" && off?["reason"] == "switched off by an operator")
      #expect(try await client.admin("webhooks/enable", ["id": id]).status == 200)
      let on = try await shown()
      #expect(on?["state"] == "on" && on?["reason"] == nil)
      let lines = try await client.admin("audit").json["audit"]?.array ?? []
      let acts = lines.filter { $0["subject"] == id }.compactMap { $0["action"]?.string }
      #expect(acts == ["webhooks/enable", "webhooks/disable"], "\(lines)")
    }
  }

  @Test func `a webhook that is not there cannot be tested`() async throws {
    let fixture = try await ServerFixture { $0.outside.allowed = ["127.0.0.1"] }
    try await fixture.routes { client in
      let made = try await client.admin("webhooks", ["url": "http://127.0.0.1:9/in"])
      let id = try #require(made["id"])
      let unknown = try await client.admin("webhooks/test", ["id": "wh_none"])
      #expect(unknown.status == 404 && unknown.reason.contains("brume webhook list"))
      let elsewhere = try await client.admin("webhooks/test?environment=production", ["id": id])
      #expect(elsewhere.status == 404, "\(elsewhere.text)")
    }
  }

  @Test func `a container has a bounded number of webhooks`() async throws {
    let fixture = try await ServerFixture {
      $0.outside.allowed = ["127.0.0.1"]
      $0.limits.webhooksPerContainer = 1
    }
    try await fixture.routes { client in
      _ = try await client.admin("webhooks", ["url": "http://127.0.0.1:9/1"])
      let second = try await client.admin("webhooks", ["url": "http://127.0.0.1:9/2"])
      #expect(second.reason.contains("1 webhooks"), "\(second.text)")
    }
  }

  @Test func `the push log is the operator's only, and filtered by name`() async throws {
    let fixture = try await ServerFixture()
    try await fixture.routes { client in
      let stranger = try await client.admin("push/log", token: "wrong")
      #expect(stranger.status == 401, "\(stranger.text)")
      let alice = fixture.user("alice")
      try await fixture.server.store.write(in: .all) { store in
        for user in [alice, UserID("_other")] {
          try store.pushLog.append(
            PushLogEntry(
              time: 5, in: ServerFixture.containerEnvironment,
              user: user, device: "phone", channel: "apns", notificationID: "N",
              subscriptionID: "s", requestID: "R", subject: "zone Notes changed", verdict: .sent,
              status: 200, reason: "", attempt: 1), limit: 10)
        }
      }
      let all = try await client.admin("push/log")
      #expect(all.json["log"]?.array?.count == 2)
      let own = try await client.admin("push/log?user=alice&request=R")
      let line = own.json["log"]?.array?.first
      #expect(own.json["log"]?.array?.count == 1)
      #expect(line?["user"]?.string == "alice" && line?["verdict"]?.string == "sent")
      let unknown = try await client.admin("push/log?user=nobody")
      #expect(unknown.status == 404)
    }
  }
}
