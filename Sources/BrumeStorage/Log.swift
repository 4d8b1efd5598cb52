// The port's part for the log that drives notifications.

package import BrumeModel

/// How engines with columns store which event an entry is. Never change a value.
package enum LogEventKind: Int64 {
  case record = 1
  case zoneCreated = 2
  case zoneDeleted = 3
  case membership = 4
  case subscription = 5
}

/// What is damaged is left out. Every call throws what ``ReadTransaction`` says; a damaged last position is
/// the `BrumeError` for damage.
package protocol LogReading: AnyObject {
  /// Entries of a bucket after `position`, in order, at most `limit`.
  func entries(in bucket: Bucket, after position: Int64, limit: Int) throws -> [LogEntry]
  /// The newest position in a bucket; 0 for an empty log.
  func lastPosition(in bucket: Bucket) throws -> Int64
  /// The newest positions of all buckets.
  func lastPositions() throws -> LogPositions
  /// Changes that a filter admits, newest first by their times, from the logs of all buckets.
  func newest(_ filter: LogFilter, limit: Int) throws -> [LogEntry]
  /// The bucket in whose log a database's changes are.
  func bucket(of database: DatabaseKey) -> Bucket
}

extension LogReading {
  /// The same, but after `bytes` of images a few entries more at most: a record may be large.
  package func entries(
    in bucket: Bucket, after position: Int64, limit: Int, imageBytes bytes: Int
  ) throws -> [LogEntry] {
    var entries: [LogEntry] = []
    var room = bytes
    while entries.count < limit, room > 0 {
      let most = min(LogEntry.fewAtOnce, limit - entries.count)
      let page = try self.entries(
        in: bucket, after: entries.last?.position ?? position, limit: most)
      entries += page
      room -= page.reduce(0) { $0 + $1.imageBytes }
      if page.count < most { break }
    }
    return entries
  }
}

extension LogEntry {
  /// Ours: entries whose images may be read before their sizes are known.
  package static let fewAtOnce = 16

  /// The stored size of its image; 0 without one.
  package var imageBytes: Int {
    guard case .record(let change) = event, case .encoded(let bytes, _)? = change.image?.content
    else { return 0 }
    return bytes.count
  }
}

/// Every call throws what ``WriteTransaction`` says; the write's scope has the database to append, the bucket
/// for the rest.
package protocol LogWriting: LogReading {
  /// Appends to the log of the database's bucket and returns the entry's position.
  @discardableResult
  func append(_ event: LogEntry.Event, in database: DatabaseKey, origin: Origin) throws -> Int64
  /// Drops a bucket's entries up to and including `position`. Positions are never used again.
  func trim(in bucket: Bucket, through position: Int64) throws
  /// Looks at the oldest `rows` of a bucket's entries up to `position`, and drops those up to the last one
  /// that is older than `time`.
  func trim(
    in bucket: Bucket, through position: Int64, before time: Milliseconds, rows: Int) throws
  /// Forgets the images of a bucket's entries after `start`, up to `end`, that have more than so many bytes.
  func dropImages(
    in bucket: Bucket, after start: Int64, through end: Int64, largerThan bytes: Int) throws
}
