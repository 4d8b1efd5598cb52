// Large deletions on PostgreSQL.

import BrumePostgres
import BrumeStorage
import BrumeTestKit
import Testing

@Suite struct PostgresCascadeTests {
  @Test(arguments: CascadeTrial.all)
  func `a large deletion is one that looks and deletes at once, on PostgreSQL:`(
    trial: CascadeTrial
  ) async throws {
    let store = try PostgresStore.forTest(buckets: 16)
    try await trial.run(store)
    try await store.close()
  }
}
