// Who follows the log while many save sees every save, in the order of commits, without a gap. The same trial finds
// the faults of feeds that are ordered otherwise.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Foundation
import Testing

@testable import BrumePostgres

@Suite struct PostgresOrderTests {
  /// `make soak` sets it.
  private static let seconds =
    Double(ProcessInfo.processInfo.environment["BRUME_SOAK_ORDER"] ?? "") ?? 0
  static let isLong = seconds > 0

  @Test func `8 writers at 2 stores: nothing missed, nothing reordered, no gap`() async throws {
    try await Self.withFeed { feed in
      let end = ContinuousClock.now + .seconds(Self.seconds)
      let trial = OrderTrial { saves in saves < 800 || ContinuousClock.now < end }
      let faults = try await trial.faults(of: feed)
      #expect(faults == [.none, .none])
      for sequences in try await feed.changes(of: 0..<5) {
        #expect(sequences == Array(1..<Int64(sequences.count) + 1))
        #expect(sequences.count > 50)
      }
    }
  }

  @Test func `positions from a sequence let readers miss saves`() async throws {
    let feed = try FeedByHand(.byGlobalSequence, url: PostgresServer.shared.get().emptySchema())
    for writer in [0, 1] {
      try feed.begin(as: writer)
      try feed.put(writer, as: writer)
    }
    var (seen, cursor) = (FollowedFeed(), feed.start)
    for writer in [1, 0] {
      try feed.commit(as: writer)
      seen.note(try await feed.lines(after: &cursor, as: 0))
    }
    #expect(seen.faults([0: 1, 1: 1]).missed == 1)
  }

  @Test func `waiting for transactions to end reorders saves of a key`() async throws {
    let feed = try FeedByHand(.byHorizon, url: PostgresServer.shared.get().emptySchema())
    for writer in [0, 1] { try feed.begin(as: writer) }
    for writer in [1, 0] {
      try feed.put(0, as: writer)
      try feed.commit(as: writer)
    }
    var (seen, cursor) = (FollowedFeed(), feed.start)
    // Other tests' transactions end some time.
    while seen.lines.count < 2 { seen.note(try await feed.lines(after: &cursor, as: 0)) }
    #expect(seen.faults([0: 2]) == FollowedFeed.Faults(missed: 0, reordered: 1, gaps: 2))
  }

  /// How many are seen wrongly depends on who is faster.
  @Test(.enabled(if: isLong), arguments: FeedByHand.Reading.allCases)
  func `the same trial finds the faults of feeds that are ordered otherwise`(
    reading: FeedByHand.Reading
  ) async throws {
    let feed = try FeedByHand(reading, url: PostgresServer.shared.get().emptySchema())
    let faults = try await OrderTrial { $0 < 4000 }.faults(of: feed)
    #expect(faults.contains { reading == .byHorizon ? $0.reordered > 0 : $0.missed > 0 })
  }

  @Test func `a long transaction elsewhere holds up no feed, but one that waits for it`()
    async throws
  {
    let url = try PostgresServer.shared.get().emptySchema()
    let byHand = try FeedByHand(.byHorizon, url: url)
    let elsewhere = try Connection.forTest(url)
    try elsewhere.simple("SET idle_in_transaction_session_timeout = 0")
    try elsewhere.simple(
      "BEGIN ISOLATION LEVEL REPEATABLE READ; INSERT INTO feed (key, version) VALUES (9, 1)")
    try await Self.withFeed { feed in
      let faults = try await OrderTrial { $0 < 40 }.faults(of: feed)
      #expect(faults == [.none, .none])
    }
    var cursor = byHand.start
    try await byHand.save(1, as: 0)
    let lines = try await byHand.lines(after: &cursor, as: 0)
    #expect(lines == [])
    try elsewhere.simple("ROLLBACK")
  }

  @Test func `a reader that misses, mixes up or skips is seen`() {
    var feed = FollowedFeed()
    feed.note([1, 2, 4].map { FollowedFeed.Line(position: $0, key: 0, version: $0) })
    #expect(feed.faults([0: 4]) == FollowedFeed.Faults(missed: 1, reordered: 0, gaps: 1))
    feed.note([FollowedFeed.Line(position: 5, key: 0, version: 3)])
    #expect(feed.faults([0: 4]) == FollowedFeed.Faults(missed: 0, reordered: 1, gaps: 1))
  }

  private static func withFeed(_ body: (StoreFeed) async throws -> Void) async throws {
    let url = try PostgresServer.shared.get().emptySchema()
    let stores = try (0..<2).map { _ in try PostgresStore.forTest(buckets: 4, url: url) }
    let result = await Result { try await body(StoreFeed(stores: stores)) }
    for store in stores { try await store.close() }
    try result.get()
  }
}
