// This counts the exchanges of zones, sequences, the log and subscriptions.

import BrumeModel
import BrumeStorage

final class CountedZones<Inner: ZoneReading>: ZoneReading {
  private let inner: Inner
  private let count: ExchangeCount

  init(_ inner: Inner, _ count: ExchangeCount) {
    self.inner = inner
    self.count = count
  }

  func find(_ key: ZoneKey) throws -> Zone? {
    count.asks(.zone(key))
    return try inner.find(key)
  }

  func all(in database: DatabaseKey) throws -> [Zone] {
    count.asks()
    return try inner.all(in: database)
  }

  func changed(in database: DatabaseKey, after: Int64, limit: Int) throws -> [Zone] {
    count.asks(.zonesChanged(database, after: after, limit: limit))
    return try inner.changed(in: database, after: after, limit: limit)
  }

  func count(in database: DatabaseKey, limit: Int) throws -> Int {
    count.asks()
    return try inner.count(in: database, limit: limit)
  }

  func databases(of owner: UserID) throws -> [DatabaseKey] {
    count.asks()
    return try inner.databases(of: owner)
  }

  func databases(in containerEnvironment: ContainerEnvironment) throws -> [DatabaseKey] {
    count.asks()
    return try inner.databases(in: containerEnvironment)
  }

  func unfinishedDeletions(limit: Int) throws -> [ZoneKey] {
    count.asks()
    return try inner.unfinishedDeletions(limit: limit)
  }

  func databaseCounts() throws -> [ContainerEnvironment: Int] {
    count.asks()
    return try inner.databaseCounts()
  }
}

extension CountedZones: ZoneWriting where Inner: ZoneWriting {
  func put(_ zone: Zone) throws {
    count.writes(.zone(zone.key))
    return try inner.put(zone)
  }
}

final class CountedSequences<Inner: SequenceReading>: SequenceReading {
  private let inner: Inner
  private let count: ExchangeCount

  init(_ inner: Inner, _ count: ExchangeCount) {
    self.inner = inner
    self.count = count
  }

  func last(in database: DatabaseKey) throws -> Int64 {
    count.asks(.lastSequence(database))
    return try inner.last(in: database)
  }
}

extension CountedSequences: SequenceWriting where Inner: SequenceWriting {
  func next(in database: DatabaseKey) throws -> Int64 {
    count.writes()  // the number comes with the lock
    return try inner.next(in: database)
  }

  func raise(above floor: Int64) throws {
    count.writes()
    return try inner.raise(above: floor)
  }
}

final class CountedLog<Inner: LogReading>: LogReading {
  private let inner: Inner
  private let count: ExchangeCount
  private var looked: [Bucket: ReadPlan.Read] = [:]

  init(_ inner: Inner, _ count: ExchangeCount) {
    self.inner = inner
    self.count = count
  }

  func entries(in bucket: Bucket, after position: Int64, limit: Int) throws -> [LogEntry] {
    let read = ReadPlan.Read.log(bucket, after: position)
    count.asks(limit <= LogEntry.fewAtOnce ? read : nil)
    looked[bucket] = read
    return try inner.entries(in: bucket, after: position, limit: limit)
  }

  func bucket(of database: DatabaseKey) -> Bucket { inner.bucket(of: database) }

  func lastPositions() throws -> LogPositions {
    count.asks()
    return try inner.lastPositions()
  }

  /// It comes with the entries.
  func lastPosition(in bucket: Bucket) throws -> Int64 {
    count.asks(looked[bucket])
    return try inner.lastPosition(in: bucket)
  }

  func newest(_ filter: LogFilter, limit: Int) throws -> [LogEntry] {
    count.asks()
    return try inner.newest(filter, limit: limit)
  }
}

extension CountedLog: LogWriting where Inner: LogWriting {
  func append(_ event: LogEntry.Event, in database: DatabaseKey, origin: Origin) throws
    -> Int64
  {
    count.writes()  // the position comes with the lock
    return try inner.append(event, in: database, origin: origin)
  }

  func trim(in bucket: Bucket, through position: Int64) throws {
    count.writes()
    return try inner.trim(in: bucket, through: position)
  }

  func trim(
    in bucket: Bucket, through position: Int64, before time: Milliseconds, rows: Int
  ) throws {
    count.writes()
    return try inner.trim(in: bucket, through: position, before: time, rows: rows)
  }

  func dropImages(
    in bucket: Bucket, after start: Int64, through end: Int64, largerThan bytes: Int
  ) throws {
    count.writes()
    return try inner.dropImages(in: bucket, after: start, through: end, largerThan: bytes)
  }
}

final class CountedSubscriptions<Inner: SubscriptionReading>: SubscriptionReading {
  private let inner: Inner
  private let count: ExchangeCount

  init(_ inner: Inner, _ count: ExchangeCount) {
    self.inner = inner
    self.count = count
  }

  func find(_ id: String, in scope: SubscriptionScope) throws -> StoredSubscription? {
    count.asks(.subscription(scope, id: id))
    return try inner.find(id, in: scope)
  }

  func all(in scope: SubscriptionScope) throws -> [StoredSubscription] {
    count.asks(.subscriptions(scope))
    return try inner.all(in: scope)
  }

  func all(in scopes: [SubscriptionScope]) throws -> [StoredSubscription] {
    if scopes.isEmpty { return [] }
    count.asks()
    return try inner.all(in: scopes)
  }

  func page(
    watching bucket: Bucket, withShared: Bool, after cursor: Int64?, limit: Int
  ) throws -> (subscriptions: [StoredSubscription], next: Int64?) {
    count.asks()
    return try inner.page(watching: bucket, withShared: withShared, after: cursor, limit: limit)
  }

  func hasQueries(on recordType: String, in database: DatabaseKey) throws -> Bool {
    count.asks(.querySubscriptions(recordType: recordType, database))
    return try inner.hasQueries(on: recordType, in: database)
  }
}

extension CountedSubscriptions: SubscriptionWriting where Inner: SubscriptionWriting {
  func put(_ subscription: StoredSubscription) throws {
    count.writes(.subscription(subscription.scope, id: subscription.subscription.id))
    return try inner.put(subscription)
  }

  func remove(_ id: String, in scope: SubscriptionScope) throws -> Bool {
    count.asks()
    count.writes()
    return try inner.remove(id, in: scope)
  }
}
