// A store that runs every body twice, of reads and of writes, the first time for nothing, as an engine may that
// has to begin a transaction anew. What a body leaves behind outside of its transaction shows.

package import BrumeStorage

/// Another store, whose bodies it runs twice.
package struct TwiceStore: WrappingStore {
  private struct Undone: Error {}
  package let inner: any Store

  package init(_ inner: any Store) { self.inner = inner }

  package func read<Value: Sendable>(
    _ plan: ReadPlan, _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    _ = try await inner.read(plan, body)
    return try await inner.read(plan, body)
  }

  package func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    do {
      try await inner.write(in: scope, reading: plan) { transaction in
        _ = try body(transaction)
        throw Undone()
      }
    } catch is Undone {}
    return try await inner.write(in: scope, reading: plan, body)
  }
}
