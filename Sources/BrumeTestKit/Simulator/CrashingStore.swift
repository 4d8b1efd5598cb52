// A store whose caller crashes at a chosen call: before it, before its commit, or after its commit when
// nobody gets the answer. What was committed stays, as on a disk.

import BrumeModel
package import BrumeStorage
import Synchronization

/// Another store, whose caller crashes once at a time.
package final class CrashingStore: WrappingStore {
  /// When in a call its caller crashes.
  package enum Point: CaseIterable, Sendable { case beforeCall, beforeCommit, afterCommit }
  /// What the caller gets that crashes.
  package struct Crash: Error {}
  package let inner: any Store
  private let plan = Mutex<(calls: Int, point: Point)?>(nil)

  package init(_ inner: any Store) { self.inner = inner }

  /// Crashes at the `calls`-th call from now on, counting from 0.
  package func crash(afterCalls calls: Int, at point: Point) {
    plan.withLock { $0 = (calls, point) }
  }

  private func next() -> Point? {
    plan.withLock { plan in
      guard let (calls, point) = plan else { return nil }
      plan = calls == 0 ? nil : (calls - 1, point)
      return calls == 0 ? point : nil
    }
  }

  package func read<Value: Sendable>(
    _ plan: ReadPlan, _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    if next() != nil { throw Crash() }
    return try await inner.read(plan, body)
  }

  package func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    let point = next()
    if point == .beforeCall { throw Crash() }
    let value = try await inner.write(in: scope, reading: plan) { transaction in
      let value = try body(transaction)
      if point == .beforeCommit { throw Crash() }
      return value
    }
    if point == .afterCommit { throw Crash() }
    return value
  }
}
