// The contract on PostgreSQL.

import BrumePostgres
import BrumeStorage
import BrumeTestKit
import Testing

@Suite struct PostgresContractTests {
  @Test(arguments: StorageContract.all)
  func `PostgreSQL keeps its promise:`(promise: StorageContract.Case) async throws {
    let store = try PostgresStore.forTest()
    try await promise.run(store)
    try await store.close()
  }
}
