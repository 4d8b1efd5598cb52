// The signal wakes one waiting loop. Signals merge; one that comes while nobody waits ends the next wait at once.

import Synchronization

final class WakeUpSignal: Sendable {
  private enum State {
    case quiet, signalled
    case waiting(CheckedContinuation<Void, Never>)
  }
  private let state = Mutex(State.quiet)

  func signal() {
    let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if case .waiting(let continuation) = state {
        state = .quiet
        return continuation
      }
      state = .signalled
      return nil
    }
    waiting?.resume()
  }

  /// Returns at the first signal since the last wait, and when the task is cancelled.
  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state in
          if case .signalled = state {
            state = .quiet
            return true
          }
          // Cancellation may have come before there was anything to release.
          if Task.isCancelled { return true }
          state = .waiting(continuation)
          return false
        }
        if goesOn { continuation.resume() }
      }
    } onCancel: {
      release()
    }
  }

  private func release() {
    let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard case .waiting(let continuation) = state else { return nil }
      state = .quiet
      return continuation
    }
    waiting?.resume()
  }
}
