// A store whose transactions are spans of the request that waits for them. What nobody waits for, such as
// the sweeping of files, belongs to no trace and is not measured.

import BrumeModel
import BrumeStorage
import BrumeTracing

struct TracedStore: WrappingStore {
  let inner: any Store
  let spans: Spans

  func read<Value: Sendable>(
    _ plan: ReadPlan, _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    try await spans.run("store read") { _ in try await inner.read(plan, body) }
  }

  func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    try await spans.run("store transaction") { _ in
      try await inner.write(in: scope, reading: plan, body)
    }
  }

  func writeRepeatable<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    try await spans.run("store transaction") { _ in
      try await inner.writeRepeatable(in: scope, reading: plan, body)
    }
  }
}
