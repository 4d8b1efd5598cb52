// When a sync engine fetches and sends by itself. Only decides: `SyncDriver.swift` carries the actions
// out and reports how they ended.
//
// The rules: one job at a time, fetching before sending, so that conflicts are found early. A failure
// that passes is repeated, after the server's wait or a growing pause; a send that waits comes before the
// repetition of a fetch, which may fail for long. A failure that does not pass
// waits for the next reason to sync. Without an account nothing happens.

struct SyncScheduler: Equatable, Sendable {
  enum Job: Equatable, Sendable { case fetch, send }

  enum Outcome: Equatable, Sendable {
    /// It ran. `isFruitless`: everything that was sent failed, and the app asked for it again.
    case done(isFruitless: Bool = false)
    /// Worth another attempt.
    case retry(afterSeconds: Double?)
    /// The server does not know who we are.
    case noAccount
    /// Another attempt does not help.
    case failed
  }

  enum Event: Equatable, Sendable {
    case started(hasPendingChanges: Bool)
    /// The app has something to send.
    case changesAdded
    /// The app's own fetch failed.
    case fetchWanted
    /// The server has something to fetch, and can be reached, as its push came.
    case pushed
    /// The server can be reached: its stream of pushes stands, for the first time or again.
    case connected
    case accountArrived
    case finished(Job, Outcome)
    case timePassed
    /// The app cancelled everything.
    case cancelled
  }

  enum Action: Equatable, Sendable {
    case run(Job)
    /// Report `timePassed` after so many seconds.
    case wait(seconds: Double)
    case nothing
  }

  /// Ours: the first pause after a failure, doubled each time up to the longest.
  static let firstPauseSeconds = 1.0
  static let longestPauseSeconds = 300.0
  /// Ours: sends in a row that change nothing before they count as failures. A conflict that the app
  /// solves takes one.
  static let fruitlessLimit = 3

  private(set) var running: Job?
  private var wantsFetch = false
  private var wantsSend = false
  /// The last job was a fetch, and failed.
  private var sendsFirst = false
  private var hasAccount = true
  /// The running job may have asked before the account arrived.
  private var arrivedMeanwhile = false
  private var pausing: Pause?
  private var failures = 0
  /// A send that succeeds says nothing of a fetch that fails: while somebody edits it would be repeated with each.
  private var fetchPausing: Pause?
  private var fetchFailures = 0
  private var fruitless = 0

  /// Something happened at a time, in seconds. `chance` from 0 to 1 spreads the pauses of many devices.
  mutating func event(_ event: Event, now: Double, chance: Double) -> Action {
    switch event {
    case .started(let hasPendingChanges):
      wantsFetch = true
      wantsSend = hasPendingChanges
    case .changesAdded: wantsSend = true
    case .fetchWanted: wantsFetch = true
    case .pushed, .connected:
      wantsFetch = true
      endGuess(now)
    case .accountArrived:
      hasAccount = true
      arrivedMeanwhile = running != nil
      wantsFetch = true
      calmDown(after: .fetch)
    case .timePassed: break
    case .cancelled:
      wantsFetch = false
      wantsSend = false
    case .finished(let job, let outcome): finished(job, outcome, now, chance)
    }
    return next(now)
  }

  private mutating func finished(_ job: Job, _ outcome: Outcome, _ now: Double, _ chance: Double) {
    running = nil
    switch outcome {
    case .done(let isFruitless):
      fruitless = isFruitless ? fruitless + 1 : 0
      if fruitless >= Self.fruitlessLimit {
        pause(now, chance)
      } else {
        calmDown(after: job)
      }
    case .retry(let seconds):
      want(job)
      sendsFirst = job == .fetch
      pause(now, chance, atLeast: seconds, endsWhenReached: seconds == nil)
      if job == .fetch { pauseFetching(now, chance) }
    case .noAccount:
      want(job)
      hasAccount = arrivedMeanwhile
    case .failed: break
    }
  }

  private mutating func want(_ job: Job) {
    switch job {
    case .fetch: wantsFetch = true
    case .send: wantsSend = true
    }
  }

  private mutating func pause(
    _ now: Double, _ chance: Double, atLeast seconds: Double? = nil, endsWhenReached: Bool = false
  ) {
    let length = max(seconds ?? 0, Self.seconds(after: failures, chance))
    failures += 1
    pausing = Pause(from: now, until: now + length, endsWhenReached: endsWhenReached)
  }

  private mutating func pauseFetching(_ now: Double, _ chance: Double) {
    let length = Self.seconds(after: fetchFailures, chance)
    fetchFailures += 1
    fetchPausing = Pause(from: now, until: now + length, endsWhenReached: true)
  }

  private static func seconds(after failures: Int, _ chance: Double) -> Double {
    min(longestPauseSeconds, firstPauseSeconds * Double(1 << min(failures, 16)))
      * (0.5 + 0.5 * chance)
  }

  /// The server can be reached. A pause that was cut short does not make the next one longer: else a few pushes
  /// while much fails would end in a wait of minutes.
  private mutating func endGuess(_ now: Double) {
    if fetchPausing?.left(now) != nil { (fetchPausing, fetchFailures) = (nil, fetchFailures - 1) }
    guard let pausing, pausing.endsWhenReached, pausing.left(now) != nil else { return }
    self.pausing = nil
    failures -= 1
  }

  private mutating func calmDown(after job: Job) {
    (pausing, failures) = (nil, 0)
    if job == .fetch { (fetchPausing, fetchFailures) = (nil, 0) }
  }

  private mutating func next(_ now: Double) -> Action {
    guard running == nil, hasAccount, wantsFetch || wantsSend else { return .nothing }
    if let seconds = pausing?.left(now) { return .wait(seconds: seconds) }
    let fetchWait = fetchPausing?.left(now)
    if let fetchWait, !wantsSend { return .wait(seconds: fetchWait) }
    let fetches = wantsFetch && fetchWait == nil
    let job: Job = fetches && !(sendsFirst && wantsSend) ? .fetch : .send
    sendsFirst = false
    if job == .fetch { wantsFetch = false } else { wantsSend = false }
    running = job
    arrivedMeanwhile = false
    return .run(job)
  }
}

extension SyncScheduler.Event {
  /// What the app's own fetch or send leaves to do when it has failed. Nil: it was cancelled, or refused because a
  /// delegate would have waited for it.
  static func after(
    _ error: any Error, of job: SyncScheduler.Job, isFromDelegate: Bool
  ) -> Self? {
    if isFromDelegate || (error as? CKError)?.code == .operationCancelled { return nil }
    return job == .fetch ? .fetchWanted : .changesAdded
  }
}

/// The time in which nothing is tried, by the device's clock.
private struct Pause: Equatable, Sendable {
  let from: Double
  let until: Double
  /// It guesses when the server can be reached again. A wait that the server asked for is none.
  let endsWhenReached: Bool

  /// The seconds that are left; nil if none are. A clock that was set back to before the pause says nothing of
  /// its end, which may be hours away by then: it counts as over.
  func left(_ now: Double) -> Double? { now >= from && now < until ? until - now : nil }
}

extension CKError {
  /// Failures that the engine repeats by itself (Apple: CKSyncEngine): the app is not notified of them,
  /// and the changes stay pending. So with a program that the server does not take, as after its API token
  /// was revoked: no change is the reason of that.
  var isRepeatedBySyncEngine: Bool {
    switch code {
    case .notAuthenticated, .accountTemporarilyUnavailable, .networkFailure, .networkUnavailable,
      .requestRateLimited, .serviceUnavailable, .zoneBusy, .serverResponseLost,
      .operationCancelled, .missingEntitlement:
      true
    case .serverRejectedRequest: isServerFailure
    default: false
    }
  }
}
