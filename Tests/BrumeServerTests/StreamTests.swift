// Pushes on their way to devices: the event stream and the courier, on real sockets.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeServer
import BrumeStorage
import BrumeWire
import Foundation
import HTTPTypes
import Testing

@Suite struct StreamTests {
  /// A request as text.
  static func get(_ target: String, _ header: String = "") -> String {
    "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(header)\r\n"
  }

  static func streamTarget(_ fixture: ServerFixture, _ user: String, _ device: String) -> String {
    "/_brume/stream?container=\(ServerFixture.container)&environment=development&"
      + fixture.credentials(user, device: device)
  }

  static func post(_ fixture: ServerFixture, _ port: Int, _ endpoint: String, _ body: JSON)
    async throws -> String
  {
    let socket = try RawSocket(port: port)
    defer { socket.close() }
    let text = String(decoding: body.bytes(), as: UTF8.self)
    let target = "\(fixture.path(endpoint))?\(fixture.credentials("alice", device: "laptop"))"
    await socket.send(
      "POST \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
    return await socket.readToEnd() ?? ""
  }

  static func subscribe(_ fixture: ServerFixture, _ port: Int) async throws {
    let answer = try await post(
      fixture, port, "subscriptions/modify",
      [
        "operations": [
          [
            "operationType": "create",
            "subscription": [
              "subscriptionID": "notes", "subscriptionType": "query",
              "query": ["recordType": "Note"], "firesOn": ["create"],
              "notificationInfo": ["alertBody": "a new note"],
            ],
          ]
        ]
      ])
    #expect(answer.contains("\"notes\""), "\(answer)")
  }

  static func save(_ fixture: ServerFixture, _ port: Int, _ name: String) async throws {
    let answer = try await post(
      fixture, port, "records/modify",
      [
        "operations": [
          [
            "operationType": "create",
            "record": ["recordName": .string(name), "recordType": "Note", "fields": [:]],
          ]
        ]
      ])
    #expect(answer.contains(name), "\(answer)")
  }

  @Test func `a device receives another device's save and, back again, only what is new`()
    async throws
  {
    let fixture = try await ServerFixture()
    try await fixture.live { port in
      let target = Self.streamTarget(fixture, "alice", "phone")
      let socket = try RawSocket(port: port)
      await socket.send(Self.get(target))
      let opened = await socket.read { $0.contains(": connected") }
      #expect(opened?.contains("text/event-stream") == true, "\(opened ?? "")")
      // The type must exist before it can be watched.
      try await Self.save(fixture, port, "zero")
      try await Self.subscribe(fixture, port)
      try await Self.save(fixture, port, "one")
      let received = await socket.read { $0.contains("\"rid\":\"one\"") && $0.hasSuffix("\n\r\n") }
      socket.close()
      let id = try #require(
        received?.components(separatedBy: "id: ").last?.prefix { $0.isNumber || $0 == "-" })
      #expect(received?.contains("a new note") == true)

      try await Self.save(fixture, port, "two")
      let again = try RawSocket(port: port)
      defer { again.close() }
      await again.send(Self.get(target, "Last-Event-ID: \(id)\r\n"))
      let rest = await again.read { $0.contains("\"rid\":\"two\"") }
      #expect(rest?.contains("\"rid\":\"one\"") == false, "\(rest ?? "nothing")")
    }
  }

  @Test func `a position in another store's stream acknowledges nothing here`() async throws {
    let fixture = try await ServerFixture()
    try await fixture.live { port in
      let target = Self.streamTarget(fixture, "alice", "phone")
      let socket = try RawSocket(port: port)
      await socket.send(Self.get(target))
      _ = await socket.read { $0.contains(": connected") }
      try await Self.save(fixture, port, "zero")
      try await Self.subscribe(fixture, port)
      try await Self.save(fixture, port, "one")
      _ = await socket.read { $0.contains("\"rid\":\"one\"") }
      socket.close()

      let again = try RawSocket(port: port)
      defer { again.close() }
      await again.send(Self.get(target, "Last-Event-ID: 7-999999\r\n"))
      #expect(await again.read { $0.contains("\"rid\":\"one\"") } != nil)
    }
  }

  @Test func `a device that acknowledges beside its stream keeps it, one that does not comes back`()
    async throws
  {
    let fixture = try await ServerFixture { $0.limits.mailboxRows = 4 }
    try await fixture.live { port in
      let target = Self.streamTarget(fixture, "alice", "phone")
      let socket = try RawSocket(port: port)
      defer { socket.close() }
      await socket.send(Self.get(target))
      _ = await socket.read { $0.contains(": connected") }
      try await Self.save(fixture, port, "zero")
      try await Self.subscribe(fixture, port)
      for name in ["one", "two", "three"] {
        try await Self.save(fixture, port, name)
        let received = await socket.read {
          $0.contains("\"rid\":\"\(name)\"") && $0.hasSuffix("\n\r\n")
        }
        let id = try #require(
          received?.components(separatedBy: "id: ").last?.prefix { $0.isNumber || $0 == "-" })
        if name == "three" { break }
        let answer = try await Self.acknowledge(fixture, port, String(id))
        #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
      }
      try await Self.save(fixture, port, "four")
      // "three" and "four" are half the mailbox.
      #expect(await socket.read { $0.hasSuffix("0\r\n\r\n") } != nil)
    }
  }

  private static func acknowledge(
    _ fixture: ServerFixture, _ port: Int, _ id: String
  ) async throws -> String {
    let socket = try RawSocket(port: port)
    defer { socket.close() }
    let target = streamTarget(fixture, "alice", "phone")
      .replacing("/_brume/stream?", with: "/_brume/stream/ack?cursor=\(id)&")
    await socket.send(
      "POST \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
    )
    return await socket.readToEnd() ?? ""
  }

  @Test func `an acknowledgement without a position or device is refused`() async throws {
    try await ServerFixture().routes { client in
      let withoutPosition = try await client.own("stream/ack", [:])
      #expect(try withoutPosition.reason.contains("cursor"))
      let withoutDevice = try await client.own("stream/ack", [:], device: nil)
      #expect(try withoutDevice.reason.contains("clientId"))
    }
  }

  @Test func `a stream without events sends comments`() async throws {
    let fixture = try await ServerFixture()
    try await fixture.live { port in
      let socket = try RawSocket(port: port)
      defer { socket.close() }
      await socket.send(Self.get(Self.streamTarget(fixture, "bob", "phone")))
      #expect(await socket.read { $0.contains("\n:\n\n") } != nil)
    }
  }

  @Test func `a client that says more, and that it will say no more, goes on receiving`()
    async throws
  {
    let fixture = try await ServerFixture { $0.timeouts.heartbeat = 60 }
    try await fixture.live { port in
      let target = Self.streamTarget(fixture, "alice", "phone")
      let socket = try RawSocket(port: port)
      defer { socket.close() }
      // Another request before it on the same connection, and one behind it, which is not answered.
      let health = Self.get("/_brume/health/live")
      await socket.send(health + Self.get(target) + health + "POST /half of a req")
      let opened = await socket.read { $0.contains(": connected") }
      #expect(opened?.components(separatedBy: "HTTP/1.1 200").count == 3, "\(opened ?? "")")
      await socket.send(String(repeating: "more of it ", count: 20_000))
      socket.finishSending()
      try await Self.save(fixture, port, "zero")
      try await Self.subscribe(fixture, port)
      try await Self.save(fixture, port, "one")
      #expect(await socket.read { $0.contains("\"rid\":\"one\"") } != nil)
    }
  }

  @Test func `a client that has gone is noticed at once, not with the next heartbeat`() async throws
  {
    let fixture = try await ServerFixture { $0.timeouts.heartbeat = 3600 }
    try await fixture.live { port in
      let socket = try RawSocket(port: port)
      await socket.send(Self.get(Self.streamTarget(fixture, "bob", "phone")))
      _ = await socket.read { $0.contains(": connected") }
      #expect(await Self.comesTrue { fixture.server.streams.count == 1 })
      socket.vanish()
      #expect(await Self.comesTrue { fixture.server.streams.count == 0 })
    }
  }

  private static func comesTrue(_ condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(300)
    while !condition() {
      if ContinuousClock.now > end { return false }
      await Task.yield()
    }
    return true
  }

  @Test func `a stream ends in good order when the server is asked to end`() async throws {
    let fixture = try await ServerFixture { $0.timeouts.heartbeat = 60 }
    let sockets = AsyncStream<RawSocket>.makeStream()
    try await fixture.live { port in
      let socket = try RawSocket(port: port)
      await socket.send(Self.get(Self.streamTarget(fixture, "bob", "phone")))
      _ = await socket.read { $0.contains(": connected") }
      sockets.continuation.yield(socket)
    }
    for await socket in sockets.stream {
      // The last chunk of a chunked answer: an end, not a break.
      #expect(await socket.readToEnd()?.hasSuffix("0\r\n\r\n") == true)
      break
    }
    #expect(fixture.server.streams.count == 0)
  }

  @Test
  func `PSH-09 a stream's pushes are in the log by name when acknowledged, with their request`()
    async throws
  {
    try await ServerFixture().routes { client in
      _ = try await client.own("devices", [:])
      let sent = try await client.admin("push", ["user": "alice", "text": "hello"])
      let nid = try #require(sent["notification"]?.string)
      let early = try await client.admin("push/log?notification=\(nid)")
      #expect(early["log"]?.array?.isEmpty == true)
      let server = client.fixture.server
      let phone = DeviceKey(
        in: ServerFixture.containerEnvironment,
        user: client.fixture.user("alice"), device: DeviceID("phone"))
      let waiting = try await server.store.read {
        try $0.mailboxes.entries(of: phone, after: 0, limit: 9)
      }
      let cursor = "\(server.engine.generation)-\(try #require(waiting.first).position)"
      let place = "container=\(ServerFixture.container)&environment=development"
      let query = client.fixture.credentials("alice", device: "phone")
      let target = "/_brume/stream/ack?\(place)&\(query)&cursor=\(cursor)"
      for _ in 1...2 { #expect(try await client.send(target, .post).status == 200) }
      let log = try await client.admin("push/log?notification=\(nid)")["log"]?.array ?? []
      #expect(log.count == 1)
      #expect(log.first?["channel"] == "stream" && log.first?["verdict"] == "sent")
      #expect(log.first?["reason"] == "acknowledged" && log.first?["user"] == "alice")
      #expect(log.first?["request"]?.string == waiting.first?.requestID)
      #expect(log.first?["subscription"] == "brume-test")
    }
  }

  @Test func `a poll's cursor acknowledges, and its answer says where it is`() async throws {
    try await ServerFixture().routes { client in
      let made = try await client.call(
        "tokens/create", ["apnsEnvironment": "development", "clientId": "browser"])
      let path = "/_brume/courier?tok=\(try #require(made["apnsToken"]?.string))"
      for text in ["one", "two"] {
        _ = try await client.admin("push", ["user": "alice", "text": .string(text)])
      }
      func poll(_ cursor: String) async throws -> (text: String?, cursor: String) {
        let answer = try await client.send("\(path)&cursor=\(cursor)")
        let next = answer.headers.first { $0.name.canonicalName == "x-brume-cursor" }?.value
        return (answer["aps"]?["alert"]?["body"]?.string, next ?? "")
      }
      let first = try await poll("0-0")
      #expect(try await poll("0-0") == first)
      #expect(first.text == "one")
      let second = try await poll(first.cursor)
      #expect(second.text == "two")
      #expect(try await poll(second.cursor).text == nil)
      let bad = try await client.send("\(path)&cursor=x")
      #expect(bad.status == 400 && bad.reason.contains("cursor"))
    }
  }

  @Test func `a stream without a device or with a foreign cursor is refused`() async throws {
    try await ServerFixture().routes { client in
      let nobody = try await client.own("stream", device: nil)
      #expect(nobody.status == 400)
      #expect(nobody.reason.contains("clientId"))
      let place = "container=\(ServerFixture.container)&environment=development"
      let query = client.fixture.credentials("alice", device: "phone")
      let foreign = try await client.send("/_brume/stream?\(place)&\(query)&cursor=abc")
      #expect(foreign.status == 400)
      #expect(foreign.reason.contains("abc"))
    }
  }

  @Test func `the courier answers null when nothing came, and one push when it did`() async throws {
    try await ServerFixture().routes { client in
      let made = try await client.call(
        "tokens/create", ["apnsEnvironment": "development", "clientId": "browser"])
      let token = try #require(made["apnsToken"]?.string)
      #expect(token.count == 64)
      let url = try #require(made["webcourierURL"]?.string)
      #expect(url.hasPrefix("http://") && url.contains("/_brume/courier?tok=\(token)"))
      let path = "/_brume/courier?tok=\(token)"
      #expect(try await client.send(path).text == "null")

      let sent = try await client.admin("push", ["user": "alice", "text": "hello"])
      #expect(sent["devices"] == 1, "\(sent.text)")
      let push = try await client.send(path)
      #expect(push["aps"]?["alert"]?["body"] == "hello", "\(push.text)")
      #expect(push["ck"]?["met"]?["dbs"] == 1)
      #expect(try await client.send(path).text == "null")
    }
  }

  /// The part of a courier's address that the server itself answers at.
  private func target(_ answer: Answer) throws -> String {
    let url = try #require(answer["webcourierURL"]?.string, "\(answer.text)")
    return String(try #require(url.firstRange(of: "/_brume").map { url[$0.lowerBound...] }))
  }

  @Test func `a registered token is answered as a made one, and both addresses bring pushes`()
    async throws
  {
    try await ServerFixture().routes { client in
      let made = try await client.call(
        "tokens/create", ["apnsEnvironment": "development", "clientId": "browser"])
      let again = try await client.call(
        "tokens/register",
        ["apnsEnvironment": "development", "apnsToken": try #require(made["apnsToken"])])
      #expect(again.text == made.text)

      let native = try await client.call(
        "tokens/register",
        ["apnsEnvironment": "production", "apnsToken": "ABCD", "clientId": "phone"])
      #expect(native["apnsToken"] == "abcd")
      _ = try await client.admin("push", ["user": "alice", "text": "hello"])
      for answer in [again, native] {
        let push = try await client.send(try target(answer))
        #expect(push["aps"]?["alert"]?["body"] == "hello", "\(push.text)")
      }
    }
  }

  @Test func `a poll that waits brings a push to a device with a push token as it comes`()
    async throws
  {
    // A poll that nobody wakes waits for a clock that stands still.
    let fixture = try await ServerFixture {
      $0.isClockManual = true
      $0.timeouts.poll = 300
    }
    try await fixture.live { port in
      try await Self.save(fixture, port, "zero")
      try await Self.subscribe(fixture, port)
      let registered = try await Self.post(
        fixture, port, "tokens/register",
        ["apnsEnvironment": "production", "apnsToken": "ABCD", "clientId": "phone"])
      let body = registered.components(separatedBy: "\r\n\r\n").last ?? ""
      let address = try target(Answer(status: 200, headers: [:], bytes: Array(body.utf8)))
      let socket = try RawSocket(port: port)
      defer { socket.close() }
      await socket.send(Self.get(address, "Connection: close\r\n"))
      let isWaiting = await Self.comesTrue {
        fixture.server.clock.shown(most: 99).timers.contains { $0.name == "a poll of the courier" }
      }
      #expect(isWaiting)
      try await Self.save(fixture, port, "one")
      let answer = await socket.readToEnd()
      #expect(answer?.contains("\"rid\":\"one\"") == true, "\(answer ?? "nothing")")
    }
  }

  @Test func `a device's courier address ends when its push token is replaced`() async throws {
    try await ServerFixture().routes { client in
      var addresses: [String] = []
      for token in ["abcd", "ef01"] {
        let answer = try await client.call(
          "tokens/register",
          [
            "apnsEnvironment": "production", "apnsToken": .string(token), "clientId": "phone",
          ])
        addresses.append(try target(answer))
      }
      #expect(try await client.send(addresses[0]).status == 401)
      #expect(try await client.send(addresses[1]).status == 200)
    }
  }

  @Test(
    arguments: [
      (["apnsEnvironment": "production"], "'apnsEnvironment' is production"),
      (["apnsEnvironment": "sandbox"], "'apnsEnvironment' must be development or production, not"),
      ([:], "'apnsEnvironment' is missing"),
    ] as [(JSON, String)])
  func `PSH-13 a courier token for the wrong environment is refused with the reason`(
    _ body: JSON, _ reason: String
  ) async throws {
    try await ServerFixture().routes { client in
      let answer = try await client.call("tokens/create", body)
      #expect(answer.status == 400)
      #expect(answer.reason.contains(reason), "\(answer.text)")
      #expect(answer["apnsToken"] == nil)
    }
  }

  @Test(arguments: ["/_brume/courier", "/_brume/courier?tok=ffff"])
  func `a courier poll needs its token`(path: String) async throws {
    try await ServerFixture().routes { client in
      let status = try await client.send(path).status
      #expect(status == 400 || status == 401)
    }
  }

  @Test func `any origin may poll the courier, whose address is a secret`() async throws {
    try await ServerFixture { $0.isDevelopment = false }.routes { client in
      let answer = try await client.send(
        "/_brume/courier?tok=ff", .get, nil, [.origin: "https://a.example"])
      #expect(answer.headers[.accessControlAllowOrigin] == "https://a.example")
    }
  }

  @Test func `kept notifications, read marks and the badge answer`() async throws {
    try await ServerFixture().routes { client in
      let page = try await client.own("notifications/changes")
      #expect(page["notifications"]?.array?.isEmpty == true, "\(page.text)")
      let read = try await client.own("notifications/read", ["notificationIDs": ["x"]])
      #expect(read["notificationIDs"]?.array?.isEmpty == true, "\(read.text)")
      let pair: JSON = ["notificationID": "x", "subscriptionID": "s"]
      #expect(
        try await client.own("notifications/read", ["notificationIDs": ["x", pair]]).status == 200)
      for broken: JSON in [3, ["subscriptionID": "s"]] {
        let answer = try await client.own("notifications/read", ["notificationIDs": [broken]])
        #expect(answer.status == 400, "\(answer.text)")
      }
      // Counted before any is read.
      let many = JSON.array(Array(repeating: 3, count: 401))
      let refused = try await client.own("notifications/read", ["notificationIDs": many])
      #expect(
        refused.reason.contains("401 notification IDs; the maximum is 400"), "\(refused.text)")
      #expect(try await client.own("notifications/badge", ["badge": 3]).status == 200)
      #expect(try await client.own("notifications/badge", ["badge": -1]).status == 400)
      #expect(try await client.own("devices", [:]).status == 200)
    }
  }
}
