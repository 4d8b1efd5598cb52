// A store that counts what a request makes SQLite do: steps of its machine, which are the same on every machine. What
// the rules do beside it is not counted here.

import BrumeStorage
import Synchronization

@testable import BrumeSQLite

/// Steps of SQLite since they were asked for last.
final class StepCount: Sendable {
  private let steps = Mutex(0)

  func take() -> Int {
    steps.withLock { steps in
      defer { steps = 0 }
      return steps
    }
  }

  fileprivate func counted<Value>(
    _ transaction: any ReadTransaction, _ body: () throws -> Value
  ) throws -> Value {
    let connection = (transaction as? SQLiteTransaction)?.connection
    let before = connection?.stepsTaken ?? 0
    defer {
      let taken = (connection?.stepsTaken ?? 0) - before
      steps.withLock { $0 += taken }
    }
    return try body()
  }
}

/// A store of SQLite whose bodies count, whichever thread runs them.
final class WorkStore: WrappingStore {
  let inner: any Store
  private let count: StepCount

  init(_ inner: SQLiteStore, _ count: StepCount) {
    self.inner = inner
    self.count = count
  }

  func read<Value: Sendable>(
    _ plan: ReadPlan, _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    try await inner.read(plan) { [count] transaction in
      try count.counted(transaction) { try body(transaction) }
    }
  }

  func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    try await inner.write(in: scope, reading: plan) { [count] transaction in
      try count.counted(transaction) { try body(transaction) }
    }
  }
}
