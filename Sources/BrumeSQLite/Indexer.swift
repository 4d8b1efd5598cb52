// The indexer works on indexes beside everything else: a thread that hands the writer one small step after the other
// until everything is finished, then waits. Queries that need an index wait here for some steps, or until
// nobody waits for them any more. What a step does: `IndexBuild.swift`.
//
// Nothing is lost with the process: what is not finished stands in the database, and the thread begins
// with it.

import BrumeQueryPlan
import BrumeStorage
import Dispatch
import GRDB
import Logging
import Synchronization

final class Indexer: Sendable {
  private struct State {
    var isEnding = false
    /// Somebody waits, or so much is behind that it is worth a step.
    var isUrgent = false
    /// What the last process left is still to be done.
    var hasOldWork = false
    /// Records that are behind.
    var behind = 0
    var progress = IndexProgress()
    var waiters = IndexWaiters()
  }

  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)
  private let checkpointer: Checkpointer
  private let step: Int
  private let isCalledWithinRest: @Sendable (DispatchSemaphore) -> Bool
  private let logger: Logger
  private let warnings: RareWarnings

  /// - Parameters:
  ///   - checkpointer: a step waits while it copies.
  ///   - step: how many records one write takes in.
  ///   - isCalledWithinRest: waits for the semaphore as long as new records stay behind after the last that
  ///     came; false if that time passed.
  init(
    _ checkpointer: Checkpointer, step: Int,
    isCalledWithinRest: @escaping @Sendable (DispatchSemaphore) -> Bool, warnings: RareWarnings,
    logger: Logger
  ) {
    self.checkpointer = checkpointer
    self.step = step
    self.isCalledWithinRest = isCalledWithinRest
    self.logger = logger
    self.warnings = warnings
  }

  var progress: IndexProgress { state.withLock { $0.progress } }

  /// Whether the last process left something.
  static func hasOldWork(on database: Database) throws -> Bool {
    let sql = "SELECT EXISTS (SELECT 1 \(IndexKeyRows.unfinished))"
    return try Bool.fetchOne(database, sql: sql) ?? false
  }

  /// Starts the thread; without a writer none, and nobody waits.
  func start(_ writer: Writer?, hasOldWork: Bool) -> Bool {
    guard let writer else {
      state.withLock { $0.isEnding = true }
      return true
    }
    state.withLock { $0.hasOldWork = hasOldWork }
    return EngineThread.start { [self] in run(writer) }
  }

  /// After a commit: so many records are behind.
  func committed(behind: Int) {
    state.withLock {
      $0.behind = behind
      if behind >= IndexDelay.together { $0.isUrgent = true }
    }
    wake.signal()
  }

  /// Waits until the index has these fields, or has come some steps further, or the task is cancelled.
  func wait(for wanted: IndexWanted) async {
    let id = state.withLock { $0.waiters.newID() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let mayWait = state.withLock {
          if $0.isEnding { return false }
          $0.waiters.add(id, wanted.parts, continuation)
          $0.isUrgent = true
          return true
        }
        if !mayWait { return continuation.resume() }
        wake.signal()
        if Task.isCancelled { leave(id) }
      }
    } onCancel: {
      leave(id)
    }
  }

  private func leave(_ id: Int) { state.withLock { $0.waiters.remove(id) }?.resume() }

  /// Ends the work. To be called before the writer is closed.
  func close() {
    let (wasEnding, waiting) = state.withLock { state in
      defer { state.isEnding = true }
      return (state.isEnding, state.waiters.removeAll())
    }
    for continuation in waiting { continuation.resume() }
    if wasEnding { return }
    wake.signal()
    ended.wait()
  }
}

// MARK: The thread

extension Indexer {
  private func run(_ writer: Writer) {
    defer { ended.signal() }
    var last: RecordTypeRowKey?
    var (log, pace) = (IndexLog(logger), IndexPace())
    var prepared: PreparedIndex?
    while let hasRested = waitForWork() {
      while let step = take(pace.records, after: last, hasRested, prepared, writer) {
        last = step.type
        // Here nobody waits for it.
        prepared = step.homework?.done()
        log.note(step)
        pace.stepped(wasAwaited: step.wasAwaited)
        finished(step)
      }
      resumeWaiters()
    }
  }

  /// Answers whether what is behind has been so for a while; nil at the end.
  private func waitForWork() -> Bool? {
    while true {
      let (isEnding, hasOldWork, isUrgent, behind) = state.withLock { state in
        defer { (state.hasOldWork, state.isUrgent) = (false, false) }
        return (state.isEnding, state.hasOldWork, state.isUrgent, state.behind)
      }
      if isEnding { return nil }
      if hasOldWork { return true }
      if isUrgent { return false }
      if behind == 0 {
        wake.wait()
      } else if !isCalledWithinRest(wake) {
        return true
      }
    }
  }

  /// One step. Nil: nothing is to be done now, or the store does not take it. A type whose pages are damaged is passed over, and
  /// the others go on.
  private func take(
    _ records: Int, after last: RecordTypeRowKey?, _ hasRested: Bool, _ prepared: PreparedIndex?,
    _ writer: Writer
  ) -> IndexStep? {
    var (last, prepared, damaged) = (last, prepared, Set<RecordTypeRowKey>())
    while true {
      let tried = TriedType()
      do {
        return try step(records, after: last, hasRested, prepared, writer, tried)
      } catch {
        let type = tried.type.withLock { $0 }
        warnings.warn("an index cannot be built", of: type?.shown ?? "", error)
        guard error.saysDamage, let type, damaged.insert(type).inserted else { return nil }
        (last, prepared) = (type, nil)
      }
    }
  }

  private func step(
    _ records: Int, after last: RecordTypeRowKey?, _ hasRested: Bool, _ prepared: PreparedIndex?,
    _ writer: Writer, _ tried: TriedType
  ) throws -> IndexStep? {
    let (isEnding, isAsked) = state.withLock { ($0.isEnding, !$0.waiters.isEmpty) }
    if isEnding { return nil }
    let (limit, leavesFew) = (min(step, records), !hasRested && !isAsked)
    // A commit without pages has the writer finish the copy before there are more.
    if checkpointer.waitForCopy() { _ = try Self.carryOut(on: writer) { _ in (nil, 0) } }
    let (step, behind) = try Self.carryOut(on: writer) { transaction in
      let step = try transaction.indexBuild.advance(
        after: last, limit: limit, leavesFew: leavesFew, words: .betweenSteps(prepared),
        begins: { type in tried.type.withLock { $0 = type } })
      return (step, transaction.index.delay.behind)
    }
    state.withLock { $0.behind = behind }
    return step
  }

  private static func carryOut(
    on writer: Writer, _ body: @escaping @Sendable (SQLiteTransaction) throws -> StepOutcome.Value
  ) throws -> StepOutcome.Value {
    let outcome = StepOutcome()
    try writer.add(
      WriteJob(
        isRepeatable: true, isIndexWork: true,
        run: { transaction in outcome.note { try body(transaction) } },
        finish: { error in outcome.finish(error) }))
    return try outcome.wait()
  }

  private func finished(_ step: IndexStep) {
    let waiting = state.withLock { state in
      state.progress.fields = step.unfinished
      state.progress.records += Int64(step.records)
      return state.waiters.stepped(step)
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Who still waits gets no further by waiting.
  private func resumeWaiters() {
    let waiting = state.withLock { state in
      // Somebody came after the last look: then there is another.
      return state.isUrgent ? [] : state.waiters.removeAll()
    }
    for continuation in waiting { continuation.resume() }
  }
}

/// Which type a step is for, from the writer's thread to ours.
private final class TriedType: Sendable {
  let type = Mutex<RecordTypeRowKey?>(nil)
}

extension RecordTypeRowKey {
  fileprivate var shown: String { "\(type) in zone number \(zone)" }
}

/// What became of a step, from the writer's thread to ours.
private final class StepOutcome: Sendable {
  typealias Value = (step: IndexStep?, behind: Int)
  private let result = Mutex<Result<Value, any Error>>(.success((nil, 0)))
  private let isThere = DispatchSemaphore(value: 0)

  /// Carries the step out. Answers what it threw.
  func note(_ step: () throws -> Value) -> (any Error)? {
    do {
      let value = try step()
      result.withLock { $0 = .success(value) }
      return nil
    } catch {
      return error
    }
  }

  func finish(_ error: (any Error)?) {
    if let error { result.withLock { $0 = .failure(error) } }
    isThere.signal()
  }

  func wait() throws -> Value {
    isThere.wait()
    return try result.withLock { $0 }.get()
  }
}
