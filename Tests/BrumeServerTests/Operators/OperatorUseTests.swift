// Operators look at a server whose store takes nothing any more.

import BrumeCore
import BrumeModel
import BrumeServer
import BrumeStorage
import BrumeWire
import HTTPTypes
import Testing

@Suite struct OperatorUseTests {
  @Test func `a full disk keeps no operator from looking, and is not tried with each request`()
    async throws
  {
    let clock = CaseClock()
    let (fixture, store) = try await ServerFixture.failing(host: clock.host)
    try await fixture.routes { client in
      try await client.addOperator("ada")
      let browser = try await client.browser(of: "ada")
      let token = try #require(
        try await client.admin("operators/tokens", ["name": "ci"])["token"]?.string)
      clock.advance(seconds: 120)
      store.fail(writes: true)
      #expect(try await client.admin("users", token: token).status == 200)
      #expect(try await browser.get("users").status == 200)
      #expect(store.failedWrites == 1)
      clock.advance(seconds: 10)
      #expect(try await client.admin("users", token: token).status == 200)
      #expect(store.failedWrites == 2)
      store.fail()
      clock.advance(seconds: 10)
      #expect(try await client.admin("users", token: token).status == 200)
      let listed = try await client.admin("operators/tokens")["tokens"]?.array?.first
      #expect(listed?["lastUsed"]?.int == clock.host.now())
    }
  }
}
