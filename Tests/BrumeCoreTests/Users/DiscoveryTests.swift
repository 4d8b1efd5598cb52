// Finding users, and being found only by consent (docs/sign-in.md).

import BrumeCore
import BrumeModel
import BrumeTestKit
import Testing

struct DiscoveryTests {
  private func hide(_ name: String, _ fixture: EngineFixture) async throws {
    var change = Accounts.Change()
    change.isDiscoverable = false
    _ = try await fixture.engine.accounts.change(try await fixture.server.user(name).id, change)
  }

  @Test func `users are found by address, number and record name, in the order asked`() async throws
  {
    let fixture = try await EngineFixture()
    let bob = try await fixture.server.user("bob")
    var change = Accounts.Change()
    change.phoneNumber = "+4366012345"
    _ = try await fixture.engine.accounts.change(bob.id, change)
    let found = try await fixture.engine.discovery.users(
      [
        UserIdentity(phoneNumber: "+4366012345"), UserIdentity(emailAddress: "nobody@example.org"),
        UserIdentity(user: bob.id), UserIdentity(emailAddress: "alice@example.org"),
      ], as: fixture.phone)
    #expect(found.map(\.user) == [bob.id, bob.id, fixture.phone.user])
    #expect(found[0].phoneNumber == "+4366012345")
    #expect(found[0].emailAddress == nil, "no address is disclosed but the one that was known")
    #expect(found[0].givenName == "Bob")
  }

  @Test func `an address is found in any case, and answered as it was asked`() async throws {
    let fixture = try await EngineFixture()
    let bob = try await fixture.server.user("bob")
    let found = try await fixture.engine.discovery.users(
      [UserIdentity(emailAddress: "Bob@Example.ORG")], as: fixture.phone)
    #expect(found.map(\.user) == [bob.id])
    #expect(found.map(\.emailAddress) == ["Bob@Example.ORG"])
    var change = Accounts.Change()
    change.emailAddress = "BOB@example.org"
    let changed = try await fixture.engine.accounts.change(bob.id, change)
    #expect(changed.emailAddress == "BOB@example.org", "one may spell one's own address anew")
  }

  @Test func `who did not agree is not found by others`() async throws {
    let fixture = try await EngineFixture()
    try await hide("bob", fixture)
    let bob = try await fixture.server.user("bob").id
    let wanted = [UserIdentity(emailAddress: "bob@example.org"), UserIdentity(user: bob)]
    #expect(try await fixture.engine.discovery.users(wanted, as: fixture.phone).isEmpty)
    #expect(try await fixture.engine.discovery.users(wanted, as: fixture.bob).count == 2)
    let own = try await fixture.engine.discovery.currentUser(as: fixture.bob)
    #expect(
      own.isHidden && own.emailAddress == nil && own.givenName == nil && own.user == bob,
      "users/caller has no name without consent")
  }

  @Test func `at most 200 are looked up at once`() async throws {
    let fixture = try await EngineFixture()
    let one = UserIdentity(emailAddress: "bob@example.org")
    _ = try await fixture.engine.discovery.users(
      Array(repeating: one, count: 200), as: fixture.phone)
    let error = try await ruleFailure {
      try await fixture.engine.discovery.users(Array(repeating: one, count: 201), as: fixture.phone)
    }
    #expect(error.code == .limitExceeded)
  }

  @Test func `anonymous callers are asked to sign in`() async throws {
    let fixture = try await EngineFixture()
    let error = try await ruleFailure {
      try await fixture.engine.discovery.contacts(as: fixture.server.anonymous())
    }
    #expect(error.code == .authenticationRequired)
  }

  @Test func `LIM-13 without anybody to share with there are no contacts`() async throws {
    let fixture = try await EngineFixture()
    #expect(try await fixture.engine.discovery.contacts(as: fixture.phone).isEmpty)
  }

  // MARK: Changing accounts

  @Test func `a new password ends the old sessions`() async throws {
    let fixture = try await EngineFixture(limits: .quickPasswords)
    let carol = try await fixture.engine.accounts.create(name: "carol", password: "correct horse")
    var change = Accounts.Change()
    change.password = "battery staple"
    let changed = try await fixture.engine.accounts.change(carol.id, change)
    #expect(changed.tokenEpoch > carol.tokenEpoch)
    let check = try await fixture.engine.accounts.passwordCheck(name: "carol")
    #expect(throws: BrumeError.self) { try check.account(password: "correct horse") }
    #expect(try check.account(password: "battery staple").id == carol.id)
  }

  @Test(arguments: ["short", String(repeating: "x", count: 1025)])
  func `a password has 8 to 1024 bytes`(password: String) async throws {
    let fixture = try await EngineFixture(limits: .quickPasswords)
    for count in [8, 1024] {
      let password = String(repeating: "x", count: count)
      _ = try await fixture.engine.accounts.create(name: "dave\(count)", password: password)
    }
    let error = try await ruleFailure {
      try await fixture.engine.accounts.create(name: "carol", password: password)
    }
    #expect(error.code == .badRequest && error.reason.contains("8 to 1024 bytes"))
  }

  @Test func `an address belongs to one account`() async throws {
    let fixture = try await EngineFixture()
    var change = Accounts.Change()
    change.emailAddress = "alice@example.org"
    let bob = try await fixture.server.user("bob").id
    let wanted = change
    let error = try await ruleFailure { try await fixture.engine.accounts.change(bob, wanted) }
    #expect(error.code == .exists)
    change.emailAddress = ""
    #expect(try await fixture.engine.accounts.change(bob, change).emailAddress == nil)
  }
}
