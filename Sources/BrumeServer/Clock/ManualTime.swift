// Time that stands still until somebody moves it, and everything that waits for it, by name. A development server
// may run on it (`--clock manual`), and a server inside a test does.

package import BrumeDelivery
package import BrumeModel
import Synchronization

/// A clock that is moved by hand. Waiting for it ends when its time has come, whatever other clocks say.
package final class ManualTime: Sendable {
  private struct Alarm {
    let timer: ClockState.Timer
    /// Whether its time has come; false: it was given up.
    let ring: @Sendable (Bool) -> Void
  }
  /// Somebody who waits until so much waits.
  private struct Watcher {
    let count: Int
    let ring: @Sendable (Bool) -> Void
  }
  private struct State {
    var now: Milliseconds
    var lastID = 0
    var alarms: [Int: Alarm] = [:]
    var watchers: [Int: Watcher] = [:]

    /// The next first.
    var timers: [ClockState.Timer] {
      alarms.values.map(\.timer).sorted { ($0.time, $0.name) < ($1.time, $1.name) }
    }

    /// Those whose time has come.
    mutating func takeDue() -> [Alarm] {
      let due = alarms.filter { $0.value.timer.time <= now }
      for id in due.keys { alarms[id] = nil }
      return due.values.sorted { $0.timer.time < $1.timer.time }
    }

    /// Those for whom enough waits.
    mutating func takeWatchers() -> [Watcher] {
      let due = watchers.filter { $0.value.count <= alarms.count }
      for id in due.keys { watchers[id] = nil }
      return Array(due.values)
    }
  }
  private let state: Mutex<State>

  package init(_ start: Milliseconds) { state = Mutex(State(now: start)) }

  /// What everything that reads this clock reads.
  package var now: Milliseconds { state.withLock { $0.now } }

  /// How much waits for this clock.
  package var alarmCount: Int { state.withLock { $0.alarms.count } }

  /// The time, and what waits for it, the next first.
  package func shown(most: Int) -> ClockState {
    state.withLock {
      ClockState(now: $0.now, isManual: true, timers: Array($0.timers.prefix(most)))
    }
  }

  /// Moves the time forwards, and ends what waited for it.
  package func advance(by step: Milliseconds) {
    let due = state.withLock { state in
      state.now += max(0, step)
      return state.takeDue()
    }
    for alarm in due { alarm.ring(true) }
  }

  /// Moves the time to the next timer, and answers which that was; nil: nothing waits.
  package func advanceToNext() -> ClockState.Timer? {
    let (next, due) = state.withLock { state -> (ClockState.Timer?, [Alarm]) in
      guard let next = state.timers.first else { return (nil, []) }
      state.now = max(state.now, next.time)
      return (next, state.takeDue())
    }
    for alarm in due { alarm.ring(true) }
    return next
  }
}

// MARK: Waiting

extension ManualTime {
  /// Calls `ring` once: when the time has come, at once if it is past, or when the alarm is given up.
  ///
  /// - Parameter name: what waits, for people who move the clock.
  /// - Returns: names the alarm to `giveUp`.
  @discardableResult
  package func alarm(
    at time: Milliseconds, for name: String, _ ring: @escaping @Sendable (Bool) -> Void
  ) -> Int {
    let (id, isPast, watchers) = state.withLock { state -> (Int, Bool, [Watcher]) in
      state.lastID += 1
      if time <= state.now { return (state.lastID, true, []) }
      let timer = ClockState.Timer(name: name, time: time)
      state.alarms[state.lastID] = Alarm(timer: timer, ring: ring)
      return (state.lastID, false, state.takeWatchers())
    }
    if isPast { ring(true) }
    for watcher in watchers { watcher.ring(true) }
    return id
  }

  /// Takes an alarm back, which then rings with false; nothing happens if it has rung.
  package func giveUp(_ id: Int) {
    state.withLock { $0.alarms.removeValue(forKey: id) }?.ring(false)
  }

  /// Returns when the time has come.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  package func sleep(until time: Milliseconds, for name: String) async throws {
    try await wait({ alarm(at: time, for: name, $0) }, orGiveUp: giveUp)
  }

  /// Returns when so much waits: the moment to move the time.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  package func somethingWaits(atLeast count: Int = 1) async throws {
    try await wait({ watch(atLeast: count, $0) }, orGiveUp: stopWatching)
  }

  private func watch(atLeast count: Int, _ ring: @escaping @Sendable (Bool) -> Void) -> Int {
    let (id, due) = state.withLock { state in
      state.lastID += 1
      state.watchers[state.lastID] = Watcher(count: count, ring: ring)
      return (state.lastID, state.takeWatchers())
    }
    for watcher in due { watcher.ring(true) }
    return id
  }

  private func stopWatching(_ id: Int) {
    state.withLock { $0.watchers.removeValue(forKey: id) }?.ring(false)
  }

  /// Waits until what `begin` is given is called, which has to be once.
  private func wait(
    _ begin: (@escaping @Sendable (Bool) -> Void) -> Int,
    orGiveUp giveUp: @escaping @Sendable (Int) -> Void
  ) async throws {
    let wait = Wait()
    let hasCome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard wait.begins(continuation) else { return }
        let id = begin { wait.end($0) }
        if wait.isGivenUp(id) { giveUp(id) }
      }
    } onCancel: {
      if let id = wait.giveUp() { giveUp(id) }
    }
    if !hasCome { throw CancellationError() }
  }

  /// The clock for a part of the server that waits.
  package func clock(for name: String) -> PushClock {
    PushClock(now: { self.now }, sleepUntil: { try await self.sleep(until: $0, for: name) })
  }
}

/// One sleep, which its time or the end of its task ends, whichever comes first.
private final class Wait: Sendable {
  private struct State {
    var continuation: CheckedContinuation<Bool, Never>?
    var id: Int?
    var isGivenUp = false
  }
  private let state = Mutex(State())

  /// False if it was given up before: then it has ended.
  func begins(_ continuation: CheckedContinuation<Bool, Never>) -> Bool {
    let isGivenUp = state.withLock { state in
      if !state.isGivenUp { state.continuation = continuation }
      return state.isGivenUp
    }
    if isGivenUp { continuation.resume(returning: false) }
    return !isGivenUp
  }

  func end(_ hasCome: Bool) {
    let continuation = state.withLock { state in
      defer { state.continuation = nil }
      return state.continuation
    }
    continuation?.resume(returning: hasCome)
  }

  /// Notes the alarm, and answers whether the wait was given up before it was known.
  func isGivenUp(_ id: Int) -> Bool {
    state.withLock { state in
      state.id = id
      return state.isGivenUp
    }
  }

  /// The alarm to give up, if it is known.
  func giveUp() -> Int? {
    state.withLock { state in
      state.isGivenUp = true
      return state.id
    }
  }
}
