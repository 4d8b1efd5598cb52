// Work that many ask for at once, such as a look at what others have changed: all who ask before it begins share it.
// Whoever comes while it runs waits for the next, because this one may have seen less than they know.

import Synchronization

/// Runs one piece of work at a time, for everybody who waited for it.
package final class SharedWork: Sendable {
  private enum Turn: Sendable {
    /// The work is to be done for oneself and for these.
    case mine(for: [Waiting])
    /// Somebody else has done it.
    case done(Result<Void, any Error>)
  }
  private typealias Waiting = CheckedContinuation<Turn, Never>

  private struct State {
    var isRunning = false
    var waiting: [Waiting] = []
  }
  private let state = Mutex(State())

  package init() {}

  /// Does the work, or waits until somebody has done it who began after this was called.
  ///
  /// - Throws: what the work throws. If its task was cancelled, the next who waits does it.
  package func run(_ work: () async throws -> Void) async throws {
    switch await turn() {
    case .done(let result): try result.get()
    case .mine(let others):
      do {
        try await work()
        end(.success(()), others)
      } catch is CancellationError {
        handOver(others)
        throw CancellationError()
      } catch {
        end(.failure(error), others)
        throw error
      }
    }
  }

  private func turn() async -> Turn {
    await withCheckedContinuation { continuation in
      let begins = state.withLock { state in
        if state.isRunning { state.waiting.append(continuation) }
        defer { state.isRunning = true }
        return !state.isRunning
      }
      if begins { continuation.resume(returning: .mine(for: [])) }
    }
  }

  private func end(_ result: Result<Void, any Error>, _ others: [Waiting]) {
    for other in others { other.resume(returning: .done(result)) }
    handOver([])
  }

  /// The first who waits begins, for all others.
  private func handOver(_ others: [Waiting]) {
    let waiting = state.withLock { state in
      let waiting = others + state.waiting
      state.waiting = []
      state.isRunning = !waiting.isEmpty
      return waiting
    }
    waiting.first?.resume(returning: .mine(for: Array(waiting.dropFirst())))
  }
}
