// The port's part for the bounded log of what was sent.

package import BrumeModel

/// Every call throws what ``ReadTransaction`` says.
package protocol PushLogReading: AnyObject {
  /// The newest `limit` entries after `position` that the filter admits, oldest first.
  func entries(
    _ filter: PushLogFilter, after position: Int64, limit: Int
  ) throws -> [PushLogEntry]
}

/// Every call throws what ``WriteTransaction`` says; any scope will do.
package protocol PushLogWriting: PushLogReading {
  /// Adds entries (their `position`s are ignored), dropping the oldest beyond `limit`.
  func append(_ entries: [PushLogEntry], limit: Int) throws
}

extension PushLogWriting {
  /// Adds one entry (its `position` is ignored), dropping the oldest beyond `limit`.
  package func append(_ entry: PushLogEntry, limit: Int) throws {
    try append([entry], limit: limit)
  }
}
