// Time that stands still until a test moves it. A sleep on it ends when its time has come.

import BrumeClient
import BrumeCore
import BrumeModel
import BrumeServer
public import Foundation
import Synchronization

/// The clock of a ``LocalServer`` and its devices.
public final class ManualClock: Sendable {
  private struct State {
    var now: Milliseconds
    var lastID = 0
    var sleepers: [Int: (until: Milliseconds, wake: CheckedContinuation<Bool, Never>)] = [:]
    var watchers: [CheckedContinuation<Void, Never>] = []
  }
  private let state: Mutex<State>

  /// Starts on 2026-11-20 at 12:00 UTC.
  init(_ start: Milliseconds = 1_795_176_000_000) { state = Mutex(State(now: start)) }

  /// The time.
  public var now: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

  var milliseconds: Milliseconds { state.withLock { $0.now } }

  /// How many tasks sleep on this clock.
  public var sleepers: Int { state.withLock { $0.sleepers.count } }

  /// Moves the time, and ends the sleeps that waited for it.
  public func advance(by duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let step = seconds * 1000 + attoseconds / 1_000_000_000_000_000
    let due = state.withLock { state in
      state.now += max(0, step)
      let due = state.sleepers.filter { $0.value.until <= state.now }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.map(\.wake)
    }
    for sleeper in due { sleeper.resume(returning: true) }
  }

  /// Returns when at least one task sleeps: the moment to ``advance(by:)``.
  public func someoneSleeps() async {
    await withCheckedContinuation { watcher in
      let isSleeping = state.withLock { state in
        if state.sleepers.isEmpty { state.watchers.append(watcher) }
        return !state.sleepers.isEmpty
      }
      if isSleeping { watcher.resume() }
    }
  }

  func sleep(_ duration: Duration) async throws {
    let (seconds, attoseconds) = duration.components
    let length = seconds * 1000 + attoseconds / 1_000_000_000_000_000
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    let woken = await withTaskCancellationHandler {
      await withCheckedContinuation { park($0, id, length) }
    } onCancel: {
      state.withLock { $0.sleepers.removeValue(forKey: id) }?.wake.resume(returning: false)
    }
    if !woken { throw CancellationError() }
  }

  private func park(
    _ wake: CheckedContinuation<Bool, Never>, _ id: Int, _ length: Milliseconds
  ) {
    let (answer, watchers) = state.withLock {
      state -> (Bool?, [CheckedContinuation<Void, Never>]) in
      if Task.isCancelled { return (false, []) }
      if length <= 0 { return (true, []) }
      state.sleepers[id] = (state.now + length, wake)
      defer { state.watchers = [] }
      return (nil, state.watchers)
    }
    if let answer { wake.resume(returning: answer) }
    for watcher in watchers { watcher.resume() }
  }
}

extension BrumeCore.Host {
  /// The clock is the test's; identity and chance are the real ones.
  static func manual(_ clock: ManualClock) -> BrumeCore.Host {
    BrumeCore.Host(
      now: { clock.milliseconds }, uuid: BrumeCore.Host.real.uuid,
      randomBytes: BrumeCore.Host.real.randomBytes)
  }
}

extension Session.Host {
  static func manual(_ clock: ManualClock) -> Session.Host {
    Session.Host(
      now: { clock.now }, uuid: BrumeCore.Host.real.uuid, chance: { 0.5 },
      sleep: { try await clock.sleep($0) })
  }
}
