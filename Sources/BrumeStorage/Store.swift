// The port: what a storage engine must do. The promises are stated here; the contract suite in
// BrumeTestKit checks them on every engine.
//
// 1. A write is a transaction: all of its body or nothing, durable when `write` returns.
// 2. In one database key, sequences rise in commit order; whoever sees n has seen all below.
// 3. Log positions rise in commit order in a bucket.
// 4. A read sees one consistent state, and every write that returned before it began.
// 5. Texts come back byte for byte and are compared bytewise.
// 6. A body may run more than once; only its last run counts.
// 7. A row that is not what was written is never answered as if it were: a record is `unreadable`, other
//    things are an error of theirs or left out (decision 0042).
// 8. A snapshot is one state of everything, and stops no writer.
// 9. A storage failure means "unknown": the engine refuses further writes
//    (docs/internals/storage.md).

import BrumeModel

/// A storage engine.
package protocol Store: Sendable {
  /// Into how many buckets the store is divided, fixed when it was made.
  var bucketCount: Int { get }

  /// Which of them this process notifies for.
  var leases: any Leases { get }

  /// Runs `body` on one consistent state. The body calls nothing but the transaction and pure
  /// functions (decision 0005).
  ///
  /// - Parameter plan: what the body is going to read.
  /// - Throws: what `body` threw; `StoreError` if the engine fails, with `closed` after `close`.
  func read<Value: Sendable>(
    _ plan: ReadPlan, _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value

  /// Runs `body` as a transaction and returns when it is durable. Many waiting writes may share
  /// one commit; a body that throws undoes its own work only.
  ///
  /// The body may run several times; whatever it changes outside of its transaction is a value that it
  /// answers.
  ///
  /// - Parameters:
  ///   - scope: what the body changes. Engines order and lock by it.
  ///   - plan: what the body is going to read.
  /// - Throws: what `body` threw, with nothing written; `StoreError` if the engine fails. With `unavailable` nobody
  ///   knows whether the transaction happened, with any other code it did not.
  @discardableResult
  func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value

  /// Like `write`, for work that its caller does again if it is lost: what it was made from
  /// is durable, and it moves a cursor in the same transaction. It survives the end of the process. A
  /// loss of power may undo it, together with everything that was committed after it.
  ///
  /// - Throws: as `write`.
  @discardableResult
  func writeRepeatable<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value

  /// Runs `body` on a thread of its own with one consistent state of everything that the store holds, for as
  /// long as it takes: no write that begins later is in it, each that returned before is. Writers go on.
  ///
  /// - Throws: what `body` threw; `StoreError` with `unavailable` if the engine cannot be backed up.
  func snapshot<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreExport) throws -> Value
  ) async throws -> Value

  /// A hint after each commit that added to the log what a subscription or a webhook may need. Entries
  /// that concern nobody may wait for a hint until there are many. Hints may be merged; nobody may
  /// rely on one for each commit.
  func commits() -> CommitHints

  /// Where this process learns of entries of mailboxes, if other processes put some there too; nil if it is
  /// the only one.
  var sharedMailboxes: (any SharedMailboxes)? { get }

  /// Where this process learns what other processes do to accounts; nil if it is the only one.
  var sharedAccounts: (any SharedAccounts)? { get }

  /// Where attempts to sign in are remembered, if other processes take some too; nil if this is the only one.
  var sharedAttempts: (any SharedAttempts)? { get }

  /// How far indexes are that queries asked for.
  var indexProgress: IndexProgress { get }

  /// What was found to be damaged since the store was opened. Nil: it keeps nothing that could be.
  var damagedRows: DamagedRows? { get }

  /// Closes files and refuses what comes later.
  func close() async throws
}

extension Store {
  /// The same for a body whose reads nobody names before.
  ///
  /// - Throws: as the other.
  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    try await read(.none, body)
  }

  /// The same for a body whose reads nobody names before.
  ///
  /// - Throws: as the other.
  @discardableResult
  package func write<Value: Sendable>(
    in scope: WriteScope, _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    try await write(in: scope, reading: .none, body)
  }

  /// For stores that nobody backs up.
  ///
  /// - Throws: `StoreError` with `unavailable`, always.
  package func snapshot<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreExport) throws -> Value
  ) async throws -> Value {
    throw StoreError(.unavailable, "this storage engine cannot be backed up")
  }

  package var bucketCount: Int { 1 }
  package var leases: any Leases { AlwaysOwned() }
  package var sharedMailboxes: (any SharedMailboxes)? { nil }
  package var sharedAccounts: (any SharedAccounts)? { nil }
  package var sharedAttempts: (any SharedAttempts)? { nil }
  package var indexProgress: IndexProgress { IndexProgress() }
  package var damagedRows: DamagedRows? { nil }

  @discardableResult
  package func writeRepeatable<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    try await write(in: scope, reading: plan, body)
  }

  /// The same for a body whose reads nobody names before.
  ///
  /// - Throws: as the other.
  @discardableResult
  package func writeRepeatable<Value: Sendable>(
    in scope: WriteScope, _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    try await writeRepeatable(in: scope, reading: .none, body)
  }
}
