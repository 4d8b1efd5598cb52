// Going back through the log: the changes themselves, and what a zone held right after one of them. Nothing is
// changed by it, and nothing is kept for it but what a trace needs: a record that has not changed since is as it is
// now; of one that has, the log may have the content of then. What it does not have is said to be unknown.

import BrumeCore
package import BrumeModel
package import BrumeStorage

extension Tracing {
  /// Changes of a container environment, newest first.
  ///
  /// - Parameters:
  ///   - zone: only changes in zones of this name.
  ///   - before: only older ones of this change's bucket.
  /// - Throws: what the transaction throws.
  package func log(
    of containerEnvironment: ContainerEnvironment, zone: String?,
    before: (bucket: Bucket, position: Int64)?,
    limit: Int, now: Milliseconds, in transaction: any ReadTransaction
  ) throws -> [Trace.Change] {
    let filter = filter(containerEnvironment, now)
    let names = UserNames(transaction)
    func isMeant(_ entry: LogEntry) -> Bool {
      filter.admits(entry) && (zone.map { entry.event.zone?.name == $0 } ?? true)
    }
    let most = limits.historyRows
    let all: [LogEntry] =
      if let before {
        try transaction.log.walkBack(in: before.bucket, before: before.position, most: most)
      } else {
        try transaction.log.newest(filter, limit: zone == nil ? limit : most)
      }
    let found: [LogEntry] = all.lazy.filter(isMeant).prefix(limit).map(\.self)
    return try found.map { try change($0, names, transaction) }
  }

  /// What the zone of a change held right after it.
  ///
  /// - Throws: `notFound` for a change that is not remembered.
  package func zone(
    after place: (bucket: Bucket, position: Int64), of container: ContainerEnvironment,
    now: Milliseconds, in transaction: any ReadTransaction
  ) throws -> PastZone {
    guard let entry = try transaction.log.entry(at: place.position, in: place.bucket),
      filter(container, now).admits(entry), let zone = entry.event.zone
    else {
      throw BrumeError(
        .notFound,
        "change \(place.bucket)-\(place.position) is not remembered; \(Self.list)"
      )
    }
    var past = PastZone(after: try change(entry, UserNames(transaction), transaction))
    var walk = ZoneWalk(zone, place, limits, transaction)
    try walk.forwards()
    if let deletion = walk.deletion {
      past.deletedBy = "\(place.bucket)-\(deletion)"
      past.isComplete = false
      return past
    }
    past.items = try walk.changed() + walk.unchanged()
    past.isComplete = walk.isComplete
    return past
  }

  private func filter(_ containerEnvironment: ContainerEnvironment, _ now: Milliseconds)
    -> LogFilter
  {
    var filter = LogFilter(in: containerEnvironment)
    filter.since = limits.historyAge > 0 ? now - limits.historyAge : .max
    return filter
  }
}

extension LogReading {
  /// The entry of a bucket at a position; nil if it is not kept.
  func entry(at position: Int64, in bucket: Bucket) throws -> LogEntry? {
    let found = try entries(in: bucket, after: position - 1, limit: 1).first
    return found?.position == position ? found : nil
  }

  /// Entries of a bucket before a position, newest first, out of so many at most.
  func walkBack(
    in bucket: Bucket, before end: Int64, most: Int
  ) throws -> [LogEntry] {
    let start = max(0, end - 1 - Int64(most))
    var entries: [LogEntry] = []
    var position = start
    while position < end - 1 {
      let page = try self.entries(in: bucket, after: position, limit: 256)
        .prefix { $0.position < end }
      guard let last = page.last else { break }
      entries += page
      position = last.position
    }
    return entries.reversed()
  }
}
