// How a stream ends whose device is gone, and how many of them a user has: what the client is answered, so that it neither
// waits in silence nor comes back again and again.

import BrumeDelivery
import BrumeModel
import BrumeStorage
import BrumeWire
import Testing

@testable import BrumeServer

@Suite(.timeLimit(.minutes(10))) struct StreamEndTests {
  private static let end = "event: end\ndata: "

  private static func open(
    _ port: Int, _ fixture: ServerFixture, _ user: String, _ device: String
  ) async throws -> RawSocket {
    let socket = try RawSocket(port: port)
    await socket.send(StreamTests.get(StreamTests.streamTarget(fixture, user, device)))
    return socket
  }

  private static func opened(
    _ port: Int, _ fixture: ServerFixture, _ user: String, _ device: String
  ) async throws -> RawSocket {
    let socket = try await open(port, fixture, user, device)
    #expect(await socket.read { $0.contains(": connected") } != nil)
    return socket
  }

  /// What a stream is sent until it ends, if that is in good order.
  private static func rest(of socket: RawSocket) async -> String? {
    await socket.read { $0.hasSuffix("0\r\n\r\n") }
  }

  private static func post(
    _ port: Int, _ fixture: ServerFixture, _ path: String, _ user: String, _ device: String,
    _ body: JSON = [:]
  ) async throws {
    let socket = try RawSocket(port: port)
    defer { socket.close() }
    let place = "container=\(ServerFixture.container)&environment=development"
    let target = "\(path)?\(place)&\(fixture.credentials(user, device: device))"
    let text = String(decoding: body.bytes(), as: UTF8.self)
    await socket.send(
      "POST \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
    let answer = await socket.readToEnd() ?? ""
    #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
  }

  private static func push(_ port: Int, _ fixture: ServerFixture, _ user: String) async throws {
    let socket = try RawSocket(port: port)
    defer { socket.close() }
    let text = "{\"user\":\"\(user)\",\"text\":\"hello\"}"
    await socket.send(
      "POST /_brume/admin/push HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        + "Authorization: Bearer \(fixture.server.adminToken)\r\n"
        + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
    let answer = await socket.readToEnd() ?? ""
    #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
  }

  /// Sends a push to a user and waits for it on streams: then each of them has taken its connection.
  private static func push(
    _ port: Int, _ fixture: ServerFixture, _ user: String, to streams: [RawSocket]
  ) async throws {
    try await push(port, fixture, user)
    for socket in streams {
      let read = await socket.read { $0.contains("hello") && $0.hasSuffix("\n\r\n") }
      #expect(read?.contains(end) == false)
    }
  }

  /// The ways in which a device goes while its user stays signed in.
  enum RemovalKind: String, CaseIterable, Sendable { case byItself, byTooMany, byItsAddress }

  /// Removes alice's phone.
  private static func remove(
    _ kind: RemovalKind, _ fixture: ServerFixture, _ port: Int
  ) async throws {
    switch kind {
    case .byItself: try await post(port, fixture, "/_brume/devices/remove", "alice", "phone")
    case .byTooMany: try await post(port, fixture, "/_brume/devices", "alice", "tablet")
    case .byItsAddress:
      let apns: JSON = ["apns": ["token": "abcd", "environment": "development"]]
      for (user, device) in [("alice", "phone"), ("bob", "pad")] {
        try await post(port, fixture, "/_brume/devices", user, device, apns)
      }
    }
  }

  @Test(arguments: RemovalKind.allCases)
  func `the stream of a device that is removed says so and ends`(kind: RemovalKind) async throws {
    let fixture = try await ServerFixture {
      $0.timeouts.heartbeat = 300
      $0.limits.devicesPerUser = 1
    }
    try await fixture.live { port in
      let phone = try await Self.opened(port, fixture, "alice", "phone")
      let bobs = try await Self.opened(port, fixture, "bob", "pad")
      defer {
        phone.close()
        bobs.close()
      }
      try await Self.remove(kind, fixture, port)
      let rest = try #require(await Self.rest(of: phone))
      #expect(rest.contains(Self.end) && rest.contains("NOT_FOUND"), "\(rest)")
      // Nobody else is concerned.
      try await Self.push(port, fixture, "bob", to: [bobs])
    }
  }

  @Test func `a removed device that opens its stream again is registered anew`() async throws {
    let fixture = try await ServerFixture { $0.timeouts.heartbeat = 300 }
    try await fixture.live { port in
      try await Self.opened(port, fixture, "alice", "phone").close()
      try await Self.post(port, fixture, "/_brume/devices/remove", "alice", "phone")
      let again = try await Self.opened(port, fixture, "alice", "phone")
      defer { again.close() }
      try await Self.push(port, fixture, "alice", to: [again])
    }
  }

  @Test func `word of a removal that comes late ends nothing of a device that is registered`()
    async throws
  {
    let fixture = try await ServerFixture { $0.timeouts.heartbeat = 300 }
    try await fixture.live { port in
      let phone = try await Self.opened(port, fixture, "alice", "phone")
      defer { phone.close() }
      try await Self.push(port, fixture, "alice", to: [phone])
      let key = DeviceKey(
        in: ServerFixture.containerEnvironment, user: fixture.user("alice"),
        device: DeviceID("phone"))
      fixture.server.streams.removed([key])
      try await Self.push(port, fixture, "alice", to: [phone])
    }
  }

  @Test func `a user has so many streams and polls and no more, and who leaves makes room`()
    async throws
  {
    let fixture = try await ServerFixture {
      $0.timeouts.heartbeat = 300
      $0.limits.streamsPerUser = 2
    }
    try await fixture.live { port in
      let two = [
        try await Self.opened(port, fixture, "alice", "phone"),
        try await Self.opened(port, fixture, "alice", "tablet"),
      ]
      try await Self.push(port, fixture, "alice", to: two)
      let third = try await Self.open(port, fixture, "alice", "watch")
      let refusal = await third.read { $0.contains("THROTTLED") && $0.contains("}}") }
      #expect(refusal?.contains("HTTP/1.1 429") == true, "\(refusal ?? "")")
      #expect(refusal?.contains("Retry-After: 30\r\n") == true, "\(refusal ?? "")")
      // A refused stream registers nothing, and others have their own.
      let key = DeviceKey(
        in: ServerFixture.containerEnvironment, user: fixture.user("alice"),
        device: DeviceID("watch"))
      #expect(try await fixture.server.store.read { try $0.devices.find(key) } == nil)
      let bobs = try await Self.opened(port, fixture, "bob", "pad")
      fixture.server.streams.end(of: fixture.user("alice"))
      for socket in two { #expect(await Self.rest(of: socket) != nil) }
      let again = try await Self.opened(port, fixture, "alice", "watch")
      for socket in two + [third, bobs, again] { socket.close() }
    }
  }

  @Test func `a device that comes back takes the place of its own older stream`() async throws {
    let fixture = try await ServerFixture {
      $0.timeouts.heartbeat = 300
      $0.limits.streamsPerUser = 2
    }
    try await fixture.live { port in
      let phone = try await Self.opened(port, fixture, "alice", "phone")
      let tablet = try await Self.opened(port, fixture, "alice", "tablet")
      try await Self.push(port, fixture, "alice", to: [phone, tablet])
      let again = try await Self.opened(port, fixture, "alice", "phone")
      defer { for socket in [phone, tablet, again] { socket.close() } }
      let rest = try #require(await Self.rest(of: phone))
      #expect(rest.contains(Self.end) && rest.contains("\"retryAfter\":30"), "\(rest)")
      try await Self.push(port, fixture, "alice", to: [tablet, again])
    }
  }

  @Test func `a poll counts among a user's streams for as long as it waits`() async throws {
    let fixture = try await ServerFixture {
      $0.timeouts.poll = 0
      $0.limits.streamsPerUser = 1
    }
    try await fixture.routes { client in
      let made = try await client.call(
        "tokens/create", ["apnsEnvironment": "development", "clientId": "page"])
      let path = "/_brume/courier?tok=\(try #require(made["apnsToken"]?.string))"
      // Each of them ends before the next begins.
      for _ in 1...2 { #expect(try await client.send(path).status == 200) }
      let place = try client.fixture.server.streamPlaces.enter(
        client.fixture.user("alice"), at: "elsewhere"
      ).place
      let refused = try await client.send(path)
      #expect(refused.status == 429 && refused.code == "THROTTLED", "\(refused.text)")
      place.giveBack()
      #expect(try await client.send(path).status == 200)
    }
  }
}
