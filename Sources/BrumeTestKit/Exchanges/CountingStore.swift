// A store that counts the exchanges of each call, for tests.

package import BrumeStorage
import Synchronization

/// Another store, whose calls it counts.
package final class CountingStore: WrappingStore {
  package let inner: any Store
  private let counted = Mutex<[Exchanges]>([])

  package init(_ inner: any Store) { self.inner = inner }

  /// The exchanges of each call since it was last asked, in the order in which they ended.
  package func take() -> [Exchanges] {
    counted.withLock { counted in
      defer { counted = [] }
      return counted
    }
  }

  package func read<Value: Sendable>(
    _ plan: ReadPlan, _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    let last = Mutex<ExchangeCount?>(nil)
    let value = try await inner.read(plan) { transaction in
      // A body that runs again begins to count anew.
      let count = ExchangeCount(plan, isWrite: false)
      last.withLock { $0 = count }
      return try body(counting(transaction, count))
    }
    if let count = last.withLock({ $0 }) { counted.withLock { $0.append(count.total) } }
    return value
  }

  package func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    let last = Mutex<ExchangeCount?>(nil)
    let value = try await inner.write(in: scope, reading: plan) { transaction in
      let count = ExchangeCount(plan, isWrite: true)
      last.withLock { $0 = count }
      return try body(counting(transaction, count))
    }
    if let count = last.withLock({ $0 }) { counted.withLock { $0.append(count.total) } }
    return value
  }
}

private func counting(
  _ transaction: some ReadTransaction, _ count: ExchangeCount
) -> any ReadTransaction { CountedTransaction(transaction, count) }

private func counting(
  _ transaction: some WriteTransaction, _ count: ExchangeCount
) -> any WriteTransaction { CountedTransaction(transaction, count) }
