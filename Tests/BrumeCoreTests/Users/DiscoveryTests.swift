// Finding users, and being found only by consent (docs/sign-in.md).

import BrumeCore
import BrumeModel
import BrumeTestKit
import Testing

struct DiscoveryTests {
  private func hide(_ name: String, _ lab: Lab) async throws {
    var change = Engine.AccountChange()
    change.isDiscoverable = false
    _ = try await lab.engine.changeUser(try await lab.server.user(name).id, change)
  }

  @Test func `users are found by address, number and record name, in the order asked`() async throws
  {
    let lab = try await Lab()
    let bob = try await lab.server.user("bob")
    var change = Engine.AccountChange()
    change.phoneNumber = "+4366012345"
    _ = try await lab.engine.changeUser(bob.id, change)
    let found = try await lab.engine.discoverUsers(
      [
        UserIdentity(phoneNumber: "+4366012345"), UserIdentity(emailAddress: "nobody@example.org"),
        UserIdentity(user: bob.id), UserIdentity(emailAddress: "alice@example.org"),
      ], as: lab.phone)
    #expect(found.map(\.user) == [bob.id, bob.id, lab.phone.user])
    #expect(found[0].phoneNumber == "+4366012345")
    #expect(found[0].emailAddress == nil, "no address is told but the one that was known")
    #expect(found[0].givenName == "Bob")
  }

  @Test func `an address is found in any case, and answered as it was asked`() async throws {
    let lab = try await Lab()
    let bob = try await lab.server.user("bob")
    let found = try await lab.engine.discoverUsers(
      [UserIdentity(emailAddress: "Bob@Example.ORG")], as: lab.phone)
    #expect(found.map(\.user) == [bob.id])
    #expect(found.map(\.emailAddress) == ["Bob@Example.ORG"])
    var change = Engine.AccountChange()
    change.emailAddress = "BOB@example.org"
    let changed = try await lab.engine.changeUser(bob.id, change)
    #expect(changed.emailAddress == "BOB@example.org", "one may spell one's own address anew")
  }

  @Test func `who did not agree is not found by others`() async throws {
    let lab = try await Lab()
    try await hide("bob", lab)
    let bob = try await lab.server.user("bob").id
    let wanted = [UserIdentity(emailAddress: "bob@example.org"), UserIdentity(user: bob)]
    #expect(try await lab.engine.discoverUsers(wanted, as: lab.phone).isEmpty)
    #expect(try await lab.engine.discoverUsers(wanted, as: lab.bob).count == 2)
    let own = try await lab.engine.currentUser(as: lab.bob)
    #expect(
      own.isHidden && own.emailAddress == nil && own.givenName == nil && own.user == bob,
      "users/caller tells no name without consent")
  }

  @Test func `at most 200 are looked up at once`() async throws {
    let lab = try await Lab()
    let one = UserIdentity(emailAddress: "bob@example.org")
    _ = try await lab.engine.discoverUsers(Array(repeating: one, count: 200), as: lab.phone)
    let error = try await ruleFailure {
      try await lab.engine.discoverUsers(Array(repeating: one, count: 201), as: lab.phone)
    }
    #expect(error.code == .limitExceeded)
  }

  @Test func `anonymous callers are asked to sign in`() async throws {
    let lab = try await Lab()
    let error = try await ruleFailure {
      try await lab.engine.discoverContacts(as: lab.server.anonymous())
    }
    #expect(error.code == .authenticationRequired)
  }

  @Test func `LIM-13 without anybody to share with there are no contacts`() async throws {
    let lab = try await Lab()
    #expect(try await lab.engine.discoverContacts(as: lab.phone).isEmpty)
  }

  // MARK: Changing accounts

  @Test func `a new password ends the old sessions`() async throws {
    let lab = try await Lab()
    let carol = try await lab.engine.createUser(name: "carol", password: "correct horse")
    var change = Engine.AccountChange()
    change.password = "battery staple"
    let changed = try await lab.engine.changeUser(carol.id, change)
    #expect(changed.tokenEpoch == carol.tokenEpoch + 1)
    let check = try await lab.engine.passwordCheck(name: "carol")
    #expect(throws: BrumeError.self) { try check.account(password: "correct horse") }
    #expect(try check.account(password: "battery staple").id == carol.id)
  }

  @Test(arguments: ["short", String(repeating: "x", count: 1025)])
  func `a password has 8 to 1024 bytes`(password: String) async throws {
    let lab = try await Lab()
    let error = try await ruleFailure {
      try await lab.engine.createUser(name: "carol", password: password)
    }
    #expect(error.code == .badRequest)
  }

  @Test func `an address belongs to one account`() async throws {
    let lab = try await Lab()
    var change = Engine.AccountChange()
    change.emailAddress = "alice@example.org"
    let bob = try await lab.server.user("bob").id
    let wanted = change
    let error = try await ruleFailure { try await lab.engine.changeUser(bob, wanted) }
    #expect(error.code == .exists)
    change.emailAddress = ""
    #expect(try await lab.engine.changeUser(bob, change).emailAddress == nil)
  }
}
