// One address's connections, and the end of a server that has many.

import BrumeModel
import BrumeServer
import BrumeStorage
import Testing

@Suite struct ConnectionShareTests {
  private static let live = "GET /_brume/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"

  private static func isServed(_ socket: RawSocket) async -> Bool {
    await socket.send(live)
    return await socket.read { HeldServer.isWhole($0) }?.hasPrefix("HTTP/1.1 200 ") == true
  }

  @Test func `an address has its share of connections, others are served beside it`() async throws {
    let fixture = try await ServerFixture { $0.addressConnections = 3 }
    try await fixture.live { port in
      let mine = try (0..<3).map { _ in try RawSocket(port: port) }
      for socket in mine { #expect(await Self.isServed(socket)) }
      let fourth = try RawSocket(port: port)
      #expect(await fourth.readToEnd() == "", "closed at once, though it sent nothing wrong")
      for socket in mine { #expect(await Self.isServed(socket), "and costs the others nothing") }
      #if os(Linux)
        #expect(await Self.isServed(try RawSocket(port: port, from: "127.0.0.2")))
      #endif
      for socket in mine { socket.close() }
      var isServed = false
      while !isServed { isServed = await Self.isServed(try RawSocket(port: port)) }
    }
  }

  @Test func `a trusted proxy has no share: it speaks for many`() async throws {
    let fixture = try await ServerFixture {
      $0.addressConnections = 1
      $0.trustedProxies = ["127.0.0.1"]
    }
    try await fixture.live { port in
      let sockets = try (0..<3).map { _ in try RawSocket(port: port) }
      for socket in sockets { #expect(await Self.isServed(socket)) }
    }
  }

  @Test func `an address's share is half of all unless somebody says otherwise`() async throws {
    for (flags, share) in [
      ([:], 5000), (["BRUME_CONNECTIONS": "100"], 50), (["BRUME_CONNECTIONS": "1"], 1),
      (["BRUME_ADDRESS_CONNECTIONS": "7"], 7),
    ] {
      let settings = try Settings(try await SettingSources(flags: flags, environment: [:]))
      #expect(settings.connectionsPerAddress == share)
    }
  }

  @Test(arguments: 0..<10)
  func `a failed store ends the server with that failure, whoever is connected or connects`(
    round: Int
  ) async throws {
    let failure = StoreError(.unavailable, "disk gone")
    let store = Sockets()
    await #expect(throws: failure) {
      try await HeldServer.live { server in
        let stream = try store.keep(server.connect())
        let path = "/_brume/stream?container=\(ServerFixture.container)&environment=development"
        let query = server.fixture.credentials("bob", device: "phone")
        await stream.send("GET \(path)&\(query) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        _ = await stream.read { $0.contains(": connected") }
        let idle = try store.keep(server.connect())
        #expect(await Self.isServed(idle))
        server.store.stopNextRead()
        let running = try store.keep(server.connect())
        await running.send(server.post("zones/list"))
        _ = await server.store.happens(.stopped)
        for number in 0..<200 {
          if number == 20 * round { server.fixture.server.health.storageFailed(failure) }
          guard let socket = try? server.connect() else { break }
          await store.keep(socket).send(Self.live)
        }
        server.store.letGo()
        #expect(await idle.readToEnd() != nil)
        #expect(await stream.readToEnd()?.hasSuffix("0\r\n\r\n") == true, "a stream's proper end")
      }
    }
  }
}

/// Connections that stay open for as long as this.
private final class Sockets: @unchecked Sendable {
  private var sockets: [RawSocket] = []
  func keep(_ socket: RawSocket) -> RawSocket {
    sockets.append(socket)
    return socket
  }
  deinit { for socket in sockets { socket.vanish() } }
}
