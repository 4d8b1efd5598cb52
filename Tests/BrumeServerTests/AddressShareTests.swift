// Many users of one address together (LIM-03). The clock stands still until it is moved.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import NIOCore
import Testing

@testable import BrumeServer

@Suite struct AddressShareTests {
  private let clock = ManualClock()

  private func limits(_ adjust: (inout Settings.Rates) -> Void) -> RateLimits {
    var rates = Settings.Rates()
    adjust(&rates)
    return RateLimits(
      rates, limits: .apple, leases: AlwaysOwned(), host: .test(clock: clock, seed: 1))
  }

  private func caller(_ name: String, _ kind: Caller.Kind = .user) -> Caller {
    Caller(
      in: ServerFixture.containerEnvironment, user: UserID(name), device: nil, kind: kind,
      requestID: "r")
  }

  private func address(_ text: String) throws -> ClientAddress {
    ClientAddress(
      peer: try SocketAddress(ipAddress: text, port: 1), forwarded: nil, trustedProxies: [])
  }

  @Test func `many users of one address together meet its bound, another address is undisturbed`()
    throws
  {
    let limits = limits {
      $0.user = 1
      $0.address = 2
    }
    let (here, there) = (try address("203.0.113.7"), try address("203.0.113.8"))
    // Ten seconds' worth may come at once.
    for number in 0..<20 { try limits.check(caller("user\(number)"), at: here) }
    let error = #expect(throws: BrumeError.self) { try limits.check(caller("new"), at: here) }
    #expect(
      error?.code == .throttled && error?.reason.contains("all users at this address") == true)
    #expect(error?.retryAfter == 0.5)
    try limits.check(caller("new"), at: there)
    try limits.check(caller("user0"), at: there)
    clock.advance(by: 500)
    try limits.check(caller("user1"), at: here)
    #expect(throws: BrumeError.self) { try limits.check(caller("user2"), at: here) }
  }

  @Test func `a server key counts at its address as a user does`() throws {
    let limits = limits { $0.address = 1 }
    let here = try address("203.0.113.7")
    for _ in 0..<10 { try limits.check(caller("key", .serverKey), at: here) }
    #expect(throws: BrumeError.self) { try limits.check(caller("other"), at: here) }
  }

  @Test func `what is refused as one user's is not counted for the others at his address`() throws {
    let limits = limits {
      $0.user = 1
      $0.address = 2
    }
    let here = try address("203.0.113.7")
    for number in 0..<100 {
      let call = Result { try limits.check(caller("loud"), at: here) }
      #expect((try? call.get()) != nil || number >= 10)
    }
    for _ in 0..<10 { try limits.check(caller("quiet"), at: here) }
  }

  private static func status(
    of user: String, from address: String, _ fixture: ServerFixture, _ port: Int
  ) async throws -> String {
    let socket = try RawSocket(port: port)
    defer { socket.close() }
    let target = "\(fixture.path("zones/list"))?\(fixture.credentials(user))"
    await socket.send(
      "POST \(target) HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: \(address)\r\n"
        + "Content-Length: 2\r\n\r\n{}")
    let answer = await socket.read { HeldServer.isWhole($0) } ?? ""
    return String(answer.dropFirst("HTTP/1.1 ".count).prefix(3))
  }

  @Test func `behind a trusted proxy the address is the one that it names`() async throws {
    let fixture = try await ServerFixture(host: .test(clock: clock, seed: 1)) {
      $0.rates.address = 1
      $0.trustedProxies = ["127.0.0.1"]
    }
    let (here, there) = ("203.0.113.7", "203.0.113.8")
    try await fixture.live { port in
      for number in 0..<10 {
        let user = number % 2 == 0 ? "alice" : "bob"
        let status = try await Self.status(of: user, from: here, fixture, port)
        #expect(status == "200")
      }
      let next = try await Self.status(of: "bob", from: here, fixture, port)
      #expect(next == "429")
      let other = try await Self.status(of: "bob", from: there, fixture, port)
      #expect(other == "200")
    }
  }
}
