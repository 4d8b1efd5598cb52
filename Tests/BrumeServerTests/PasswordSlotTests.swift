// Nobody keeps others from signing in by signing in himself.

import BrumeModel
import NIOCore
import Testing

@testable import BrumeServer

@Suite struct PasswordSlotTests {
  private typealias Holder = PasswordSlots.Holder

  private static func user(_ name: String, _ address: String) -> Holder {
    Holder(isOperator: false, name: name, address: address)
  }

  private static func person(_ name: String, _ address: String) -> Holder {
    Holder(isOperator: true, name: name, address: address)
  }

  @Test func `a name has one password checked at once, wherever it comes from`() {
    var slots = PasswordSlots(most: 8)
    #expect(slots.take(Self.user("mallory", "a")))
    #expect(!slots.take(Self.user("mallory", "b")))
    #expect(slots.take(Self.user("carol", "b")))
    slots.giveBack(Self.user("mallory", "a"))
    #expect(slots.take(Self.user("mallory", "b")))
  }

  @Test func `an address has two, and operators there two more`() {
    var slots = PasswordSlots(most: 8)
    let all = ["1", "2", "3"]
    #expect(all.map { slots.take(Self.user($0, "a")) } == [true, true, false])
    #expect(all.map { slots.take(Self.person($0, "a")) } == [true, true, false])
    slots.giveBack(Self.user("1", "a"))
    #expect(slots.take(Self.user("3", "a")))
  }

  @Test func `users leave places to operators, and operators to users`() {
    var slots = PasswordSlots(most: 8)
    let taken = (1...8).map { slots.take(Self.user("\($0)", "a\($0)")) }
    #expect(taken == [true, true, true, true, true, true, false, false])
    #expect(slots.take(Self.person("ada", "a1")))
    #expect(slots.take(Holder(isOperator: true)), "with a link")
    #expect(!slots.take(Holder(isOperator: true)))
    var others = PasswordSlots(most: 8)
    #expect((1...3).map { others.take(Self.person("\($0)", "a\($0)")) } == [true, true, false])
    #expect(others.take(Self.user("1", "a1")))
  }

  @Test func `a place is free again when its check has ended, well or not`() async throws {
    try await ServerFixture().routes { client in
      let passwords = client.fixture.server.passwords
      let here = ClientAddress(
        peer: try SocketAddress(ipAddress: "192.0.2.1", port: 1), forwarded: nil, trustedProxies: []
      )
      struct Wrong: Error {}
      let right: @Sendable () throws -> Void = {}
      let wrong: @Sendable () throws -> Void = { throw Wrong() }
      let refused = try await passwords.attempt("mallory", at: here) {
        let second = await #expect(throws: BrumeError.self) {
          try await passwords.attempt("mallory", at: here) { right }
        }
        return { second?.code == .throttled && second?.retryAfter == 1 }
      }
      #expect(refused)
      await #expect(throws: Wrong.self) {
        try await passwords.attempt("mallory", at: here) { wrong }
      }
      try await passwords.attempt("mallory", at: here) { right }
    }
  }
}
