// How long a sign-in lasts, however often its token is renewed.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeCore

struct SessionEndTests {
  private func token(_ lab: Lab, keep: Bool) async throws -> String {
    try await lab.engine.webAuthToken(
      for: try #require(lab.phone.user), container: TestContainer.id, environment: .development,
      keep: keep)
  }

  private func api(_ lab: Lab) async throws -> String {
    try await lab.engine.createAPIToken(
      name: "test", container: TestContainer.id, environment: .development
    ).token
  }

  private func caller(_ lab: Lab, _ api: String, _ web: String) async throws -> Caller {
    try await lab.engine.authenticate(
      Credentials(
        container: TestContainer.id, environment: .development, apiToken: api, webAuthToken: web,
        requestID: "r1"))
  }

  /// In minutes.
  @Test(arguments: [(true, 90 * 1440, 1440), (false, 1440, 20)])
  func `a token that is renewed again and again ends with its session`(
    _ keep: Bool, _ session: Int, _ step: Int
  ) async throws {
    let lab = try await Lab()
    let api = try await api(lab)
    var web = try await token(lab, keep: keep)
    for _ in 1..<(session / step) {
      lab.server.clock.advance(by: Milliseconds(step) * 60_000)
      web = try #require(lab.engine.renewedToken(after: web))
      #expect(try await caller(lab, api, web).kind == .user)
    }
    lab.server.clock.advance(by: Milliseconds(step) * 60_000)
    for token in [web, lab.engine.renewedToken(after: web) ?? ""] {
      let error = try await ruleFailure { try await caller(lab, api, token) }
      #expect(error.code == .authenticationRequired && error.reason.contains("expired"))
    }
  }

  @Test func `a token for a web page ends with the session that asked for it`() async throws {
    let lab = try await Lab()
    let api = try await api(lab)
    let web = try await token(lab, keep: false)
    lab.server.clock.advance(by: 25 * 60_000)
    let page = try await lab.engine.webAuthToken(
      exchanging: api, as: try await caller(lab, api, web))
    #expect(
      try await caller(lab, api, page).sessionEnds == caller(lab, api, web).sessionEnds)
  }

  @Test func `a token from before sessions had an end asks to sign in`() async throws {
    let lab = try await Lab()
    var old = Packer()
    old.add(try #require(lab.phone.user).name)
    old.add(TestContainer.id.name)
    old.add("development")
    old.add(Int64.max)
    old.add(Int64(0))
    let text = lab.engine.seal.text(old.bytes, for: .webAuthToken)
    let error = try await ruleFailure { try await caller(lab, try await api(lab), text) }
    #expect(error.code == .authenticationRequired)
    #expect(lab.engine.renewedToken(after: text) == nil)
  }
}
