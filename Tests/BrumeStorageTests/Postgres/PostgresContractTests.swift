// The contract on PostgreSQL: in one bucket, and in many; there reads are carried out on the thread that asks.

import BrumePostgres
import BrumeStorage
import BrumeTestKit
import Testing

@Suite struct PostgresContractTests {
  struct Run: Sendable, CustomTestStringConvertible {
    let promise: StorageContract.Case
    let buckets: Int
    var testDescription: String { "\(promise), with \(buckets) buckets" }
  }

  /// Random queries search one bucket in any case, so that few of them do for many.
  static let runs =
    StorageContract.all.map { Run(promise: $0, buckets: 1) }
    + (StorageContract.all.filter { !$0.isRandom }
    + StorageContract.all.filter(\.isRandom).prefix(1))
    .map { Run(promise: $0, buckets: 16) }

  @Test(arguments: runs)
  func `PostgreSQL keeps its promise:`(run: Run) async throws {
    let store = try PostgresStore.forTest(buckets: run.buckets, readsOnCaller: run.buckets > 1)
    #expect(store.bucketCount == run.buckets)
    try await run.promise.run(store)
    try await store.close()
  }
}
