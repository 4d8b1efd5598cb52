// A name that leads to one address when it is checked and to another when it is called (DNS rebinding),
// and an other side that answers with a redirect: neither may lead the server home
// (docs/operating/web-push.md).

import BrumeDelivery
import BrumeModel
import BrumePush
import BrumeTestKit
import Crypto
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct RebindingTests {
  enum Outside: String, CaseIterable, Sendable { case webPush, webhook }

  /// Looked up once for each address, in turn; the last one stays.
  private final class Names: Sendable {
    private let addresses: Mutex<[String]>
    private let count = Mutex(0)
    init(_ addresses: String...) { self.addresses = Mutex(addresses) }
    var lookups: Int { count.withLock { $0 } }
    func next() -> [IPAddress] {
      count.withLock { $0 += 1 }
      let text = addresses.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
      return [IPAddress(text)].compactMap { $0 }
    }
  }

  @Test(
    arguments: Outside.allCases, ["127.0.0.1", "10.0.0.7", "169.254.169.254", "::1", "fd00::1"])
  func `a name that turns to an address of ours after its registration is not called, by`(
    outside: Outside, address: String
  ) async throws {
    let names = Names("8.8.8.8", address)
    let (verdict, calls) = try await registeredAndSent(outside, names)
    #expect(verdict != .done)
    #expect(calls == [])
    #expect(names.lookups == 2)
  }

  @Test(arguments: Outside.allCases)
  func `the call goes to the address that was checked for it, and is not looked up again, by`(
    outside: Outside
  ) async throws {
    // What a third lookup would find.
    let names = Names("8.8.8.8", "1.1.1.1", "127.0.0.1")
    let (verdict, calls) = try await registeredAndSent(outside, names)
    #expect(verdict == .done)
    #expect(calls.map(\.pinned?.address) == [IPAddress("1.1.1.1")])
    #expect(calls.map(\.pinned?.host) == ["push.example"])
    #expect(names.lookups == 2)
  }

  /// What is asked at the registration, and then a send.
  private func registeredAndSent(
    _ outside: Outside, _ names: Names
  ) async throws -> (ChannelAnswer.Verdict, [OutsideCall]) {
    let url = "https://push.example/secret"
    let check = OutsideGuard(allowed: []) { _ in names.next() }
    _ = try await check.target(url)
    let calls = Mutexed<[OutsideCall]>([])
    let exchange: OutsideExchange = { call in
      calls.value.append(call)
      return OutsideReply(status: 201)
    }
    switch outside {
    case .webhook:
      let webhook = Webhook(
        id: "w", in: containerEnvironment, url: url, secret: [1], created: 0,
        cursor: LogPositions())
      let channel = WebhookChannel(concurrency: 1, outside: check, exchange: exchange)
      let answer = try await channel.send([], id: "m", to: webhook, now: 1_000_000)
      return (answer.verdict, calls.value)
    case .webPush:
      let answer = try await webPush(check, exchange).send(push(url))
      return (answer.verdict, calls.value)
    }
  }

  private let containerEnvironment = ContainerEnvironment(
    ContainerID("iCloud.org.example.trailbook"), .development)

  private func webPush(
    _ check: OutsideGuard, _ exchange: @escaping OutsideExchange
  ) throws -> WebPushChannel {
    let key = Array(P256.Signing.PrivateKey().rawRepresentation)
    return WebPushChannel(
      vapid: try VAPID(key: key, contact: "mailto:a@example.org"), concurrency: 4,
      limits: Limits(), outside: check,
      randomBytes: { count in (0..<count).map { UInt8(truncatingIfNeeded: $0 + 1) } },
      exchange: exchange)
  }

  private func push(_ url: String) -> OutgoingPush {
    let key = DeviceKey(in: containerEnvironment, user: UserID("_alice"), device: DeviceID("phone"))
    let target = WebPushTarget(
      endpoint: url, key: Array(P256.KeyAgreement.PrivateKey().publicKey.x963Representation),
      secret: [UInt8](repeating: 3, count: 16))
    let notification = Notification(
      id: "NID", in: containerEnvironment, scope: .private,
      subscriptionID: "s", user: key.user, subject: .zone(ZoneID(name: "Notes")))
    return OutgoingPush(
      id: "0A0A0A0A-0000-8000-8000-000000000000",
      device: Device(key: key, channel: .webPush(target), registered: 0),
      notification: notification, payload: Array(#"{"aps":{},"ck":{}}"#.utf8), collapseID: nil,
      now: 1_000_000, expires: 1_060_000)
  }

  // MARK: On a socket

  @Test
  func `a call goes to the pinned address whatever its name says, and no redirect is followed`()
    async throws
  {
    let side = try RawSide { port in
      "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:\(port)/two\r\n"
        + "Connection: close\r\nContent-Length: 0\r\n\r\n"
    }
    let clients = OutsideClients(
      timeout: 10, trust: nil, sleep: { try await Task.sleep(for: $0) })
    // A name that no server knows (RFC 6761).
    let call = OutsideCall(
      url: "http://push.invalid:\(side.port)/one",
      pinned: .init(host: "push.invalid", address: .v4(0x7f00_0001)), body: Array("body".utf8))
    let reply = try await clients.send(call)
    await clients.close()
    #expect(reply.status == 307)
    let requests = side.requests.value
    #expect(requests.count == 1)
    #expect(requests.first?.hasPrefix("POST /one HTTP/1.1\r\n") == true)
    #expect(requests.first?.lowercased().contains("host: push.invalid:\(side.port)\r\n") == true)
  }

  @Test(arguments: ["", "Content-Length: 1000\r\n", "Transfer-Encoding: chunked\r\n"])
  func `N8 an answer whose text never ends counts by its status, and is hung up on`(
    length: String
  ) async throws {
    let side = try RawSide(staysOpen: true) { _ in "HTTP/1.1 503 No\r\n\(length)\r\n1\r\nx\r\n" }
    let clients = OutsideClients(timeout: 10, trust: nil, sleep: { _ in })
    let call = OutsideCall(
      url: "http://push.invalid:\(side.port)/one",
      pinned: .init(host: "push.invalid", address: .v4(0x7f00_0001)), body: Array("body".utf8))
    #expect(try await clients.send(call).status == 503)
    await clients.close()
  }

  @Test(arguments: [
    "HTTP/1.1 000 X\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 099 X\r\nContent-Length: 1\r\n\r\nx",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 000 X\r\nContent-Length: 0\r\n\r\n", "nonsense\r\n\r\n",
  ])
  func `N8 an answer that is none fails its call, and nothing else:`(answer: String) async throws {
    let side = try RawSide { _ in answer }
    let clients = OutsideClients(
      timeout: 10, trust: nil, sleep: { try await Task.sleep(for: $0) })
    let call = OutsideCall(
      url: "http://push.invalid:\(side.port)/one",
      pinned: .init(host: "push.invalid", address: .v4(0x7f00_0001)), body: Array("body".utf8))
    await #expect(throws: (any Error).self) { try await clients.send(call) }
    await clients.close()
  }

  @Test(
    arguments: [200, 500], ["Content-Length: 268435456\r\n", "Transfer-Encoding: chunked\r\n", ""])
  func `N8 of an answer of megabytes the beginning is read, and the rest is not taken:`(
    status: Int, length: String
  ) async throws {
    let flood = 256 << 20
    let side = try RawSide(flood: flood) { _ in
      "HTTP/1.1 \(status) X\r\n\(length)\r\n" + (length.hasPrefix("T") ? "10000000\r\n" : "")
    }
    // Nobody is impatient: it is the bound that ends it.
    let clients = OutsideClients(
      timeout: 30, trust: nil, sleep: { _ in try await Task.sleep(for: .seconds(3600)) })
    let call = OutsideCall(
      url: "http://push.invalid:\(side.port)/one",
      pinned: .init(host: "push.invalid", address: .v4(0x7f00_0001)), body: Array("body".utf8))
    let reply = try await clients.send(call)
    #expect(reply.status == status)
    #expect(reply.body.count == 8192)
    await clients.close()
    #expect(await side.flooded() < flood)
  }
}

#if canImport(Darwin)
  private let noSignal: Int32 = 0
#else
  private let noSignal = Int32(MSG_NOSIGNAL)
#endif

/// Answers every connection's request with the same bytes.
private final class RawSide: Sendable {
  struct NoSocket: Error {}
  let port: UInt16
  let requests = Mutexed<[String]>([])
  private let listener: Int32
  private let taken: AsyncStream<Int>

  /// What was taken of the flood when it ended.
  func flooded() async -> Int {
    for await count in taken { return count }
    return 0
  }

  /// - Parameters:
  ///   - staysOpen: until the client goes.
  ///   - flood: bytes that follow the answer.
  ///   - reply: what to answer, by the own port.
  init(staysOpen: Bool = false, flood: Int = 0, reply: (UInt16) -> String) throws {
    #if canImport(Darwin)
      let kind = SOCK_STREAM
    #else
      let kind = Int32(SOCK_STREAM.rawValue)
    #endif
    let listener = socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isOpen = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 8) == 0
          && getsockname(listener, $0, &size) == 0
      }
    }
    guard isOpen else { throw NoSocket() }
    (self.listener, port) = (listener, UInt16(bigEndian: address.sin_port))
    let (requests, reply) = (requests, Array(reply(port).utf8))
    let (taken, announced) = AsyncStream.makeStream(of: Int.self)
    self.taken = taken
    Thread.detachNewThread {
      while case let connection = accept(listener, nil, nil), connection >= 0 {
        announced.yield(Self.answer(connection, reply, staysOpen, flood, requests))
      }
      // Closed by whoever accepts: its number may be another test's socket as soon as it is.
      close(listener)
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  private static func answer(
    _ connection: Int32, _ reply: [UInt8], _ staysOpen: Bool, _ flood: Int,
    _ requests: Mutexed<[String]>
  ) -> Int {
    defer { close(connection) }
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !text.hasSuffix("body") {
      let count = recv(connection, &buffer, buffer.count, 0)
      if count <= 0 { return 0 }
      text += String(decoding: buffer[..<count], as: UTF8.self)
    }
    requests.value.append(text)
    _ = send(connection, reply, reply.count, 0)
    var flooded = 0
    let water = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)
    while flooded < flood {
      let count = send(connection, water, water.count, noSignal)
      if count <= 0 { break }
      flooded += count
    }
    while staysOpen, recv(connection, &buffer, buffer.count, 0) > 0 {}
    return flooded
  }
}
