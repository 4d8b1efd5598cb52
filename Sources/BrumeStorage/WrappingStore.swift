// A store around another one, that changes one kind of call: what it does not do itself, the other one does.

/// A store that passes on to another what it does not do itself.
package protocol WrappingStore: Store {
  /// The other store.
  var inner: any Store { get }
}

// `writeRepeatable` is not passed on: unless a store says otherwise, it is its own `write`.

extension WrappingStore {
  package var bucketCount: Int { inner.bucketCount }
  package var leases: any Leases { inner.leases }
  package var sharedMailboxes: (any SharedMailboxes)? { inner.sharedMailboxes }
  package var sharedAccounts: (any SharedAccounts)? { inner.sharedAccounts }
  package var sharedAttempts: (any SharedAttempts)? { inner.sharedAttempts }
  package var indexProgress: IndexProgress { inner.indexProgress }
  package var damagedRows: DamagedRows? { inner.damagedRows }

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

  package func snapshot<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreExport) throws -> Value
  ) async throws -> Value {
    try await inner.snapshot(body)
  }

  package func commits() -> CommitHints { inner.commits() }
  package func close() async throws { try await inner.close() }
}
