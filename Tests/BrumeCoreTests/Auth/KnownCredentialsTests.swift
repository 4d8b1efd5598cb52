// What is remembered of credentials, and for how long a process that learns nothing of others may answer with it.

import BrumeModel
import BrumeTestKit
import Testing

@testable import BrumeCore

@Suite struct KnownCredentialsTests {
  private let token = APIToken(
    token: "t", name: "web",
    in: ContainerEnvironment(ContainerID("iCloud.org.example.app"), .development))

  @Test func `what was remembered is asked for again while nothing is learnt of other processes`() {
    let silence = Mutexed<Milliseconds>(0)
    let known = KnownCredentials(limit: 10) { silence.value }
    known.remember(token, nil, at: nil, edition: known.look("t", nil).edition)
    silence.value = 1000
    #expect(known.look("t", nil).token == token)
    silence.value = 1001
    let stale = known.look("t", nil)
    #expect(stale.token == nil)
    known.remember(token, nil, at: nil, edition: stale.edition)
    silence.value = 0
    let found = known.look("t", nil)
    #expect(found.token == nil, "nobody said what became of it meanwhile")
    known.remember(token, nil, at: nil, edition: found.edition)
    #expect(known.look("t", nil).token == token)
  }
}
