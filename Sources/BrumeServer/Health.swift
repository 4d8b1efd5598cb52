// Whether the server can work. A storage failure is final: it is unknown what was written, so the
// server stops serving, and whoever supervises it starts it again.

import BrumeCore
package import BrumeStorage
import Logging
import Synchronization

/// What readiness answers, and what ends the server. One for each server.
package final class Health: Sendable {
  private struct State {
    var isServing = false
    var failure: StoreError?
  }
  private let state = Mutex(State())
  private let failures: AsyncStream<StoreError>
  private let failed: AsyncStream<StoreError>.Continuation

  package init() {
    (failures, failed) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
  }

  /// Whether the listener is open and the storage has not failed.
  package var isReady: Bool { state.withLock { $0.isServing && $0.failure == nil } }
  /// The first failure of the storage.
  package var failure: StoreError? { state.withLock { $0.failure } }

  /// The listener was opened or closed.
  package func serving(_ isServing: Bool) { state.withLock { $0.isServing = isServing } }

  /// The storage failed for good: the server ends with this error, or an earlier one.
  package func storageFailed(_ error: StoreError) {
    state.withLock { $0.failure = $0.failure ?? error }
    failed.yield(error)
  }

  /// Returns with the first failure, or nil when the task is cancelled.
  func firstFailure() async -> StoreError? {
    for await error in failures { return error }
    return nil
  }
}

extension Health {
  /// The store refused a request, or a part of one: the log says so, and what is final ends the server.
  func storeRefused(
    _ what: String, with error: StoreError, requestID: String, _ logger: Logger
  ) {
    if error.code == .unavailable { storageFailed(error) }
    logger.error(
      "the store refused \(what)",
      metadata: ["request.id": "\(requestID)", "error": "\(error)"])
  }
}

extension StoreRefusals {
  /// Those of a running server.
  init(_ health: Health, _ logger: Logger) {
    self.init { error, requestID in
      health.storeRefused("a part of a request", with: error, requestID: requestID, logger)
    }
  }
}
