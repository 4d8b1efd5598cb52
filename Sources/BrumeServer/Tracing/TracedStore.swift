// A store whose transactions are spans of the request that waits for them. What nobody waits for, such as
// the sweeping of files, belongs to no trace and is not measured.

import BrumeModel
import BrumeStorage
import BrumeTracing

struct TracedStore: Store {
  let store: any Store
  let spans: Spans

  func read<Value: Sendable>(
    _ plan: ReadPlan, _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    try await spans.run("store read") { _ in try await store.read(plan, body) }
  }

  func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    try await spans.run("store transaction") { _ in
      try await store.write(in: scope, reading: plan, body)
    }
  }

  func writeRepeatable<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    try await spans.run("store transaction") { _ in
      try await store.writeRepeatable(in: scope, reading: plan, body)
    }
  }

  func snapshot<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreExport) throws -> Value
  ) async throws -> Value {
    try await store.snapshot(body)
  }

  func commits() -> CommitHints { store.commits() }
  func close() async throws { try await store.close() }

  var bucketCount: Int { store.bucketCount }
  var leases: any Leases { store.leases }
  var sharedMailboxes: (any SharedMailboxes)? { store.sharedMailboxes }
  var sharedAccounts: (any SharedAccounts)? { store.sharedAccounts }
  var sharedAttempts: (any SharedAttempts)? { store.sharedAttempts }
  var indexProgress: IndexProgress { store.indexProgress }
  var damagedRows: DamagedRows? { store.damagedRows }
}
