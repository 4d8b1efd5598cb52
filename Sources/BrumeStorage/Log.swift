// The port's part for the log that drives notifications.

package import BrumeModel

package protocol LogReading {
  /// Entries after `position`, in order, at most `limit`.
  func log(after position: Int64, limit: Int) throws -> [LogEntry]
  /// The newest position; 0 for an empty log.
  func lastLogPosition() throws -> Int64
}

package protocol LogWriting {
  /// Appends and returns the entry's position.
  @discardableResult
  func append(_ event: LogEntry.Event, in database: DatabaseKey, origin: Origin) throws -> Int64
  /// Drops entries up to and including `position`. Positions are never used again.
  func trimLog(through position: Int64) throws
}
