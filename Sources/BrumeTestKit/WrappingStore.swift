// A store around another one, for tests that change one kind of call: what it does not do itself, the other one does.

package import BrumeStorage

/// A store that passes on to another what it does not do itself.
package protocol WrappingStore: Store {
  /// The other store.
  var inner: any Store { get }
}

extension WrappingStore {
  package var bucketCount: Int { inner.bucketCount }
  package var leases: any Leases { inner.leases }

  package func read<Value: Sendable>(
    _ plan: ReadPlan, _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    try await inner.read(plan, body)
  }

  @discardableResult
  package func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    try await inner.write(in: scope, reading: plan, body)
  }

  package func commits() -> CommitHints { inner.commits() }
  package func close() async throws { try await inner.close() }
}
