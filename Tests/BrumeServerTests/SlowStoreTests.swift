// What goes on while somebody waits for the store: open streams, polls, the notifier, delivery to the outside, and
// all requests that need no store (decision 0025). Requests beside requests: EventLoopTests.

import BrumeDelivery
import BrumeModel
import BrumeServer
import BrumeStorage
import BrumeWire
import Foundation
import Testing

/// One after the other: they keep threads that all servers of the process share.
@Suite(.serialized) struct SlowStoreTests {
  @Test(arguments: [false, true])
  func `a request that waits for the store disturbs no stream, no poll, no notifier, no delivery`(
    isWrite: Bool
  ) async throws {
    try await WatchedServer.live { alice in
      let store = alice.server.store
      if isWrite { store.stopNextWrite(.blocks) } else { store.stopNextRead(.blocks) }
      let slow = try await alice.beginSlowRequest(isWrite)
      defer { slow.close() }
      #expect(await store.happens(.stopped))
      let poll = try await alice.poll()
      defer { poll.close() }
      try await alice.save("one")
      #expect(await alice.stream.read { $0.contains(Self.push("one")) } != nil)
      #expect(await poll.read { $0.contains(Self.push("one")) } != nil)
      #expect(await alice.hook.isCalled(about: "\"one\""))
      #expect(await Self.hasBeat(alice.stream))
      store.letGo()
      #expect(await slow.read { HeldServer.isWhole($0) }?.hasPrefix("HTTP/1.1 200 ") == true)
    }
  }

  @Test func `while the store answers nobody, streams beat and get what is loaded`()
    async throws
  {
    try await WatchedServer.live { alice in
      alice.server.store.stopEverything()
      let slow = try await alice.beginSlowRequest(true)
      defer { slow.close() }
      #expect(await alice.server.store.happens(.stopped))
      for _ in 1...2 { #expect(await Self.hasBeat(alice.stream)) }
      alice.server.fixture.server.streams.deliver([(alice.phone, Self.loaded)])
      #expect(await alice.stream.read { $0.contains("already loaded") } != nil)
      // Connections take event loops in turn: each loop is asked.
      for _ in 0..<(ProcessInfo.processInfo.activeProcessorCount + 1) {
        let live = try await alice.server.answer(StreamTests.get("/_brume/health/live"))
        #expect(live.hasPrefix("HTTP/1.1 200 "), "\(live)")
      }
      alice.server.store.letGo()
      #expect(await slow.read { HeldServer.isWhole($0) }?.hasPrefix("HTTP/1.1 200 ") == true)
    }
  }

  @Test func `a notifier that waits for the store holds up no request and no heartbeat`()
    async throws
  {
    try await WatchedServer.live { alice in
      alice.server.store.stopNextWrite(.blocks, of: .notifier)
      try await alice.save("one")
      #expect(await alice.server.store.happens(.stopped))
      try await alice.save("two")
      let other = try await alice.server.answer(alice.server.post("changes/database", as: "bob"))
      #expect(other.hasPrefix("HTTP/1.1 200 "), "\(other)")
      #expect(await Self.hasBeat(alice.stream))
      alice.server.store.letGo()
      #expect(
        await alice.stream.read { $0.contains(Self.push("one")) && $0.contains(Self.push("two")) }
          != nil)
    }
  }

  @Test func `a webhook that waits for the store holds up no other, no push and no request`()
    async throws
  {
    try await WatchedServer.live { alice in
      // The second webhook; each notes what it is about to send.
      try await alice.addWebhook()
      alice.server.store.stopNextWrite(.blocks, of: .delivery)
      try await alice.save("one")
      #expect(await alice.server.store.happens(.stopped))
      #expect(await alice.hook.isCalled(about: "\"one\""))
      #expect(await alice.stream.read { $0.contains(Self.push("one")) } != nil)
      let other = try await alice.server.answer(alice.server.post("changes/database", as: "bob"))
      #expect(other.hasPrefix("HTTP/1.1 200 "), "\(other)")
      alice.server.store.letGo()
      #expect(await alice.hook.isCalled(about: "\"one\""))
    }
  }

  private static func push(_ record: String) -> String { "\"rid\":\"\(record)\"" }

  private static func hasBeat(_ stream: RawSocket) async -> Bool {
    await stream.read { $0.contains(":\n\n") } != nil
  }

  /// What the notifier hands over once it is durable.
  private static let loaded = MailboxEntry(
    position: 1_000_000, notificationID: "n", subscriptionID: "notes", collapseID: nil,
    payload: Array("{\"text\":\"already loaded\"}".utf8), time: 0, requestID: "")
}

/// A server on a store that can be held, and everything by which alice learns of new notes: a stream, a poll and a
/// webhook.
private struct WatchedServer: Sendable {
  let server: HeldServer
  let hook: HookReceiver
  /// Of her phone, and connected.
  let stream: RawSocket

  static func live(_ body: @escaping @Sendable (WatchedServer) async throws -> Void) async throws {
    try await HookReceiver().run { hook in
      try await HeldServer.live({
        $0.outside.allowed = [hook.host]
        $0.timeouts.poll = 300
      }) { server in
        let stream = try server.connect()
        defer { stream.close() }
        await stream.send(
          StreamTests.get(StreamTests.streamTarget(server.fixture, "alice", "phone")))
        #expect(await stream.read { $0.contains(": connected") } != nil)
        let watched = WatchedServer(server: server, hook: hook, stream: stream)
        while !watched.hasCaughtUp { await Task.yield() }
        // The type must exist before it can be watched.
        try await watched.save("zero")
        try await StreamTests.subscribe(server.fixture, server.port)
        try await watched.addWebhook()
        try await body(watched)
      }
    }
  }

  var phone: DeviceKey {
    DeviceKey(
      in: ServerFixture.containerEnvironment, user: server.fixture.user("alice"),
      device: DeviceID("phone"))
  }

  /// Whether the stream gets pushes without a look into the mailbox.
  private var hasCaughtUp: Bool {
    let connected = server.fixture.server.streams.connectedDevices(of: [phone.user])
    return connected[phone.user]?.contains(phone) == true
  }

  /// A note, from her laptop.
  func save(_ name: String) async throws {
    try await StreamTests.save(server.fixture, server.port, name)
  }

  func addWebhook() async throws {
    let body = "{\"url\":\"http://\(hook.host)/in\"}"
    let answer = try await server.answer(
      "POST /_brume/admin/webhooks HTTP/1.1\r\nHost: localhost\r\n"
        + "Authorization: Bearer \(server.fixture.server.adminToken)\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
  }

  /// Bob's, on a connection of its own. Nobody waits for its answer yet.
  func beginSlowRequest(_ isWrite: Bool) async throws -> RawSocket {
    let socket = try server.connect()
    let zone = #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Z"}}}]}"#
    await socket.send(
      isWrite
        ? server.post("zones/modify", zone, as: "bob") : server.post("zones/list", as: "bob"))
    return socket
  }

  /// A poll of her browser's that waits for a push.
  func poll() async throws -> RawSocket {
    let made = try await StreamTests.post(
      server.fixture, server.port, "tokens/create",
      ["apnsEnvironment": "development", "clientId": "browser"])
    let token = try #require(made.firstMatch(of: /"apnsToken":"([0-9a-f]+)"/)?.1, "\(made)")
    let socket = try server.connect()
    await socket.send(StreamTests.get("/_brume/courier?tok=\(token)"))
    return socket
  }
}
