// Time that moves only when a test says so, and shows when a task sleeps on it.

import BrumeDelivery
import BrumeModel
import BrumePush
import Synchronization

final class ManualClock: Sendable {
  private struct State {
    var now: Milliseconds = 1_000_000
    var lastID = 0
    var sleepers: [Int: (until: Milliseconds, wake: CheckedContinuation<Void, Never>)] = [:]
    var cancelled: Set<Int> = []
    var watchers: [(count: Int, wake: CheckedContinuation<Void, Never>)] = []
  }
  private let state = Mutex(State())

  var now: Milliseconds { state.withLock { $0.now } }

  var push: PushClock {
    PushClock(now: { self.now }, sleepUntil: { try await self.sleep($0) })
  }

  func advance(_ by: Milliseconds) {
    let due = state.withLock { state in
      state.now += by
      let due = state.sleepers.filter { $0.value.until <= state.now }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.map(\.wake)
    }
    for wake in due { wake.resume() }
  }

  /// Returns when at least `count` wait for time to pass.
  func sleepers(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.sleepers.count >= count { return true }
        state.watchers.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  private func sleep(_ until: Milliseconds) async throws {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { park($0, id, until) }
    } onCancel: {
      let wake = state.withLock { state in
        state.cancelled.insert(id)
        return state.sleepers.removeValue(forKey: id)?.wake
      }
      wake?.resume()
    }
    try Task.checkCancellation()
  }

  private func park(
    _ continuation: CheckedContinuation<Void, Never>, _ id: Int, _ until: Milliseconds
  ) {
    let woken = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      if state.cancelled.contains(id) || until <= state.now { return [continuation] }
      state.sleepers[id] = (until, continuation)
      let ready = state.watchers.filter { $0.count <= state.sleepers.count }
      state.watchers.removeAll { $0.count <= state.sleepers.count }
      return ready.map(\.wake)
    }
    for wake in woken { wake.resume() }
  }
}
