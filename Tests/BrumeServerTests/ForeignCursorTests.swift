// Cursors that no event had: they acknowledge nothing and silence nothing.

import BrumeCore
import BrumeModel
import BrumeServer
import BrumeStorage
import BrumeWire
import Foundation
import HTTPTypes
import Testing

@Suite struct ForeignCursorTests {
  /// Alice's phone with one push, and one position above all that were given.
  private struct Phone {
    let client: RouteClient
    let key: DeviceKey
    let place: String

    init(_ client: RouteClient) async throws {
      self.client = client
      key = DeviceKey(
        in: ServerFixture.containerEnvironment,
        user: client.fixture.user("alice"), device: DeviceID("phone"))
      place =
        "container=\(ServerFixture.container)&environment=development&"
        + client.fixture.credentials("alice", device: "phone")
      _ = try await client.own("devices", [:])
      _ = try await client.admin("push", ["user": "alice", "text": "hello"])
    }

    func waiting() async throws -> [Int64] {
      let key = key
      return try await client.fixture.server.store.read {
        try $0.mailboxes.entries(of: key, after: 0, limit: 9).map(\.position)
      }
    }

    /// Another user's phone, whose mailbox is in another of so many buckets.
    func elsewhere(among count: Int) -> DeviceKey {
      var (other, number) = (key, 0)
      while Bucket(of: other.database, among: count) == Bucket(of: key.database, among: count) {
        other = DeviceKey(
          in: ServerFixture.containerEnvironment, user: UserID("_\(number)"),
          device: DeviceID("phone"))
        number += 1
      }
      return other
    }

    func cursor(_ position: Int64) -> String {
      "\(client.fixture.server.engine.generation)-\(position)"
    }
  }

  @Test(arguments: [1, 1000, Int64.max / 2])
  func `a cursor that no event had yet acknowledges nothing`(ahead: Int64) async throws {
    try await ServerFixture().routes { client in
      let phone = try await Phone(client)
      let last = try #require(try await phone.waiting().last)
      let early = phone.cursor(last + ahead)
      let target = "/_brume/stream/ack?\(phone.place)&cursor="
      #expect(try await client.send(target + early, .post).status == 200)
      #expect(try await phone.waiting() == [last])
      #expect(try await client.send(target + phone.cursor(last), .post).status == 200)
      #expect(try await phone.waiting() == [])
      // All is acknowledged: saying the last again is no cursor from elsewhere.
      #expect(try await client.send(target + phone.cursor(last), .post).status == 200)
    }
  }

  /// Positions count in each bucket for itself: what another user's mailbox has had is none of this one's.
  @Test func `a cursor that only a mailbox of another bucket had acknowledges nothing`()
    async throws
  {
    let fixture = try await ServerFixture(wrapping: { _ in
      MemoryStore(coders: .wireForm, buckets: 16)
    })
    try await fixture.routes { client in
      let phone = try await Phone(client)
      let last = try #require(try await phone.waiting().last)
      let other = phone.elsewhere(among: 16)
      for number in 0...last {
        let entry = MailboxEntry(
          position: 0, notificationID: "n\(number)", subscriptionID: "s", collapseID: nil,
          payload: [1], time: 0, requestID: "r")
        try await client.fixture.server.store.write(in: .account(other)) {
          _ = try $0.mailboxes.enqueue(entry, to: other)
        }
      }
      let target = "/_brume/stream/ack?\(phone.place)&cursor="
      #expect(try await client.send(target + phone.cursor(last + 1), .post).status == 200)
      #expect(try await phone.waiting() == [last])
    }
  }

  @Test func `a stream that begins at a cursor that no event had yet sends everything`()
    async throws
  {
    let fixture = try await ServerFixture()
    try await fixture.live { port in
      let phone = StreamTests.streamTarget(fixture, "alice", "phone")
      let socket = try RawSocket(port: port)
      await socket.send(StreamTests.get(phone))
      _ = await socket.read { $0.contains(": connected") }
      try await StreamTests.save(fixture, port, "zero")
      try await StreamTests.subscribe(fixture, port)
      try await StreamTests.save(fixture, port, "one")
      let received = await socket.read { $0.contains("\"rid\":\"one\"") && $0.hasSuffix("\n\r\n") }
      socket.close()
      let id = try #require(
        received?.components(separatedBy: "id: ").last?.prefix { $0.isNumber || $0 == "-" })
      let parts = id.split(separator: "-").compactMap { Int64($0) }
      try #require(parts.count == 2)

      let again = try RawSocket(port: port)
      defer { again.close() }
      await again.send(
        StreamTests.get(phone, "Last-Event-ID: \(parts[0])-\(parts[1] + 1000)\r\n"))
      #expect(await again.read { $0.contains("\"rid\":\"one\"") } != nil)
      try await StreamTests.save(fixture, port, "two")
      #expect(await again.read { $0.contains("\"rid\":\"two\"") } != nil)
    }
  }

  @Test func `a poll with a cursor that no answer had gets what waits`() async throws {
    try await ServerFixture().routes { client in
      let made = try await client.call(
        "tokens/create", ["apnsEnvironment": "development", "clientId": "browser"])
      let path = "/_brume/courier?tok=\(try #require(made["apnsToken"]?.string))"
      _ = try await client.admin("push", ["user": "alice", "text": "one"])
      let generation = client.fixture.server.engine.generation
      for cursor in ["\(generation)-\(Int64.max)", "\(generation)--1", "\(generation)-x"] {
        let answer = try await client.send("\(path)&cursor=\(cursor)")
        if cursor.hasSuffix("\(Int64.max)") {
          #expect(answer["aps"]?["alert"]?["body"] == "one", "\(answer.text)")
        } else {
          #expect(answer.status == 400 && answer.reason.contains(cursor), "\(answer.text)")
        }
      }
    }
  }
}
