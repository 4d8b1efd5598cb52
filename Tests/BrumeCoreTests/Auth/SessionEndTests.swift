// How long a sign-in lasts, however often its token is renewed.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeCore

struct SessionEndTests {
  private func api(_ fixture: EngineFixture) async throws -> String {
    try await fixture.engine.apiTokens.create(name: "test", in: TestContainer.development).token
  }

  private func caller(_ fixture: EngineFixture, _ api: String, _ web: String) async throws -> Caller
  {
    try await fixture.engine.authentication.authenticate(
      Credentials(in: TestContainer.development, apiToken: api, webAuthToken: web, requestID: "r1"))
  }

  /// In minutes.
  @Test(arguments: [(true, 90 * 1440, 1440), (false, 1440, 20)])
  func `a token that is renewed again and again ends with its session`(
    _ keep: Bool, _ session: Int, _ step: Int
  ) async throws {
    let fixture = try await EngineFixture()
    let api = try await api(fixture)
    var web = try await fixture.webToken(keep: keep)
    for _ in 1..<(session / step) {
      fixture.server.clock.advance(by: Milliseconds(step) * 60_000)
      web = try #require(fixture.engine.webAuthTokens.renewed(after: web))
      #expect(try await caller(fixture, api, web).kind == .user)
    }
    fixture.server.clock.advance(by: Milliseconds(step) * 60_000 - 1)
    #expect(try await caller(fixture, api, web).kind == .user)
    fixture.server.clock.advance(by: 1)
    for token in [web, fixture.engine.webAuthTokens.renewed(after: web) ?? ""] {
      let error = try await ruleFailure { try await caller(fixture, api, token) }
      #expect(error.code == .authenticationRequired && error.reason.contains("expired"))
    }
  }

  @Test(arguments: [Milliseconds(3000), 1_799_000])
  func `a token that is renewed by a server whose clock is behind lives no longer`(
    behind: Milliseconds
  ) async throws {
    let fixture = try await EngineFixture()
    let api = try await api(fixture)
    let web = try await fixture.webToken(keep: false)
    fixture.server.clock.advance(by: -behind)
    let next = try #require(fixture.engine.webAuthTokens.renewed(after: web))
    fixture.server.clock.advance(by: 29 * 60_000)
    #expect(try await caller(fixture, api, next).kind == .user)
    fixture.server.clock.advance(by: 60_000)
    let error = try await ruleFailure { try await caller(fixture, api, next) }
    #expect(error.code == .authenticationRequired)
  }

  @Test func `a token for a web page ends with the session that asked for it`() async throws {
    let fixture = try await EngineFixture()
    let api = try await api(fixture)
    let web = try await fixture.webToken(keep: false)
    fixture.server.clock.advance(by: 25 * 60_000)
    let page = try await fixture.engine.webAuthTokens.exchange(
      api, as: try await caller(fixture, api, web))
    #expect(
      try await caller(fixture, api, page).sessionEnds == caller(fixture, api, web).sessionEnds)
  }

  @Test func `who signed out since the request began gets no token for a web page`() async throws {
    let fixture = try await EngineFixture()
    let api = try await api(fixture)
    let begun = try await caller(fixture, api, try await fixture.webToken(keep: false))
    _ = try await fixture.engine.webAuthTokens.exchange(api, as: begun)
    try await fixture.engine.accounts.signOutEverywhere(try #require(fixture.phone.user))
    let error = try await ruleFailure {
      try await fixture.engine.webAuthTokens.exchange(api, as: begun)
    }
    #expect(error.code == .authenticationRequired, "\(error)")
  }

  @Test func `a restore and a sign-out make no token of the lost time good again`() async throws {
    let fixture = try await EngineFixture(limits: .quickPasswords)
    let (api, id) = (try await api(fixture), try #require(fixture.phone.user))
    let backup = try #require(try await fixture.server.store.read { try $0.users.find(id) })
    var changed = Accounts.Change()
    changed.password = "correct horse"
    try await fixture.engine.accounts.signOutEverywhere(id)
    let stolen = try await fixture.webToken(keep: true)
    #expect(try await caller(fixture, api, stolen).kind == .user)
    try await fixture.engine.accounts.signOutEverywhere(id)
    for change in [nil, changed] {
      try await fixture.server.store.write(in: .all) { try $0.users.put(backup) }
      fixture.server.clock.advance(by: 1000)
      if let change {
        _ = try await fixture.engine.accounts.change(id, change)
      } else {
        try await fixture.engine.accounts.signOutEverywhere(id)
      }
      let error = try await ruleFailure { try await caller(fixture, api, stolen) }
      #expect(error.code == .authenticationRequired)
    }
  }

  @Test func `a token from before sessions had an end asks to sign in`() async throws {
    let fixture = try await EngineFixture()
    var old = Packer()
    old.add(try #require(fixture.phone.user).name)
    old.add(TestContainer.id.name)
    old.add("development")
    old.add(Int64.max)
    old.add(Int64(0))
    let secret = try await fixture.server.store.read { try $0.settings.value(.secret) }
    let text = Seal(secret: try #require(secret)).text(old.bytes, for: .webAuthToken)
    let error = try await ruleFailure { try await caller(fixture, try await api(fixture), text) }
    #expect(error.code == .authenticationRequired)
    #expect(fixture.engine.webAuthTokens.renewed(after: text) == nil)
  }
}
