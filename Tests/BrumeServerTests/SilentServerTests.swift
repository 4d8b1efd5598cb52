// A server that does not learn what others do is not ready: they know better.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@Suite struct SilentServerTests {
  @Test(arguments: [(0, 200), (9_999, 200), (10_000, 503)] as [(Milliseconds, Int)])
  func `a server without word of others for as long as a lease is not ready`(
    silence: Milliseconds, status: Int
  ) async throws {
    let fixture = try await ServerFixture(wrapping: { SilentStore(inner: $0, silence: silence) })
    try await fixture.routes { client in
      let answer = try await client.send("/_brume/health/ready")
      #expect(answer.status == status)
    }
  }
}

/// A store that has last looked so long ago what others did.
private struct SilentStore: WrappingStore, SharedAccounts {
  let inner: any Store
  let silence: Milliseconds
  let lastChange: Int64 = 0

  var sharedAccounts: (any SharedAccounts)? { self }
  func accountHints() -> CommitHints { CommitSignals().hints() }
  func changedAccounts(after last: Int64) async throws -> ChangedAccounts {
    ChangedAccounts(users: [], last: last)
  }
}
