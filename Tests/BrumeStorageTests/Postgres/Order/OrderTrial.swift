// Eight writers and two readers of one feed, all at the same time.

import Synchronization

/// Where saves are put, and where they are followed.
protocol OrderedFeed: Sendable {
  associatedtype Cursor: Sendable

  var start: Cursor { get }

  /// Saves the next version of a key, and returns when it is durable.
  func save(_ key: Int, as writer: Int) async throws

  /// What a reader sees after its cursor, which is moved.
  func lines(after cursor: inout Cursor, as reader: Int) async throws -> [FollowedFeed.Line]
}

struct OrderTrial {
  static let writers = 8
  static let readers = 2
  private static let keys = 5

  /// Until when writers go on, by how many saves there were.
  let goesOn: @Sendable (Int) -> Bool

  /// What all of them know.
  private final class Saves: Sendable {
    private let counts = Mutex<[Int: Int64]>([:])
    let areOver = Atomic<Bool>(false)

    var versions: [Int: Int64] { counts.withLock { $0 } }
    var count: Int { counts.withLock { Int($0.values.reduce(0, +)) } }
    func note(_ key: Int) { counts.withLock { $0[key, default: 0] += 1 } }
  }

  /// What each reader saw wrongly.
  func faults<Feed: OrderedFeed>(of feed: Feed) async throws -> [FollowedFeed.Faults] {
    let saves = Saves()
    async let first = Self.follow(feed, as: 0, saves)
    async let second = Self.follow(feed, as: 1, saves)
    let result = await Result { try await write(feed, saves) }
    saves.areOver.store(true, ordering: .releasing)
    let seen = try await [first, second]
    try result.get()
    return seen.map { $0.faults(saves.versions) }
  }

  private func write<Feed: OrderedFeed>(_ feed: Feed, _ saves: Saves) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<Self.writers {
        group.addTask(operation: { [goesOn] in
          var number = writer
          while goesOn(saves.count) {
            // Every second save is of one key, which all writers want.
            let key = number % 2 == 0 ? 0 : 1 + number / 2 % (Self.keys - 1)
            try await feed.save(key, as: writer)
            saves.note(key)
            number += 1
          }
        })
      }
      try await group.waitForAll()
    }
  }

  /// Looks again and again, and a last time when all is saved.
  private static func follow<Feed: OrderedFeed>(
    _ feed: Feed, as reader: Int, _ saves: Saves
  ) async throws -> FollowedFeed {
    var (seen, cursor) = (FollowedFeed(), feed.start)
    while true {
      let isLast = saves.areOver.load(ordering: .acquiring)
      while case let lines = try await feed.lines(after: &cursor, as: reader), !lines.isEmpty {
        seen.note(lines)
      }
      if isLast { return seen }
    }
  }
}
