// Signing out everywhere ends what the user has open, and only that.

import BrumeCore
import BrumeModel
import BrumeServer
import BrumeTestKit
import BrumeWire
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct SignOutTests {
  /// The ways to end a user's sessions.
  enum SignOutKind: String, CaseIterable, Sendable { case himself, byTheOperator, byNewPassword }

  private static func post(
    _ port: Int, _ target: String, _ body: JSON, _ header: String = ""
  ) async throws -> String {
    let socket = try RawSocket(port: port)
    defer { socket.close() }
    let text = String(decoding: body.bytes(), as: UTF8.self)
    await socket.send(
      "POST \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(header)"
        + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
    return await socket.readToEnd() ?? ""
  }

  /// Ends alice's sessions.
  private static func end(_ kind: SignOutKind, _ fixture: ServerFixture, _ port: Int) async throws {
    let place = "container=\(ServerFixture.container)&environment=development"
    let admin = "Authorization: Bearer \(fixture.server.adminToken)\r\n"
    let answer =
      switch kind {
      case .himself:
        try await post(
          port, "/_brume/signout?\(place)&\(fixture.credentials("alice"))", [:])
      case .byTheOperator:
        try await post(port, "/_brume/admin/users/signout", ["user": "alice"], admin)
      case .byNewPassword:
        try await post(
          port, "/_brume/admin/users/change", ["user": "alice", "password": "correct horse"], admin)
      }
    #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
  }

  @Test(arguments: SignOutKind.allCases)
  func `signing out ends the user's open streams`(kind: SignOutKind) async throws {
    let fixture = try await ServerFixture { $0.timeouts.heartbeat = 300 }
    try await fixture.live { port in
      let (phone, bobs) = (try RawSocket(port: port), try RawSocket(port: port))
      defer {
        phone.close()
        bobs.close()
      }
      for (socket, user) in [(phone, "alice"), (bobs, "bob")] {
        await socket.send(StreamTests.get(StreamTests.streamTarget(fixture, user, "phone")))
        #expect(await socket.read { $0.contains(": connected") } != nil)
      }
      try await Self.end(kind, fixture, port)
      // The last chunk of a chunked answer: an end, not a break.
      #expect(await phone.read { $0.hasSuffix("0\r\n\r\n") } != nil)
      // Coming back is refused: the token has ended too.
      let again = try RawSocket(port: port)
      defer { again.close() }
      await again.send(StreamTests.get(StreamTests.streamTarget(fixture, "alice", "phone")))
      #expect(await again.read { $0.contains("AUTHENTICATION_REQUIRED") } != nil)
      // Bob's stream goes on.
      let sent = try await Self.post(
        port, "/_brume/admin/push", ["user": "bob", "text": "hello"],
        "Authorization: Bearer \(fixture.server.adminToken)\r\n")
      #expect(sent.hasPrefix("HTTP/1.1 200"), "\(sent)")
      #expect(await bobs.read { $0.contains("hello") } != nil)
    }
  }

  @Test func `a removal of the user that fails on its way ends open streams all the same`()
    async throws
  {
    let (fixture, store) = try await ServerFixture.failing { $0.timeouts.heartbeat = 300 }
    try await fixture.live { port in
      let phone = try RawSocket(port: port)
      defer { phone.close() }
      await phone.send(StreamTests.get(StreamTests.streamTarget(fixture, "alice", "phone")))
      #expect(await phone.read { $0.contains(": connected") } != nil)
      // The end of the sessions succeeds, the end of the account does not.
      store.failWholes(after: 1)
      let answer = try await Self.post(
        port, "/_brume/admin/users/delete", ["user": "alice"],
        "Authorization: Bearer \(fixture.server.adminToken)\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 503"), "\(answer)")
      #expect(await phone.read { $0.hasSuffix("0\r\n\r\n") } != nil)
    }
  }

  @Test func `a stream ends with the session that it was opened in`() async throws {
    let clock = ManualClock(Milliseconds(Date().timeIntervalSince1970 * 1000))
    let fixture = try await ServerFixture(host: .test(clock: clock, seed: 1)) {
      $0.timeouts.heartbeat = 300
      $0.limits.sessionLifetime = 60_000
    }
    try await fixture.live { port in
      let user = try #require(try await fixture.server.engine.accounts.user(named: "alice"))
      let session = try await fixture.server.engine.webAuthTokens.issue(
        for: user.id, in: ContainerEnvironment(ContainerID(ServerFixture.container), .development),
        keep: false)
      let phone = try RawSocket(port: port)
      defer { phone.close() }
      await phone.send(
        StreamTests.get(
          "/_brume/stream?container=\(ServerFixture.container)&environment=development&clientId=pad"
            + "&ckAPIToken=\(fixture.ready.apiToken)&ckWebAuthToken=\(ServerFixture.escaped(session))"
        ))
      #expect(await phone.read { $0.contains(": connected") } != nil)
      clock.advance(by: 60_000)
      let sent = try await Self.post(
        port, "/_brume/admin/push", ["user": "alice", "text": "too late"],
        "Authorization: Bearer \(fixture.server.adminToken)\r\n")
      #expect(sent.hasPrefix("HTTP/1.1 200"), "\(sent)")
      let rest = await phone.read { $0.hasSuffix("0\r\n\r\n") }
      #expect(rest != nil && rest?.contains("too late") == false)
    }
  }

  @Test(arguments: SignOutKind.allCases)
  func `signing out ends the user's long polls and their tokens`(kind: SignOutKind) async throws {
    let fixture = try await ServerFixture { $0.timeouts.poll = 300 }
    try await fixture.live { port in
      let made = try await Self.post(
        port, "\(fixture.path("tokens/create"))?\(fixture.credentials("alice"))",
        ["apnsEnvironment": "development", "clientId": "page"])
      let body = try #require(made.components(separatedBy: "\r\n\r\n").last)
      let token = try #require(try JSON(parsing: Array(body.utf8))["apnsToken"]?.string)
      let poll = try RawSocket(port: port)
      defer { poll.close() }
      await poll.send(StreamTests.get("/_brume/courier?tok=\(token)"))
      // Whichever of the two the server sees first, the poll must not wait on.
      try await Self.end(kind, fixture, port)
      #expect(await poll.read { $0.contains("AUTHENTICATION_FAILED") } != nil)
      let next = try RawSocket(port: port)
      defer { next.close() }
      await next.send(StreamTests.get("/_brume/courier?tok=\(token)"))
      #expect(await next.read { $0.contains("AUTHENTICATION_FAILED") } != nil)
    }
  }

  @Test func `revoking an API token ends the streams of its container environment, and no others`()
    async throws
  {
    let fixture = try await ServerFixture { $0.timeouts.heartbeat = 300 }
    try await fixture.live { port in
      let admin = "Authorization: Bearer \(fixture.server.adminToken)\r\n"
      let (here, there) = (try RawSocket(port: port), try RawSocket(port: port))
      defer {
        here.close()
        there.close()
      }
      // The other environment has a token of its own.
      let made = try await Self.post(
        port, "/_brume/admin/tokens?environment=production", ["name": "other"], admin)
      let other = try #require(made.firstMatch(of: /"token":"([0-9a-f]{64})"/)).output.1
      let user = try await fixture.server.engine.accounts.user(named: "alice")
      let session = try await fixture.server.engine.webAuthTokens.issue(
        for: try #require(user).id,
        in: ContainerEnvironment(ContainerID(ServerFixture.container), .production), keep: false)
      await here.send(StreamTests.get(StreamTests.streamTarget(fixture, "alice", "phone")))
      await there.send(
        StreamTests.get(
          "/_brume/stream?container=\(ServerFixture.container)&environment=production&clientId=pad"
            + "&ckAPIToken=\(other)&ckWebAuthToken=\(ServerFixture.escaped(session))"))
      for socket in [here, there] {
        #expect(await socket.read { $0.contains(": connected") } != nil)
      }
      let answer = try await Self.post(
        port, "/_brume/admin/tokens/revoke", ["token": .string(fixture.ready.apiToken)], admin)
      #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
      #expect(await here.read { $0.hasSuffix("0\r\n\r\n") } != nil)
      let again = try RawSocket(port: port)
      defer { again.close() }
      await again.send(StreamTests.get(StreamTests.streamTarget(fixture, "alice", "phone")))
      #expect(await again.read { $0.contains("AUTHENTICATION_FAILED") } != nil)
      let sent = try await Self.post(
        port, "/_brume/admin/push?environment=production", ["user": "alice", "text": "still here"],
        admin)
      #expect(sent.hasPrefix("HTTP/1.1 200"), "\(sent)")
      #expect(await there.read { $0.contains("still here") } != nil)
    }
  }
}
