// Two stores on one database, as two processes have it open.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Dispatch
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

  @Test(arguments: [true, false])
  func `no notifier that moves a webhook on undoes what an operator did to it, removing it:`(
    isRemoved: Bool
  ) async throws {
    let url = try PostgresServer.shared.get().emptySchema()
    let one = try PostgresStore.forTest(buckets: 4, url: url)
    let other = try PostgresStore.forTest(buckets: 4, url: url)
    let hook = Webhook(
      id: "wh_1", in: .sample, url: "https://hook.example", secret: [1], created: 1,
      cursor: LogPositions())
    try await one.write(in: .server) { try $0.webhooks.put(hook) }
    let tries = Mutexed(0)
    try await one.write(in: .bucket(Bucket(1))) { transaction in
      guard var moved = try transaction.webhooks.all().first else { return }
      tries.change { $0 += 1 }
      if tries.value == 1 { Self.change(hook, isRemoved: isRemoved, in: other) }
      (moved.cursor[Bucket(1)], moved.missed) = (7, true)
      try transaction.webhooks.put(moved)
    }
    let left = try await one.read { try $0.webhooks.find(hook.id) }
    if isRemoved {
      #expect(left == nil)
    } else {
      #expect(left?.disabledBecause == "off" && left?.missed == true)
      #expect(left?.cursor[Bucket(1)] == 7)
    }
    try await one.close()
    try await other.close()
  }

  /// Returns when it is done, for a body that waits for it.
  private static func change(_ hook: Webhook, isRemoved: Bool, in store: PostgresStore) {
    let done = DispatchSemaphore(value: 0)
    Task {
      _ = try? await store.write(in: .server) { transaction in
        guard var hook = try transaction.webhooks.find(hook.id) else { return }
        if isRemoved { return _ = try transaction.webhooks.remove(hook.id) }
        hook.disabledBecause = "off"
        try transaction.webhooks.put(hook)
      }
      done.signal()
    }
    done.wait()
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
