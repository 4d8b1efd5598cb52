// The notifiers of a store's buckets: one for each bucket that this process owns and that has something to
// do, some of them at a time.

package import BrumeModel
package import BrumeStorage

/// Makes the notifications of all buckets that this process owns, while `run` runs.
package actor Notifiers {
  private enum Event: Sendable {
    case logsGrew(Set<Bucket>)
    case ended(Bucket, Ending)
    case restEnded(Bucket)
  }
  private enum Ending: Sendable {
    case done
    /// Its turn is over, and something is left.
    case goesOn
    case failed(any Error)
  }
  /// Ours: transactions of one bucket in a turn; then others that wait come first. A push to a hundred thousand devices
  /// is many hundreds.
  private static let stepsPerTurn = 20

  private let store: any Store
  private let most: Int
  private let make: @Sendable (Bucket) -> Notifier
  private let pause: @Sendable (Duration) async throws -> Void
  private var notifiers: [Bucket: Notifier] = [:]

  /// - Parameters:
  ///   - most: how many buckets are served at the same time.
  ///   - pause: waits before a bucket is tried again whose store could not be reached.
  ///   - make: the notifier of a bucket; called once for each.
  package init(
    of store: any Store, most: Int,
    pause: @escaping @Sendable (Duration) async throws -> Void,
    make: @escaping @Sendable (Bucket) -> Notifier
  ) {
    self.store = store
    self.most = max(1, most)
    self.pause = pause
    self.make = make
  }

  /// The notifier of a bucket.
  package func notifier(of bucket: Bucket) -> Notifier {
    if let known = notifiers[bucket] { return known }
    let new = make(bucket)
    notifiers[bucket] = new
    return new
  }

  /// How far those have come that ever had something to do.
  package func statuses() async -> [Bucket: NotifierStatus] {
    var statuses: [Bucket: NotifierStatus] = [:]
    for (bucket, notifier) in notifiers { statuses[bucket] = await notifier.status }
    return statuses
  }

  /// Those of the buckets for which this process notifies now. Others notify for the rest, and only they know how far those
  /// are.
  package nonisolated func own(
    _ statuses: [Bucket: NotifierStatus]
  ) -> [Bucket: NotifierStatus] {
    statuses.filter { store.leases.owns($0.key) }
  }

  /// Follows the logs until cancelled. It throws when the store fails: then nothing is certain any more, and the
  /// process should end and start again.
  package func run() async throws {
    // Listening comes before looking, so that no commit falls between the two.
    let commits = store.commits()
    if store.bucketCount == 1 {
      try await notifier(of: .only).follow(commits)
    } else {
      try await takeTurns(commits)
    }
    try Task.checkCancellation()
  }

  private func takeTurns(_ commits: CommitHints) async throws {
    let (events, sender) = AsyncStream.makeStream(of: Event.self)
    sender.yield(.logsGrew(Set((0..<store.bucketCount).map { Bucket($0) })))
    // Discarding: another group keeps each task that has ended until somebody asks for it, here for ever.
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask(operation: {
        for await buckets in commits { sender.yield(.logsGrew(buckets)) }
        sender.finish()
      })
      var turns = BucketTurns(most: most)
      for await event in events {
        switch event {
        case .logsGrew(let buckets): turns.add(buckets)
        case .ended(let bucket, let ending):
          turns.ended(bucket)
          switch ending {
          case .done: turns.succeeded(bucket)
          case .goesOn:
            turns.succeeded(bucket)
            turns.add([bucket])
          case .failed(let error):
            guard let rest = try retry(bucket, after: error, &turns) else { break }
            group.addTask(operation: { [pause] in
              try? await pause(rest)
              sender.yield(.restEnded(bucket))
            })
          }
        case .restEnded(let bucket): turns.restEnded(bucket)
        }
        while let bucket = turns.next() {
          let notifier = notifier(of: bucket)
          group.addTask(operation: { [pause] in
            sender.yield(.ended(bucket, await Self.outcome(of: notifier, pause)))
          })
        }
      }
      group.cancelAll()
    }
  }

  /// One turn. A notifier that lost its store waits before it ends, so that it is not asked at once.
  private static func outcome(
    of notifier: Notifier, _ pause: @Sendable (Duration) async throws -> Void
  ) async -> Ending {
    do {
      return try await notifier.drainIfOwned(steps: stepsPerTurn) ? .goesOn : .done
    } catch let error as StoreError where error.code == .unreachable {
      try? await pause(Notifier.pauseAfterLoss)
      return .failed(error)
    } catch {
      return .failed(error)
    }
  }

  /// What another process has taken over is its work; what a server did not answer is asked again. A damaged page is of
  /// one bucket: it waits for somebody to mend it, and the others go on. Answers how long it rests.
  private func retry(
    _ bucket: Bucket, after error: any Error, _ turns: inout BucketTurns
  ) throws -> Duration? {
    switch (error as? StoreError)?.code {
    case .notOwned: return nil
    case .unreachable:
      turns.add([bucket])
      return nil
    case .corrupt:
      store.damagedRows?.note("what pushes are made of", "bucket \(bucket): \(error)")
      return turns.failed(bucket)
    default: throw error
    }
  }
}

/// Whose turn it is: each bucket once at a time, so many of them together, in the order of asking. A bucket that failed
/// rests, longer each time, and nobody's asking ends that.
struct BucketTurns {
  /// Ours: the longest rest in seconds.
  private static let longestRest = 64

  private let most: Int
  private var waiting: [Bucket] = []
  private var running: Set<Bucket> = []
  private var resting: Set<Bucket> = []
  /// Seconds that a bucket rests after its next failure, if it has failed before.
  private var rests: [Bucket: Int] = [:]

  init(most: Int) { self.most = most }

  mutating func add(_ buckets: Set<Bucket>) {
    waiting += buckets.subtracting(waiting).subtracting(resting).sorted()
  }

  /// The next bucket, which runs until it has `ended`.
  mutating func next() -> Bucket? {
    guard running.count < most, let index = waiting.firstIndex(where: { !running.contains($0) })
    else { return nil }
    let bucket = waiting.remove(at: index)
    running.insert(bucket)
    return bucket
  }

  mutating func ended(_ bucket: Bucket) { running.remove(bucket) }

  mutating func succeeded(_ bucket: Bucket) { rests[bucket] = nil }

  /// Answers how long it rests.
  mutating func failed(_ bucket: Bucket) -> Duration {
    let seconds = rests[bucket] ?? 1
    rests[bucket] = min(2 * seconds, Self.longestRest)
    resting.insert(bucket)
    waiting.removeAll { $0 == bucket }
    return .seconds(seconds)
  }

  mutating func restEnded(_ bucket: Bucket) {
    resting.remove(bucket)
    add([bucket])
  }
}
