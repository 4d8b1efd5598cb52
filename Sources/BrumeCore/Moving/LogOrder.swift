// Where the entries of a log come to be in another store. A store has one log in each bucket, and positions of
// different stores mean different things; so whatever holds a position is said anew: subscriptions, webhooks,
// the notifier's cursors.
//
// Entries keep their order in each bucket that they come from. Those that the notifier has served come first,
// the others by time, so that one log can be made of many. A position of the new store stands for as many
// entries as it can without one that was not passed: at the worst a webhook gets something twice.

import BrumeModel
import BrumeStorage

struct LogOrder {
  private struct Pair: Hashable {
    let from: Bucket
    let to: Bucket
  }
  private struct Moved {
    let old: Int64
    let new: Int64
  }
  /// By old position, which is also by new.
  private var pairs: [Pair: [Moved]] = [:]
  private var ofDatabases: [DatabaseKey: [Moved]] = [:]
  /// New positions of the last entries.
  private var lasts: [Bucket: Int64] = [:]
  private let bucketCount: Int

  /// - Parameters:
  ///   - log: all entries of the source, by bucket and position.
  ///   - served: up to where the notifier has served each bucket.
  ///   - bucketCount: of the target.
  init(_ log: [LogPlace], served: LogPositions, bucketCount: Int) {
    self.bucketCount = bucketCount
    for entry in Self.sorted(log, served) {
      let bucket = Bucket(of: entry.database, among: bucketCount)
      let moved = Moved(old: entry.position, new: lasts[bucket, default: 0] + 1)
      lasts[bucket] = moved.new
      pairs[Pair(from: entry.bucket, to: bucket), default: []].append(moved)
      ofDatabases[entry.database, default: []].append(moved)
    }
  }

  private static func sorted(_ log: [LogPlace], _ served: LogPositions) -> [LogPlace] {
    // A clock may have gone back; no entry comes before one of its bucket that was before it.
    var latest: [Bucket: Milliseconds] = [:]
    let keyed = log.map { entry in
      let time = max(entry.time, latest[entry.bucket] ?? .min)
      latest[entry.bucket] = time
      let isServed = entry.position <= served[entry.bucket]
      return (key: (isServed ? 0 : 1, time, entry.bucket.number, entry.position), entry: entry)
    }
    return keyed.sorted { $0.key < $1.key }.map(\.entry)
  }

  /// Where an entry comes to be.
  func place(of position: Int64, in database: DatabaseKey) -> LogPositions? {
    let found = Self.first(of: ofDatabases[database] ?? [], after: position - 1)
    guard let found, found.old == position else { return nil }
    return LogPositions(found.new, in: Bucket(of: database, among: bucketCount))
  }

  /// Positions of the source as the target says them.
  func positions(_ old: LogPositions) -> LogPositions {
    var new = LogPositions()
    for (bucket, last) in lasts { new[bucket] = last }
    for (pair, moved) in pairs {
      guard let next = Self.first(of: moved, after: old[pair.from]) else { continue }
      new[pair.to] = min(new[pair.to], next.new - 1)
    }
    return new
  }

  /// The same for who follows one database and no other.
  func positions(_ old: LogPositions, from bucket: Bucket, of database: DatabaseKey) -> LogPositions
  {
    let target = Bucket(of: database, among: bucketCount)
    let next = Self.first(of: ofDatabases[database] ?? [], after: old[bucket])
    return LogPositions(next.map { $0.new - 1 } ?? lasts[target] ?? 0, in: target)
  }

  /// The first of them after an old position.
  private static func first(of moved: [Moved], after position: Int64) -> Moved? {
    var (low, high) = (moved.startIndex, moved.endIndex)
    while low < high {
      let middle = (low + high) / 2
      if moved[middle].old <= position { low = middle + 1 } else { high = middle }
    }
    return low < moved.endIndex ? moved[low] : nil
  }
}
