// That a thread of an engine has ended, for who closes the engine.

import Synchronization

/// The end of a thread, and who waits for it.
package final class ThreadEnd: Sendable {
  private let state = Mutex<(hasEnded: Bool, waiting: [CheckedContinuation<Void, Never>])>(
    (false, []))

  package init() {}

  /// Returns when the thread has ended.
  package func wait() async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if !state.hasEnded { state.waiting.append(continuation) }
        return state.hasEnded
      }
      if hasEnded { continuation.resume() }
    }
  }

  /// The last that the thread does.
  package func end() {
    let waiting = state.withLock { state in
      state.hasEnded = true
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}
