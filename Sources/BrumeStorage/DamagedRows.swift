// What a store has found to be damaged while it was read: counted for the metrics, named once in the log. And what
// cannot go on at all because of it, for who asks whether the server is ready.

import Synchronization

/// Counts damaged rows and passes each on once. For calls from any thread.
package final class DamagedRows: Sendable {
  /// A row whose checksum does not fit, or a page that the database itself finds damaged.
  package struct Row: Hashable, Sendable {
    /// As the engine calls it.
    package let table: String
    /// As an operator reads it; nothing that is a secret.
    package let key: String
  }

  /// Ours: rows that are named. Who has more has the first of them.
  package static let namedRows = 1000

  private let state = Mutex((reads: Int64(0), rows: Set<Row>(), waiting: Set<String>()))
  private let report: @Sendable (Row) -> Void

  /// - Parameter report: gets each row once.
  package init(report: @escaping @Sendable (Row) -> Void = { _ in }) { self.report = report }

  /// A row was read and does not fit.
  package func note(_ table: String, _ key: String) {
    let row = Row(table: table, key: key)
    let isNew = state.withLock { state in
      state.reads += 1
      return state.rows.count < Self.namedRows && state.rows.insert(row).inserted
    }
    if isNew { report(row) }
  }

  /// How often one was read.
  package var reads: Int64 { state.withLock { $0.reads } }

  /// How many were found, as far as they are named.
  package var count: Int { state.withLock { $0.rows.count } }

  /// Work of the server that waits as a whole until what it reads is mended, each as it is called in a sentence.
  package var waiting: [String] { state.withLock { $0.waiting.sorted() } }

  /// Nothing of this work can be done.
  ///
  /// - Parameter work: without anybody's name or data; of few kinds.
  package func waits(_ work: String) { state.withLock { _ = $0.waiting.insert(work) } }

  /// Something of this work was done.
  package func goesOn(_ work: String) { state.withLock { _ = $0.waiting.remove(work) } }
}
