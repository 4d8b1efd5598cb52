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
  private let pushes = Mutex<(account: Int, task: Task<Void, Never>)?>(nil)

  init(_ jobs: SyncJobs) {
    self.jobs = jobs
    (events, sink) = AsyncStream.makeStream()
  }

  func report(_ event: SyncScheduler.Event) { sink.yield(event) }

  func start() {
    report(.started(hasPendingChanges: jobs.state.value.hasPendingChanges))
    let loop = Task { [weak self, events] in
      for await event in events { self?.handle(event) }
    }
    tasks.withLock { $0 = [loop] }
  }

  func stop() {
    sink.finish()
    for task in tasks.withLock({ $0 }) { task.cancel() }
    timer.withLock { $0 }?.cancel()
    pushes.withLock { $0?.task.cancel() }
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
  /// Whenever a stream is connected, it fetches: other engines of the same device have streams of their own, and may
  /// have acknowledged meanwhile what this one was to get.
  private func listen() {
    pushes.withLock { pushes in
      guard pushes == nil else { return }
      let stream = RemoteNotifications(jobs.database.connection) { [weak self] in
        self?.report(.pushed)
      }
      let task = Task { [weak self, jobs] in
        await withTaskCancellationHandler {
          while let push = await stream.next() {
            let id = CKNotification(fromRemoteNotificationDictionary: push)?.subscriptionID
            if id == nil || id == jobs.usedSubscription.withLock({ $0 }) { self?.report(.pushed) }
          }
        } onCancel: {
          stream.stop()
        }
        self?.pushesEnded(jobs.database.connection.account)
      }
      pushes = (jobs.database.connection.account, task)
    }
  }

  private func pushesEnded(_ account: Int) {
    pushes.withLock { if $0?.account == account { $0 = nil } }
  }

  /// Somebody signed in or out: the pushes of one user are not another's.
  func accountChanged() {
    pushes.withLock { pushes in
      pushes?.task.cancel()
      pushes = nil
    }
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
