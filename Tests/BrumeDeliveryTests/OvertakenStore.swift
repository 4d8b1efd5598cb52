// A store in which somebody else is faster once: before its first write, or after one of its reads, something
// else happens.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Synchronization

final class OvertakenStore: WrappingStore {
  let inner: any Store
  private let first: Mutex<(@Sendable () async throws -> Void)?>

  /// Reads until then; nil: it is a write that is waited for.
  private let reads: Mutex<Int?>

  /// - Parameter reads: which read it is, from 1; nil: the first write.
  init(
    _ inner: any Store, afterRead reads: Int? = nil,
    by first: @escaping @Sendable () async throws -> Void
  ) {
    self.inner = inner
    self.first = Mutex(first)
    self.reads = Mutex(reads)
  }

  func read<Value: Sendable>(
    _ plan: ReadPlan, _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    let value = try await inner.read(plan, body)
    let isOvertaken = reads.withLock { reads in
      guard let left = reads, left > 0 else { return false }
      reads = left - 1
      return left == 1
    }
    if isOvertaken { try await overtake() }
    return value
  }

  func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    if reads.withLock({ $0 == nil }) { try await overtake() }
    return try await inner.write(in: scope, reading: plan, body)
  }

  private func overtake() async throws {
    let overtaker = first.withLock { first in
      defer { first = nil }
      return first
    }
    try await overtaker?()
  }
}
