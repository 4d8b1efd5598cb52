// Which accounts development mode made, and which it only finds.

import BrumeCore
import BrumeModel
import Testing

@testable import BrumeServer

@Suite struct DevelopmentTests {
  @Test(arguments: ["a first name", "a last name", "a password", "an operator"])
  func `what development mode did not make is known by:`(mark: String) async throws {
    let fixture = try await ServerFixture()
    let engine = fixture.server.engine
    #expect(try await !fixture.server.development.hasOthers())
    switch mark {
    case "a first name": _ = try await engine.accounts.create(name: "aaron")
    case "a last name": _ = try await engine.accounts.create(name: "zoe")
    case "a password":
      var change = Accounts.Change()
      change.password = "correct horse"
      _ = try await engine.accounts.change(fixture.ready.accounts[1].user, change)
    default:
      _ = try await engine.operators.add(name: "ada", password: "correct horse", role: .full)
    }
    #expect(try await fixture.server.development.hasOthers())
  }
}
