// One transaction with many bodies. Each body after the first has a savepoint, so that one that
// throws undoes its own work only. Nobody is answered before the commit.

import BrumeModel
import BrumeStorage

struct WriteGroup {
  private let transaction: SQLiteTransaction
  private var results: [(job: WriteJob, error: (any Error)?)] = []
  /// Bodies that met a damaged page, with what they are answered.
  private var refused: [(job: WriteJob, error: any Error)] = []
  /// Whose work went with one of those and who run again.
  private var again: [WriteJob] = []
  /// Whether the transaction holds work that must survive a later body's failure.
  private var hasWork = false
  private var changesBefore: Int64 = 0
  private let nanoseconds: @Sendable () -> Int64
  private var start: Int64
  /// What each body took, in nanoseconds.
  private(set) var times: [(UserID?, Int64)] = []
  /// Those who have run and wait for the commit before going on; nil is the server itself.
  private(set) var waitForCommit: [UserID?] = []
  private(set) var logGrew = false
  /// The job whose body runs, or ran when the storage failed.
  private var running: WriteJob?
  /// Whether there is a transaction in which a body could run.
  private(set) var hasBegun = false

  /// - Parameter nanoseconds: a clock that only rises.
  init(_ transaction: SQLiteTransaction, _ nanoseconds: @escaping @Sendable () -> Int64) {
    self.transaction = transaction
    self.nanoseconds = nanoseconds
    start = nanoseconds()
  }

  private var connection: Connection { transaction.connection }

  /// Whether a row was changed, or had been before that was undone.
  var hasChanged: Bool { connection.totalChanges > changesBefore }

  var isFull: Bool {
    !refused.isEmpty || results.count >= Writer.groupLimit
      || connection.totalChanges - changesBefore >= Writer.groupRowLimit
      || nanoseconds() - start >= Writer.groupTimeLimit
  }

  /// Everybody who waits for this group.
  var jobs: [WriteJob] {
    refused.map(\.job) + results.map(\.job) + again + (running.map { [$0] } ?? [])
  }

  /// The next that has to run again. Nobody else joins before.
  mutating func nextAgain() -> WriteJob? { again.isEmpty ? nil : again.removeFirst() }

  /// - Parameters:
  ///   - job: the first, to be run next. Everything in the group is repeatable if it is.
  ///   - prepare: what has to be committed before.
  mutating func begin(with job: WriteJob, after prepare: (Connection) throws -> Void) throws {
    // Who waits for this job is answered also if there is no transaction for it.
    running = job
    connection.forgetFailure()
    try prepare(connection)
    changesBefore = connection.totalChanges
    try connection.waitForDisk(!job.isRepeatable)
    try connection.run(Self.begin)
    hasBegun = true
  }

  /// Runs one body. It throws only if the storage failed: then the whole group has.
  ///
  /// - Parameter patience: nanoseconds for which others can wait for it.
  /// - Returns: the job, if it has given way to others: nothing of it is left, and it has to be run again.
  mutating func run(_ job: WriteJob, _ patience: @escaping () -> Int64) throws -> WriteJob? {
    running = job
    let needsSavepoint = hasWork
    if needsSavepoint { try connection.run(Self.savepoint) }
    let (thrown, time) = carryOut(job, patience)
    var error = thrown
    if let failure = connection.failure, failure.consequence == .refuseBody, !connection.isIdle {
      times.append((job.user, time))
      try refuse(job, error is GivenWay ? failure.error : error ?? failure.error)
      return nil
    }
    let hasGivenWay = connection.hasGivenWay
    try passOnStorageFailure(&error)
    if error == nil, !hasGivenWay {
      if needsSavepoint { try connection.run(Self.release) }
      hasWork = true
      logGrew = logGrew || transaction.log.hasGrown
    } else {
      transaction.bodyFailed()
      try connection.run(needsSavepoint ? Self.rollbackToSavepoint : Self.rollback)
      try connection.run(needsSavepoint ? Self.release : Self.begin)
    }
    running = nil
    if hasGivenWay { return givenWay(job, after: time) }
    times.append((job.user, time))
    results.append((job, error))
    if !job.isRepeatable { waitForCommit.append(job.user) }
    return nil
  }

  /// Answers what the body threw, or failed with at its end, and how long it took.
  private func carryOut(
    _ job: WriteJob, _ patience: @escaping () -> Int64
  ) -> (error: (any Error)?, time: Int64) {
    transaction.others.shareTheCommit = !waitForCommit.isEmpty
    transaction.bodyBegins()
    let began = nanoseconds()
    if job.mayGiveWay {
      connection.shouldGiveWay = { [nanoseconds] in nanoseconds() - began >= patience() }
    }
    var error = job.run(transaction)
    if error == nil {
      do { try transaction.bodyEnds() } catch let thrown { error = thrown }
    }
    connection.shouldGiveWay = nil
    return (error, nanoseconds() - began)
  }

  /// SQLite takes no statement any more in a transaction that met a damaged page. What the others did goes with it.
  private mutating func refuse(_ job: WriteJob, _ error: any Error) throws {
    refused.append((job, error))
    again = results.map(\.job) + again
    (results, running, hasWork, logGrew, waitForCommit) = ([], nil, false, false, [])
    connection.forgetFailure()
    transaction.groupFailed()
    try connection.run(Self.rollback)
    try connection.run(Self.begin)
  }

  /// A job whose work is taken back.
  private mutating func givenWay(_ job: WriteJob, after time: Int64) -> WriteJob {
    connection.forgetFailure()
    if results.isEmpty { (changesBefore, start) = (connection.totalChanges, nanoseconds()) }
    var job = job
    job.undone += time
    return job
  }

  mutating func commit() throws {
    try connection.run(Self.commit)
    transaction.groupCommitted()
  }

  func finish() {
    for (job, error) in results { job.finish(error) }
    for (job, error) in refused { job.finish(error) }
  }

  /// After a failure of the storage. Answers the error that everybody gets, and whether it is the end.
  mutating func undo(_ error: any Error) -> (error: StoreError, isFinal: Bool) {
    let failure = connection.failure
    if !connection.isIdle { try? connection.run(Self.rollback) }
    transaction.groupFailed()
    let isUndone = connection.isIdle
    let known = error as? StoreError ?? StoreError(.unavailable, "the group could not be committed")
    let reported = failure?.error ?? known
    // What could not be undone is uncertain, whatever it failed for.
    let isFinal = !isUndone || failure?.isEnd == true
    // The server ends with `unavailable` only, and whoever asks later would be answered the same for good.
    return (isFinal ? StoreError(.unavailable, reported.description) : reported, isFinal)
  }

  /// A body may have swallowed an error of the storage; its work is not whole either.
  private func passOnStorageFailure(_ error: inout (any Error)?) throws {
    if let failure = connection.failure {
      guard failure.consequence == .undo, !connection.isIdle else { throw failure.error }
      error = error ?? failure.error
      connection.forgetFailure()
    }
  }

  static let begin = SQL("BEGIN IMMEDIATE")
  static let commit = SQL("COMMIT")
  private static let rollback = SQL("ROLLBACK")
  private static let savepoint = SQL("SAVEPOINT body")
  private static let release = SQL("RELEASE body")
  private static let rollbackToSavepoint = SQL("ROLLBACK TO body")
}
