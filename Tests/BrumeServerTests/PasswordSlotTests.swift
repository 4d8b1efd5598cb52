// Nobody keeps others from signing in by signing in himself.

import BrumeModel
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
    let taken = [
      Self.user("mallory", "a"), Self.user("mallory", "b"), Self.user("carol", "b"),
    ].map { slots.take($0) }
    #expect(taken == [true, false, true])
    slots.giveBack(Self.user("mallory", "a"))
    let isFree = slots.take(Self.user("mallory", "b"))
    #expect(isFree)
  }

  @Test func `an address has two, and one more for an operator`() {
    var slots = PasswordSlots(most: 8)
    let all = ["1", "2", "3"]
    let users = all.map { slots.take(Self.user($0, "a")) }
    #expect(users == [true, true, false])
    let people = all.map { slots.take(Self.person($0, "a")) }
    #expect(people == [true, false, false])
    slots.giveBack(Self.user("1", "a"))
    let isFree = slots.take(Self.user("3", "a"))
    #expect(isFree)
  }

  @Test func `users leave places to operators, and operators to users`() {
    var slots = PasswordSlots(most: 8)
    let taken = (1...8).map { slots.take(Self.user("\($0)", "a\($0)")) }
    #expect(taken == [true, true, true, true, true, true, false, false])
    // Two of them with a link, which has no name.
    let ofOperators = [
      Self.person("ada", "a1"), Holder(isOperator: true), Holder(isOperator: true),
    ].map { slots.take($0) }
    #expect(ofOperators == [true, true, false])
    var others = PasswordSlots(most: 8)
    let people = (1...3).map { others.take(Self.person("\($0)", "a\($0)")) }
    #expect(people == [true, true, false])
    let isFree = others.take(Self.user("1", "a1"))
    #expect(isFree)
  }

  @Test func `a place is free again when its check has ended, well or not`() async throws {
    try await ServerFixture().routes { client in
      let passwords = client.fixture.server.passwords
      let here = ClientAddress(peer: nil, forwarded: nil, trustedProxies: [])
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

  private struct Away: Error {}

  private static func away() throws -> @Sendable () throws -> Void { throw Away() }

  @Test func `an attempt whose account could not be read counts as no wrong password`()
    async throws
  {
    try await ServerFixture { $0.limits.freeAttemptsPerName = 2 }.routes { client in
      let passwords = client.fixture.server.passwords
      let here = ClientAddress(peer: nil, forwarded: nil, trustedProxies: [])
      let right: @Sendable () throws -> Void = {}
      for _ in 0..<4 {
        await #expect(throws: Away.self) {
          try await passwords.attempt("mallory", at: here) { try Self.away() }
        }
      }
      try await passwords.attempt("mallory", at: here) { right }
    }
  }
}
