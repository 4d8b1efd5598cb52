// A store that reads or writes nothing for as long as a test says so, as on a full disk or without a database.

import BrumeCore
import BrumeServer
import BrumeStorage
import BrumeTestKit
import Synchronization
import Testing

final class FailingStore: WrappingStore {
  let inner: any Store
  private struct Failing {
    var reads = false
    var writes = false
    /// Writes of everything that still succeed; nil: all.
    var wholesLeft: Int?
  }
  private let failing = Mutex(Failing())
  private let tries = Mutex(0)

  init(_ inner: any Store) { self.inner = inner }

  /// Writes that failed.
  var failedWrites: Int { tries.withLock { $0 } }

  func fail(reads: Bool = false, writes: Bool = false) {
    failing.withLock { $0 = Failing(reads: reads, writes: writes) }
  }

  /// Of the writes that lock everything, the first `count` succeed.
  func failWholes(after count: Int) { failing.withLock { $0 = Failing(wholesLeft: count) } }

  func read<Value: Sendable>(
    _ plan: ReadPlan, _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    if failing.withLock({ $0.reads }) { throw StoreError(.unreachable, "away") }
    return try await inner.read(plan, body)
  }

  func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    if fails(scope) {
      tries.withLock { $0 += 1 }
      throw StoreError(.noRoom, "the disk is full")
    }
    return try await inner.write(in: scope, reading: plan, body)
  }

  private func fails(_ scope: WriteScope) -> Bool {
    let isWhole = [.everything(of: inner), .everythingBetweenSaves(of: inner)].contains(scope)
    return failing.withLock { failing in
      guard isWhole, let left = failing.wholesLeft else { return failing.writes }
      failing.wholesLeft = left - 1
      return left <= 0
    }
  }
}

extension ServerFixture {
  /// A server on a store that fails when the test says so.
  static func failing(
    host: BrumeCore.Host = .real, _ adjust: (inout Settings) -> Void = { _ in }
  ) async throws -> (ServerFixture, FailingStore) {
    let made = Mutex<FailingStore?>(nil)
    let fixture = try await ServerFixture(
      host: host, adjust,
      wrapping: { inner in
        let store = FailingStore(inner)
        made.withLock { $0 = store }
        return store
      })
    return (fixture, try #require(made.withLock { $0 }))
  }
}
