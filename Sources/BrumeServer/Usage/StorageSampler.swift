// This looks, again and again, how much users store, for the chart of it. What a look costs is bounded: those who
// store most are counted each time, of all others so many a time, one after another.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeStorage
import Logging

struct StorageSampler: Sendable {
  /// Ours: between two looks.
  static let pause: Milliseconds = 15 * 60_000
  /// Ours: a look of a large store is followed by a pause so many times as long, so that it takes half a percent of a
  /// thread's time at most.
  static let rest: Milliseconds = 200
  /// Ours: pages of other users that one look reads.
  static let pages = 10
  private let storage: StorageReports
  private let store: any Store
  private let usage: Usage
  private let clock: PushClock
  private let steady: @Sendable () -> Int64
  private let logger: Logger

  /// - Parameter steady: milliseconds of a clock that is never set, by which a look is measured.
  init(
    _ server: Composition, steady: @escaping @Sendable () -> Int64 = SteadyClock.milliseconds
  ) {
    self.steady = steady
    (storage, store, usage) = (server.engine.storageReports, server.store, server.usage)
    clock = server.clock.waiting(for: "a look at what users store")
    logger = server.logger
  }

  func run() async throws {
    var place: String?
    while true {
      let begun = steady()
      place = try await look(from: place)
      let pause = Self.pause(after: steady() - begun)
      try await clock.sleep(clock.now() + pause)
    }
  }

  /// How long to wait after a look that took so long.
  static func pause(after took: Milliseconds) -> Milliseconds { max(pause, took * rest) }

  private func look(from place: String?) async throws -> String? {
    do { return try await sample(from: place) } catch let error as CancellationError {
      throw error
    } catch {
      // The next look counts the same again.
      logger.warning("what users store was not counted", metadata: ["error": "\(error)"])
      return place
    }
  }

  /// Counts, and keeps what the largest have.
  ///
  /// - Parameter place: the name of the user behind whom the look goes on; nil: from the start.
  /// - Returns: where the next look goes on.
  func sample(from place: String? = nil) async throws -> String? {
    let gone = try await missing(of: usage.storedUsers)
    var sizes = try await counted(usage.largestUsers.subtracting(gone))
    var (after, unfinished) = (place, Set<UserID>())
    for _ in 0..<Self.pages {
      let page = try await storage.page(after: after, limit: nil)
      for owner in page.users where sizes[owner.user] == nil {
        sizes[owner.user] = owner.size
        let hasRoom = unfinished.count < StorageHistory.mostUsers
        if !owner.size.isWhole, hasRoom { unfinished.insert(owner.user) }
      }
      after = page.after
      if after == nil { break }
    }
    sizes.merge(try await counted(unfinished)) { $1 }
    usage.noteStorage(sizes, forgetting: gone)
    return after
  }

  private func missing(of users: Set<UserID>) async throws -> Set<UserID> {
    try await store.read { transaction in
      try users.filter { user in
        // One that is damaged is there.
        try BrumeError.unlessDamaged { try transaction.users.find(user) == nil } ?? false
      }
    }
  }

  /// Each in a count of its own, so that a large one leaves the others their share.
  private func counted(_ users: Set<UserID>) async throws -> [UserID: StoredSize] {
    var sizes: [UserID: StoredSize] = [:]
    for id in users {
      guard let user = try await store.read({ try $0.users.findWhole(id) }) else { continue }
      sizes[id] = try await storage.report(on: user).users.first?.size
    }
    return sizes
  }
}
