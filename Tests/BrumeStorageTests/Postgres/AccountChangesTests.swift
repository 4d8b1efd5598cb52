// What a process learns of API tokens that others remove.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(1))) struct AccountChangesTests {
  @Test func `a process learns where another one removed an API token, not what it removed`()
    async throws
  {
    let url = try PostgresServer.shared.get().emptySchema()
    let here = try PostgresStore.forTest(url: url)
    let there = try PostgresStore.forTest(url: url)
    let place = ContainerEnvironment(.sample, .production)
    for (store, token) in [(here, "t1"), (there, "t2")] {
      try await store.write(in: .server) {
        try $0.credentials.put(APIToken(token: token, name: token, in: place))
      }
    }
    let before = try await here.changedAccounts(after: 0)
    try await here.write(in: .server) { try $0.credentials.removeAPIToken("t1") }
    let own = try await here.changedAccounts(after: before.last)
    try await there.write(in: .server) { try $0.credentials.removeAPIToken("t2") }
    let others = try await here.changedAccounts(after: own.last)
    #expect(own.tokensRemovedIn == [])
    #expect(others.tokensRemovedIn == [place])
    #expect(others.users == [])
    try await here.close()
    try await there.close()
  }

  @Test func `a change is read back from its text as what it was`() {
    let changes: [AccountChange] = [
      .account(UserID("_a1")), .account(UserID("development")),
      .removedToken(ContainerEnvironment(ContainerID("iCloud.a b"), .development)),
      .removedToken(ContainerEnvironment(.sample, .production)),
    ]
    #expect(changes.map { AccountChange($0.text) } == changes)
    // As earlier versions wrote it.
    #expect(changes[3].text == "production \(ContainerID.sample.name)")
  }
}
