// The driver starts the jobs of an engine that syncs by itself: it receives pushes and timers, lets the scheduler
// decide, and reports how the jobs ended. It holds no engine: when the app lets go of it,
// everything here ends.

import BrumeClient
import Foundation
import Synchronization

final class SyncDriver: Sendable {
  private let jobs: SyncJobs
  private let events: AsyncStream<SyncScheduler.Event>
  private let sink: AsyncStream<SyncScheduler.Event>.Continuation
  private let scheduler = Mutex(SyncScheduler())
  private let tasks = Mutex<[Task<Void, Never>]>([])
  private let timer = Mutex<Task<Void, Never>?>(nil)
  /// What the engine is among those who take pushes.
  private let taker = Mutex<Int?>(nil)
  private let isListening = Atomic(false)
  private let hasConnected = Atomic(false)

  init(_ jobs: SyncJobs) {
    self.jobs = jobs
    (events, sink) = AsyncStream.makeStream()
  }

  func report(_ event: SyncScheduler.Event) { sink.yield(event) }

  func start() {
    takePushes()
    report(.started(hasPendingChanges: jobs.state.value.hasPendingChanges))
    // Locked: the loop's first job comes behind it.
    tasks.withLock { $0 = [loop()] }
  }

  /// Of no delegate's call: the app may make its engine while another one's delegate handles an event.
  private func loop() -> Task<Void, Never> {
    DelegateCall.$current.withValue(nil) {
      Task { [weak self, events] in
        for await event in events { self?.handle(event) }
      }
    }
  }

  func stop() {
    sink.finish()
    for task in tasks.withLock({ $0 }) { task.cancel() }
    timer.withLock { $0 }?.cancel()
    if let taker = taker.withLock({ $0 }) { jobs.database.connection.enginePushes.remove(taker) }
  }

  private func handle(_ event: SyncScheduler.Event) {
    let host = jobs.session.host
    let action = scheduler.withLock {
      $0.event(event, now: host.now().timeIntervalSince1970, chance: host.chance())
    }
    switch action {
    case .nothing: break
    case .run(let job):
      let task = Task { [weak self, jobs] in
        let outcome = await jobs.outcome(of: job)
        if case .done = outcome { self?.listen() }
        self?.report(.finished(job, outcome))
      }
      tasks.withLock { $0 = Array($0.prefix(1)) + [task] }
    case .wait(let seconds):
      let task = Task { [weak self] in
        guard (try? await host.sleep(.seconds(seconds))) != nil else { return }
        self?.report(.timePassed)
      }
      timer.withLock { timer in
        timer?.cancel()
        timer = task
      }
    }
  }

  /// Receives pushes to the engine's subscription, once there is one. When the account changes, the
  /// stream ends; the next job that works opens another.
  ///
  /// Whenever the stream stands, it fetches: what was pushed before, others may have acknowledged.
  private func listen() {
    let (connection, taker) = (jobs.database.connection, taker.withLock { $0 })
    guard let taker else { return }
    let (pushes, (session, account)) = (connection.enginePushes, connection.signedIn)
    if isListening.exchange(true, ordering: .relaxed) {
      pushes.reached(taker, session, account: account)
    } else {
      pushes.listen(taker, session, account: account)
    }
  }

  /// The stream stands. If it did before, much may have happened meanwhile, also to the subscription.
  private func connected() {
    if hasConnected.exchange(true, ordering: .relaxed) {
      jobs.subscriptionMayBeGone.store(true, ordering: .relaxed)
    }
    report(.connected)
  }

  private func pushed(to subscription: String?) {
    let used = jobs.usedSubscription.withLock { $0 }
    if subscription == nil || subscription == used { report(.pushed) }
  }

  private func takePushes() {
    let new = EnginePushes.Taker(
      connected: { [weak self] in self?.connected() },
      pushed: { [weak self] id in self?.pushed(to: id) },
      ended: { [weak self] in self?.isListening.store(false, ordering: .relaxed) })
    taker.withLock { $0 = jobs.database.connection.enginePushes.add(new) }
  }

  /// Somebody signed in or out: the pushes of one user are not another's.
  func accountChanged() {
    let connection = jobs.database.connection
    connection.enginePushes.accountChanged(to: connection.account)
    isListening.store(false, ordering: .relaxed)
    report(.accountArrived)
  }
}

extension SyncJobs {
  /// Runs a job of the scheduler.
  fileprivate func outcome(of job: SyncScheduler.Job) async -> SyncScheduler.Outcome {
    do {
      switch job {
      case .fetch:
        try await fetch(.init(reason: .scheduled, options: .init()))
        return .done()
      case .send:
        return .done(isFruitless: !(try await send(.init(reason: .scheduled, options: .init()))))
      }
    } catch let error as CKError {
      if error.code == .notAuthenticated { return .noAccount }
      if error.code == .operationCancelled { return .failed }
      return error.isRepeatedBySyncEngine
        ? .retry(afterSeconds: error.retryAfterSeconds) : .failed
    } catch {
      return .failed
    }
  }
}
