// What the log says while the database cannot be reached: once that it is away, ever more seldom that it still is, and
// once that it is back. All threads of a store that connect share it.

import BrumeStorage
import Logging
import Synchronization

final class Outage: Sendable {
  private struct State {
    /// When the first attempt failed; nil: the server can be reached.
    var since: Int64?
    /// When an attempt succeeded last.
    var lastReached = Int64.min
    var lines = RareLine()
  }
  private let state = Mutex(State())
  private let logger: Logger

  init(_ logger: Logger) { self.logger = logger }

  /// An attempt has failed. One that began before another one succeeded says nothing of now.
  ///
  /// - Parameters:
  ///   - start: when it began, in milliseconds.
  ///   - now: when it ended.
  func failed(_ reason: String, since start: Int64, at now: Int64) {
    // Under the lock, so that lines are in order.
    state.withLock { state in
      guard start >= state.lastReached else { return }
      let since = state.since
      state.since = since ?? start
      guard state.lines.isDue(at: now) else { return }
      var metadata: Logger.Metadata = ["store.error": "\(reason)"]
      if let since { metadata["store.away_seconds"] = "\((now - since) / 1000)" }
      let still = since == nil ? "" : " still"
      logger.error("PostgreSQL\(still) cannot be reached", metadata: metadata)
    }
  }

  /// An attempt has succeeded.
  func reached(at now: Int64) {
    state.withLock { state in
      state.lastReached = now
      guard let since = state.since else { return }
      (state.since, state.lines) = (nil, RareLine())
      logger.notice(
        "PostgreSQL can be reached again",
        metadata: ["store.away_seconds": "\((now - since) / 1000)"])
    }
  }
}
