// Attempts to sign in that several processes take. They are remembered in the store, or whoever guesses passwords would
// have as many free guesses as there are processes. What an attempt does to what is remembered, rules decide.

package import BrumeModel

/// What all processes with the same store remember of attempts to sign in.
package protocol SharedAttempts: Sendable {
  /// Changes what is remembered of some keys, alone with it: nobody else reads it meanwhile. Of a key that the change
  /// leaves out nothing is remembered. A loss of power may undo it.
  ///
  /// - Parameters:
  ///   - limit: keys that are remembered; when there are more, the longest quiet go.
  ///   - change: gets what is remembered, and the store's time, which is one for all processes. It may run several
  ///     times.
  ///
  /// - Throws: `StoreError` if the engine does not answer; nothing may have changed then.
  func change<Value: Sendable>(
    _ keys: [AttemptKey], limit: Int,
    _ change: @escaping @Sendable (inout [AttemptKey: FailedAttempts], Milliseconds) -> Value
  ) async throws -> Value
}

/// At whom attempts are made, or from where, as a digest of its name.
package struct AttemptKey: Hashable, Sendable {
  /// SHA-256.
  package let digest: [UInt8]
  package init(digest: [UInt8]) { self.digest = digest }
}

/// Attempts that failed.
package struct FailedAttempts: Equatable, Sendable {
  package var count: Int
  /// When the last of them began.
  package var last: Milliseconds
  /// No attempt before this.
  package var until: Milliseconds

  package init(count: Int = 0, last: Milliseconds, until: Milliseconds = 0) {
    (self.count, self.last, self.until) = (count, last, until)
  }
}
