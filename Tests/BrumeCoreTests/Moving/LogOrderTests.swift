// Positions in the log of one store, as another store says them.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeCore

@Suite struct LogOrderTests {
  private static let databases = ["_a", "_b", "_c", "_d", "_e"].map {
    DatabaseKey.sample(owner: $0)
  }

  /// A log with gaps, of a store with so many buckets, and how far each bucket is served.
  private struct Sample {
    var log: [LogPlace] = []
    var served = LogPositions()
    var random: SeededRandom
    let bucketCount: Int

    init(seed: UInt64, bucketCount: Int) {
      random = SeededRandom(seed: seed)
      self.bucketCount = bucketCount
      var lasts: [Bucket: Int64] = [:]
      for _ in 0..<random.next(below: 60) {
        let database = random.pick(LogOrderTests.databases)
        let bucket = Bucket(of: database, among: bucketCount)
        lasts[bucket, default: 40] += Int64(1 + random.next(below: 3))
        log.append(
          LogPlace(
            bucket: bucket, position: lasts[bucket] ?? 0, database: database,
            time: Int64(random.next(below: 20))))
      }
      log.sort { ($0.bucket, $0.position) < ($1.bucket, $1.position) }
      served = positions()
    }

    mutating func positions() -> LogPositions {
      var positions = LogPositions()
      for number in 0..<bucketCount {
        positions[Bucket(number)] = random.one(in: 5) ? 0 : Int64(40 + random.next(below: 80))
      }
      return positions
    }

    func passed(_ positions: LogPositions) -> [Bool] {
      log.map { $0.position <= positions[$0.bucket] }
    }

    func passed(_ positions: LogPositions, in order: LogOrder, _ count: Int) -> [Bool] {
      log.map { entry in
        let place = order.place(of: entry.position, in: entry.database) ?? LogPositions()
        let bucket = Bucket(of: entry.database, among: count)
        return place[bucket] <= positions[bucket]
      }
    }
  }

  @Test(arguments: 1...60)
  func `one log becomes many, and what was passed is what was passed before`(seed: UInt64) {
    var sample = Sample(seed: seed, bucketCount: 1)
    let order = LogOrder(sample.log, served: sample.served, bucketCount: 16)
    for _ in 0..<5 {
      let old = sample.positions()
      #expect(sample.passed(order.positions(old), in: order, 16) == sample.passed(old))
    }
  }

  @Test(arguments: 1...60)
  func `many logs become one, and nothing counts as passed that was not`(seed: UInt64) {
    var sample = Sample(seed: seed, bucketCount: 16)
    let order = LogOrder(sample.log, served: sample.served, bucketCount: 1)
    // What the notifier has served comes first, so its cursor says the same.
    #expect(
      sample.passed(order.positions(sample.served), in: order, 1) == sample.passed(sample.served))
    for _ in 0..<5 {
      let old = sample.positions()
      let pairs = zip(sample.passed(order.positions(old), in: order, 1), sample.passed(old))
      #expect(pairs.allSatisfy { !$0 || $1 })
    }
  }

  @Test(arguments: 1...60, [(1, 16), (16, 1), (16, 4)])
  func `who follows one database finds there what was not passed`(
    seed: UInt64, buckets: (from: Int, to: Int)
  ) {
    var sample = Sample(seed: seed, bucketCount: buckets.from)
    let order = LogOrder(sample.log, served: sample.served, bucketCount: buckets.to)
    for database in Self.databases {
      let bucket = Bucket(of: database, among: buckets.from)
      let old = sample.positions()
      let new = order.positions(old, from: bucket, of: database)
      let all = zip(
        sample.log,
        zip(sample.passed(new, in: order, buckets.to), sample.passed(old)))
      #expect(
        all.allSatisfy { entry, passed in entry.database != database || passed.0 == passed.1 })
    }
  }

  @Test func `new positions are counted from one, and of a bucket none is missing`() {
    let sample = Sample(seed: 4, bucketCount: 16)
    let order = LogOrder(sample.log, served: sample.served, bucketCount: 1)
    let places = sample.log.compactMap { order.place(of: $0.position, in: $0.database)?[.only] }
    #expect(places.sorted() == Array(1...Int64(sample.log.count)))
    #expect(order.place(of: 1, in: Self.databases[0]) == nil)
  }

  @Test func `entries that wait come in the order of their times`() {
    let (a, b) = (Self.databases[0], Self.databases[1])
    func place(_ database: DatabaseKey, _ position: Int64, _ time: Milliseconds) -> LogPlace {
      LogPlace(
        bucket: Bucket(of: database, among: 16), position: position, database: database, time: time)
    }
    let log = [place(a, 1, 10), place(a, 2, 40), place(b, 1, 20), place(b, 2, 30)]
    let order = LogOrder(log, served: LogPositions(), bucketCount: 1)
    let places = log.map { order.place(of: $0.position, in: $0.database)?[.only] }
    #expect(places == [1, 4, 2, 3])
  }
}
