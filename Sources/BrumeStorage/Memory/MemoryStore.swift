// The reference engine: small, obvious, and what most tests run on. It keeps the promises of
// `Store.swift` except durability, by copying one value. See docs/internals/storage.md.

package import BrumeModel
import Synchronization

/// A store in memory. After `close` each call throws `StoreError` with `closed`; a write that changes what
/// its scope does not name ends the process.
package final class MemoryStore: Store {
  private let coders: StoreCoders
  package let bucketCount: Int
  /// Nil once closed.
  private let state: Mutex<MemoryState?>
  /// Held for the whole of a write: one writer at a time, readers go on with the last state.
  private let writer = Mutex(())
  private let signals = CommitSignals()

  private let isAwaited: @Sendable () -> Bool
  private let runsTwice: Bool

  /// - Parameters:
  ///   - buckets: one, unless a test wants to see what an engine with several does.
  ///   - runsTwice: every body runs once for nothing before it counts, as it may on other engines; for
  ///     tests to see that it leaves nothing behind.
  ///   - isAwaited: whether others wait for a write; for tests to say, since writes in memory take no
  ///     time.
  package init(
    coders: StoreCoders, buckets: Int = 1, runsTwice: Bool = false,
    isAwaited: @escaping @Sendable () -> Bool = { false }
  ) {
    self.coders = coders
    bucketCount = buckets
    state = Mutex(MemoryState(buckets: buckets))
    self.runsTwice = runsTwice
    self.isAwaited = isAwaited
  }

  /// Another store with the contents that this one has now; each goes on by itself. For tests that begin many
  /// times at one place.
  ///
  /// - Throws: `StoreError` with `closed` after `close`.
  package func copy() throws -> MemoryStore {
    let other = MemoryStore(
      coders: coders, buckets: bucketCount, runsTwice: runsTwice, isAwaited: isAwaited)
    try other.keep(current())
    return other
  }

  package func read<Value: Sendable>(
    _ plan: ReadPlan, _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    let now = try current()
    if runsTwice { _ = try body(MemoryTransaction(MemoryDraft(now, coders))) }
    return try body(MemoryTransaction(MemoryDraft(now, coders)))
  }

  @discardableResult
  package func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    try commit(scope, body)
  }

  package func snapshot<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreExport) throws -> Value
  ) async throws -> Value {
    let (state, coders) = (try current(), coders)
    return try await EngineThread.run { try body(MemoryExport(state, coders)) }
  }

  package func commits() -> CommitHints { signals.hints() }

  package func close() async throws {
    state.withLock { $0 = nil }
    signals.finish()
  }

  private func commit<Value: Sendable>(
    _ scope: WriteScope, _ body: (any WriteTransaction) throws -> Value
  ) throws -> Value {
    let (value, grown) = try writer.withLock { _ in
      let before = try current()
      if runsTwice { _ = try run(body, on: MemoryDraft(before, coders, scope: scope)) }
      let draft = MemoryDraft(before, coders, scope: scope)
      let value = try run(body, on: draft)
      try keep(draft.state)
      return (value, draft.state.buckets(grownSince: before))
    }
    if !grown.isEmpty { signals.signal(grown) }
    return value
  }

  /// The last position given to an entry of a mailbox in each bucket.
  ///
  /// - Throws: `StoreError` with `closed` after `close`.
  package func lastMailboxPositions() throws -> [Bucket: Int64] {
    let last = try current().buckets.enumerated().map { (Bucket($0), $1.lastMailboxPosition) }
    return Dictionary(uniqueKeysWithValues: last.filter { $1 > 0 })
  }

  private func run<Value>(
    _ body: (any WriteTransaction) throws -> Value, on draft: MemoryDraft
  ) throws -> Value {
    try body(MemoryTransaction(draft, awaited: isAwaited))
  }

  private func current() throws -> MemoryState {
    guard let state = state.withLock({ $0 }) else { throw StoreError.closed }
    return state
  }

  private func keep(_ new: MemoryState) throws {
    try state.withLock { state in
      guard state != nil else { throw StoreError.closed }
      state = new
    }
  }
}

extension MemoryState {
  /// Those whose logs have more entries than they had.
  fileprivate func buckets(grownSince before: MemoryState) -> Set<Bucket> {
    Set(
      buckets.indices.filter {
        buckets[$0].lastLogPosition > before.buckets[$0].lastLogPosition
      }.map { Bucket($0) })
  }
}
