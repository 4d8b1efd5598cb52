// This counts the exchanges of zones, sequences, the log and subscriptions.

import BrumeModel
import BrumeStorage

final class CountedZones<Inner: ZoneReading>: Counted<Inner>, ZoneReading {
  func find(_ key: ZoneKey) throws -> Zone? {
    exchanges.asks(.zone(key))
    return try inner.find(key)
  }

  func all(in database: DatabaseKey) throws -> [Zone] {
    exchanges.asks()
    return try inner.all(in: database)
  }

  func changed(in database: DatabaseKey, after: Int64, limit: Int) throws -> [Zone] {
    exchanges.asks(.zonesChanged(database, after: after, limit: limit))
    return try inner.changed(in: database, after: after, limit: limit)
  }

  func count(in database: DatabaseKey, limit: Int) throws -> Int {
    exchanges.asks()
    return try inner.count(in: database, limit: limit)
  }

  func databases(of owner: UserID) throws -> [DatabaseKey] {
    exchanges.asks()
    return try inner.databases(of: owner)
  }

  func databases(in containerEnvironment: ContainerEnvironment) throws -> [DatabaseKey] {
    exchanges.asks()
    return try inner.databases(in: containerEnvironment)
  }

  func unfinishedDeletions(limit: Int) throws -> [ZoneKey] {
    exchanges.asks()
    return try inner.unfinishedDeletions(limit: limit)
  }

  func databaseCounts() throws -> [ContainerEnvironment: Int] {
    exchanges.asks()
    return try inner.databaseCounts()
  }
}

extension CountedZones: ZoneWriting where Inner: ZoneWriting {
  func put(_ zone: Zone) throws {
    exchanges.writes(.zone(zone.key))
    return try inner.put(zone)
  }
}

final class CountedSequences<Inner: SequenceReading>: Counted<Inner>, SequenceReading {
  func last(in database: DatabaseKey) throws -> Int64 {
    exchanges.asks(.lastSequence(database))
    return try inner.last(in: database)
  }
}

extension CountedSequences: SequenceWriting where Inner: SequenceWriting {
  func next(in database: DatabaseKey) throws -> Int64 {
    exchanges.writes()  // the number comes with the lock
    return try inner.next(in: database)
  }

  func raise(above floor: Int64) throws {
    exchanges.writes()
    return try inner.raise(above: floor)
  }
}

final class CountedLog<Inner: LogReading>: Counted<Inner>, LogReading {
  private var looked: [Bucket: ReadPlan.Read] = [:]

  func entries(in bucket: Bucket, after position: Int64, limit: Int) throws -> [LogEntry] {
    let read = ReadPlan.Read.log(bucket, after: position)
    exchanges.asks(limit <= LogEntry.fewAtOnce ? read : nil)
    looked[bucket] = read
    return try inner.entries(in: bucket, after: position, limit: limit)
  }

  func bucket(of database: DatabaseKey) -> Bucket { inner.bucket(of: database) }

  func lastPositions() throws -> LogPositions {
    exchanges.asks()
    return try inner.lastPositions()
  }

  /// It comes with the entries.
  func lastPosition(in bucket: Bucket) throws -> Int64 {
    exchanges.asks(looked[bucket])
    return try inner.lastPosition(in: bucket)
  }

  func newest(_ filter: LogFilter, limit: Int) throws -> [LogEntry] {
    exchanges.asks()
    return try inner.newest(filter, limit: limit)
  }
}

extension CountedLog: LogWriting where Inner: LogWriting {
  func append(_ event: LogEntry.Event, in database: DatabaseKey, origin: Origin) throws
    -> Int64
  {
    exchanges.writes()  // the position comes with the lock
    return try inner.append(event, in: database, origin: origin)
  }

  func trim(in bucket: Bucket, through position: Int64) throws {
    exchanges.writes()
    return try inner.trim(in: bucket, through: position)
  }

  func trim(
    in bucket: Bucket, through position: Int64, before time: Milliseconds, rows: Int
  ) throws {
    exchanges.writes()
    return try inner.trim(in: bucket, through: position, before: time, rows: rows)
  }

  func dropImages(
    in bucket: Bucket, after start: Int64, through end: Int64, largerThan bytes: Int
  ) throws {
    exchanges.writes()
    return try inner.dropImages(in: bucket, after: start, through: end, largerThan: bytes)
  }
}

final class CountedSubscriptions<Inner: SubscriptionReading>: Counted<Inner>, SubscriptionReading {
  func find(_ id: String, in scope: SubscriptionScope) throws -> StoredSubscription? {
    exchanges.asks(.subscription(scope, id: id))
    return try inner.find(id, in: scope)
  }

  func all(in scope: SubscriptionScope) throws -> [StoredSubscription] {
    exchanges.asks(.subscriptions(scope))
    return try inner.all(in: scope)
  }

  func all(in scopes: [SubscriptionScope]) throws -> [StoredSubscription] {
    if scopes.isEmpty { return [] }
    exchanges.asks()
    return try inner.all(in: scopes)
  }

  func page(
    watching bucket: Bucket, withShared: Bool, after cursor: Int64?, limit: Int
  ) throws -> (subscriptions: [StoredSubscription], next: Int64?) {
    exchanges.asks()
    return try inner.page(watching: bucket, withShared: withShared, after: cursor, limit: limit)
  }

  func hasQueries(on recordType: String, in database: DatabaseKey) throws -> Bool {
    exchanges.asks(.querySubscriptions(recordType: recordType, database))
    return try inner.hasQueries(on: recordType, in: database)
  }
}

extension CountedSubscriptions: SubscriptionWriting where Inner: SubscriptionWriting {
  func put(_ subscription: StoredSubscription) throws {
    exchanges.writes(.subscription(subscription.scope, id: subscription.subscription.id))
    return try inner.put(subscription)
  }

  func remove(_ id: String, in scope: SubscriptionScope) throws -> Bool {
    exchanges.asks()
    exchanges.writes()
    return try inner.remove(id, in: scope)
  }
}
