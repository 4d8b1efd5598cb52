// What a change token says to an operator.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

struct TokenInspectionTests {
  @Test func `a zone's token says whose it is, where it stands and how far the zone is`()
    async throws
  {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"))
    let text = try await fixture.changes().token
    fixture.server.clock.advance(by: 60_000)
    try await fixture.save(.create("h2"))
    let contents = try await fixture.engine.tokenInspection.contents(of: text)
    #expect(contents.readerName == "alice")
    #expect(contents.token.scope == .private)
    guard case .zone(_, let name, _, _) = contents.token.subject else {
      Issue.record("it is about a zone")
      return
    }
    #expect(name == "Trails")
    #expect(try #require(contents.newest) > contents.token.sequence)
    #expect(contents.seenUntil == ManualClock.start)
    #expect(contents.refusal == nil)
  }

  @Test func `a token of a zone that was made again says why it is refused`() async throws {
    let fixture = try await EngineFixture()
    let text = try await fixture.changes().token
    try await fixture.deleteZone(EngineFixture.trails)
    let gone = try await fixture.engine.tokenInspection.contents(of: text)
    #expect(gone.refusal?.contains("does not exist") == true)
    try await fixture.makeZone(EngineFixture.trails)
    let again = try await fixture.engine.tokenInspection.contents(of: text)
    #expect(again.refusal?.contains("made again") == true)
    #expect(try await fixture.changesFailure(since: text).code == .changeTokenExpired)
  }

  @Test func `a database's token is compared with the database`() async throws {
    let fixture = try await EngineFixture()
    let text = try await fixture.databaseChanges().token
    let contents = try await fixture.engine.tokenInspection.contents(of: text)
    #expect(contents.token.subject == .database)
    #expect(contents.newest == contents.token.sequence)
  }

  @Test(arguments: ["", "nonsense", "AAAA"])
  func `a text that is no token is refused`(text: String) async throws {
    let fixture = try await EngineFixture()
    let error = try await ruleFailure {
      try await fixture.engine.tokenInspection.contents(of: text)
    }
    #expect(error.code == .badRequest)
  }
}
