// How the index that a query asked for is built: the query does it itself, step after step, each a transaction that
// others can pass. One that is given up leaves what it has done, and the next that asks for it goes on from there.

import BrumeQueryPlan
import BrumeStorage
import Synchronization

final class IndexBuilder: Sendable {
  /// Ours: records that one step takes in at most.
  private static let stepRecords = 1000
  /// Ours: steps that one query takes before it does without the index.
  private static let stepsOfQuery = 50

  /// Carries out one step in a transaction. Answers how many fields, of whatever type, are not finished after it.
  typealias Commit = (@escaping Step) async throws -> (IndexStep?, unfinished: Int)
  typealias Step = @Sendable (IndexBuild) throws -> (IndexStep?, unfinished: Int)

  private let state = Mutex(IndexProgress())

  var progress: IndexProgress { state.withLock { $0 } }

  /// Has an index made, if the store can be written. What others asked for is theirs to build: while a step runs,
  /// the saves of the bucket wait.
  ///
  /// - Throws: `CancellationError` between two steps.
  func build(_ wanted: IndexWanted, _ commit: Commit) async throws {
    _ = try await take(commit) { build in
      try build.want(wanted)
      return nil
    }
    for _ in 0..<Self.stepsOfQuery {
      try Task.checkCancellation()
      let step = try await take(commit) {
        try $0.advance(for: wanted, limit: Self.stepRecords)
      }
      if step == nil { return }
    }
  }

  private func take(
    _ commit: Commit, _ body: @escaping @Sendable (IndexBuild) throws -> IndexStep?
  ) async throws -> IndexStep? {
    let (step, unfinished) = try await commit { build in
      let step = try body(build)
      return (step, try step?.unfinished ?? build.countUnfinished())
    }
    state.withLock { progress in
      progress.fields = unfinished
      progress.records += Int64(step?.records ?? 0)
    }
    return step
  }
}
