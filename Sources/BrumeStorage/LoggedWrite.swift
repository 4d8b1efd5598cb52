// Writes that leave a line in the push log. The log is for operators: where it is damaged, what it would say is lost, and
// the work itself goes on.

package import BrumeModel

/// Takes the lines of a write.
package struct PushLines {
  fileprivate let add: ([PushLogEntry]) throws -> Void

  /// Adds them to the log, if it takes any.
  ///
  /// - Throws: what the store throws.
  package func append(_ lines: [PushLogEntry]) throws { try add(lines) }

  /// Adds one to the log, if it takes any.
  ///
  /// - Throws: what the store throws.
  package func append(_ line: PushLogEntry) throws { try add([line]) }
}

extension Store {
  /// Runs `body` as `write` does, and once more without its lines if it met damage: a push that was sent does not
  /// stay in its mailbox for want of a line.
  ///
  /// - Parameter limit: rows that the log keeps.
  /// - Throws: as `write`.
  @discardableResult
  package func writeLogging<Value: Sendable>(
    in scope: WriteScope, limit: Int,
    _ body: @escaping @Sendable (any WriteTransaction, PushLines) throws -> Value
  ) async throws -> Value {
    do {
      return try await write(in: scope) { store in
        try body(store, PushLines { try store.pushLog.append($0, limit: limit) })
      }
    } catch let error as StoreError where error.code == .corrupt {
      let value = try await write(in: scope) { try body($0, PushLines { _ in }) }
      damagedRows?.note("push_log", "its end, so that lines are left out")
      return value
    }
  }
}
