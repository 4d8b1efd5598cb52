// How the index that a query asked for is built: the query does it itself, step after step, each a transaction that
// others can pass. One that is given up leaves what it has done, and the next goes on from there.

import BrumeQueryPlan
import BrumeStorage
import Synchronization

final class IndexBuilder: Sendable {
  /// Ours: records that one step takes in at most.
  private static let stepRecords = 1000
  /// Ours: steps that one query takes before it does without the index.
  private static let stepsOfQuery = 50

  /// Carries out one step in a transaction.
  typealias Commit<Value> = (@escaping @Sendable (IndexBuild) throws -> Value) async throws ->
    Value

  private let state = Mutex(IndexProgress())

  var progress: IndexProgress { state.withLock { $0 } }

  /// Has an index made, if the store can be written.
  ///
  /// - Throws: `CancellationError` between two steps.
  func build(_ wanted: IndexWanted, _ commit: Commit<IndexStep?>) async throws {
    _ = try await commit { build in
      try build.want(wanted)
      return nil
    }
    var last: RecordTypeRowKey?
    for _ in 0..<Self.stepsOfQuery {
      try Task.checkCancellation()
      let after = last
      guard let step = try await commit({ try $0.advance(after: after, limit: Self.stepRecords) })
      else { return state.withLock { $0.fields = 0 } }
      last = step.type
      state.withLock { progress in
        progress.fields = step.unfinished
        progress.records += Int64(step.records)
      }
    }
  }
}
