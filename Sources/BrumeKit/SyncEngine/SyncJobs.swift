// What the jobs of a sync engine share: one at a time, one event at a time, and the account.

import BrumeClient
import BrumeModel
import Synchronization

final class SyncJobs: Sendable {
  typealias Event = CKSyncEngine.Event
  let database: CKDatabase
  let state: CKSyncEngine.State
  /// Held by the app, as the delegate is: neither keeps the other alive through us.
  let engine = WeakEngine()
  let subscriptionID: CKSubscription.ID?
  let isAutomatic: Bool
  private let jobs = SerialQueue()
  private let events = SerialQueue()
  private let running = Mutex<[Int: Task<Bool, any Error>]>([:])
  private let lastID = Mutex(0)
  /// How often the account may have changed, and for which of these times, and for which account of the
  /// connection, the user is known.
  private let accounts = Mutex((changes: 0, known: -1, account: nil as Int?))
  /// The subscription that the engine uses, once it is there.
  let usedSubscription = Mutex<CKSubscription.ID?>(nil)
  /// Somebody may have deleted it since it was looked for.
  let subscriptionMayBeGone = Atomic(false)
  /// What failed in the last send.
  let failedBefore = Mutex(SendFailures.Items())
  /// The delegate will be notified of the state, as it is by then.
  private let willNotifyState = Atomic(false)

  init(_ configuration: CKSyncEngine.Configuration, _ state: CKSyncEngine.State) {
    database = configuration.database
    engine.set(configuration.delegate)
    subscriptionID = configuration.subscriptionID
    isAutomatic = configuration.automaticallySync
    self.state = state
  }

  var session: Session { database.connection.session }

  /// A failure of a job, as the app gets it.
  func converted(_ error: any Error) -> CKError {
    CKError(converting: error, from: Viewpoint(scope: database.databaseScope.model))
  }

  // MARK: One job at a time

  /// Runs a job when the one before it has ended. Cancelling the task cancels the job.
  func run(_ body: @escaping @Sendable () async throws -> Bool) async throws -> Bool {
    if DelegateCall.goesOn {
      throw CKError(
        .invalidArguments,
        "a delegate must not fetch or send while it handles an event; add the changes and return")
    }
    let id = lastID.withLock { last in
      last += 1
      return last
    }
    let task = Task { [jobs] in
      try await jobs.run { try await body() }
    }
    running.withLock { $0[id] = task }
    defer { running.withLock { $0[id] = nil } }
    do {
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    } catch {
      throw converted(error)
    }
  }

  /// Cancels all jobs, and waits for their end unless one of them is calling.
  func cancel() async {
    let tasks = running.withLock { Array($0.values) }
    for task in tasks { task.cancel() }
    guard !DelegateCall.goesOn else { return }
    for task in tasks { _ = try? await task.value }
  }

  // MARK: One event at a time

  /// Notifies the delegate, then of the state if that changed.
  func notify(_ event: CKSyncEngine.Event) async {
    await call { [state] delegate, engine in
      await delegate.handleEvent(event, syncEngine: engine)
      state.eventWasDelivered()
    }
    await notifyState()
  }

  /// Notifies of the state, if it changed.
  func notifyState() async {
    await call { [self] delegate, engine in
      willNotifyState.store(false, ordering: .sequentiallyConsistent)
      // Taken inside, so that states are delivered in the order in which they came to be.
      guard let update = state.takeUpdate() else { return }
      await delegate.handleEvent(
        .stateUpdate(CKSyncEngine.Event.StateUpdate(stateSerialization: update)), syncEngine: engine
      )
    }
  }

  /// Notifies of the state when the delegate has time; for changes that the app makes.
  func notifyStateSoon() {
    if willNotifyState.exchange(true, ordering: .sequentiallyConsistent) { return }
    Task { await notifyState() }
  }

  func options(
    _ context: CKSyncEngine.FetchChangesContext
  ) async -> CKSyncEngine.FetchChangesOptions {
    await call { delegate, engine in
      await delegate.nextFetchChangesOptions(context, syncEngine: engine)
    } ?? context.options
  }

  /// The next batch. Pending saves for which the app has no record stop being pending.
  func batch(
    _ context: CKSyncEngine.SendChangesContext
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    let skipped = SkippedChanges()
    state.batchBegins()
    let batch = await call { delegate, engine in
      await SkippedChanges.$current.withValue(skipped) {
        await delegate.nextRecordZoneChangeBatch(context, syncEngine: engine)
      }
    }
    state.batchEnds(without: skipped.all)
    return batch ?? nil
  }

  /// The delegate works in a task of its own: cancelling the job must not keep it from keeping what it is given.
  private func call<Answer: Sendable>(
    _ body: @escaping @Sendable (any CKSyncEngineDelegate, CKSyncEngine) async -> Answer
  ) async -> Answer? {
    guard let (delegate, engine) = engine.value else { return nil }
    return try? await events.run {
      let call = DelegateCall()
      defer { call.end() }
      return await DelegateCall.$current.withValue(call) {
        await Task { await body(delegate, engine) }.value
      }
    }
  }

  // MARK: The account

  /// The account may be another one now.
  func accountMayHaveChanged() { accounts.withLock { $0.changes += 1 } }

  /// Finds out who is signed in, and notifies of changes since the last time, also of those while the
  /// app did not run (case ACC-04).
  func checkAccount() async throws {
    let (changes, known, knownAccount) = accounts.withLock { $0 }
    let account = database.connection.account
    if changes == known, account == knownAccount { return }
    let before = state.value.user
    let now: String?
    do {
      now = try await currentUser()
    } catch let error as CKError
      where error.code == .notAuthenticated && !database.connection.hasUser
    {
      // A session that has only expired is no sign-out: what is pending waits for whoever signs in next.
      now = nil
    }
    if now != before {
      state.updateAheadOfEvent { $0.accountChanged(to: now) }
      usedSubscription.withLock { $0 = nil }
      await notify(
        .accountChange(Event.AccountChange(changeType: Self.change(from: before, to: now))))
    }
    guard now != nil else {
      throw CKError(.notAuthenticated, "nobody is signed in; the engine waits for an account")
    }
    // Known for the time at which we began to ask: it may have changed again meanwhile.
    accounts.withLock { ($0.known, $0.account) = (changes, account) }
  }

  /// The database, for calls of the user whose state this is: whoever signs in while a job runs gets nothing
  /// of it.
  func grouped(_ group: CKOperationGroup) -> CKDatabase {
    CKDatabase(
      database.databaseScope, connection: database.connection,
      defaults: CallDefaults(
        configuration: database.defaults.configuration, group: group,
        account: accounts.withLock { $0.account }))
  }

  private func currentUser() async throws -> String? {
    do {
      return try await session.currentUser().user?.name
    } catch {
      throw converted(error)
    }
  }

  private static func change(
    from before: String?, to now: String?
  ) -> CKSyncEngine.Event.AccountChange.ChangeType {
    switch (before.map { CKRecord.ID(recordName: $0) }, now.map { CKRecord.ID(recordName: $0) }) {
    case (let before?, let now?): .switchAccounts(previousUser: before, currentUser: now)
    case (let before?, nil): .signOut(previousUser: before)
    case (nil, let now?): .signIn(currentUser: now)
    case (nil, nil): preconditionFailure("nothing changed")
    }
  }
}

/// The engine that the jobs belong to, and its delegate, while the app holds them.
final class WeakEngine: Sendable {
  private struct Box {
    weak var engine: CKSyncEngine?
    weak var delegate: (any CKSyncEngineDelegate)?
  }
  private let box = Mutex(Box())

  func set(_ engine: CKSyncEngine) { box.withLock { $0.engine = engine } }
  func set(_ delegate: any CKSyncEngineDelegate) { box.withLock { $0.delegate = delegate } }

  var value: (delegate: any CKSyncEngineDelegate, engine: CKSyncEngine)? {
    box.withLock { box in
      guard let delegate = box.delegate, let engine = box.engine else { return nil }
      return (delegate, engine)
    }
  }
}

/// Lets one task through at a time, in the order in which they came.
final class SerialQueue: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }
  private let state = Mutex(State())

  func run<Value: Sendable>(
    _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    await enter()
    defer { leave() }
    return try await body()
  }

  private func enter() async {
    await withCheckedContinuation { continuation in
      let mayEnter = state.withLock { state in
        if state.isTaken {
          state.waiting.append(continuation)
          return false
        }
        state.isTaken = true
        return true
      }
      if mayEnter { continuation.resume() }
    }
  }

  private func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if state.waiting.isEmpty {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
