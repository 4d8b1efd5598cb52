// Two stores on one database, as two processes have it open.

import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumePostgres

@Suite struct PostgresSharedTests {
  @Test(arguments: StorageContract.shared)
  func `two stores on one database keep the promise:`(promise: StorageContract.SharedCase)
    async throws
  {
    try await run(promise)
  }

  @Test func `without the locks of buckets, two stores lose their order`() async throws {
    await #expect(throws: StorageContract.Violation.self) {
      try await run(StorageContract.oneOrder, locksBuckets: false)
    }
  }

  private func run(
    _ promise: StorageContract.SharedCase, locksBuckets: Bool = true
  ) async throws {
    let url = try PostgresServer.shared.get().emptySchema()
    let one = try PostgresStore.forTest(buckets: 4, url: url, locksBuckets: locksBuckets)
    let other = try PostgresStore.forTest(buckets: 4, url: url, locksBuckets: locksBuckets)
    let result = await Result { try await promise.run(one, other) }
    try await one.close()
    try await other.close()
    try result.get()
  }
}

extension Result where Failure == any Error {
  /// What an asynchronous body answers or throws.
  init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
