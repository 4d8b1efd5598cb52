// Makes connections, again and again while the server cannot be reached.

import BrumeStorage
import Logging

struct Connector: Sendable {
  let settings: ConnectionSettings
  let logger: Logger
  /// Waits on the calling thread, for so many milliseconds.
  let pause: @Sendable (Int) -> Void
  /// A clock that never goes back, in milliseconds.
  let milliseconds: @Sendable () -> Int64
  /// Of all connections.
  let exchanges = ExchangeCounter()

  init(
    settings: ConnectionSettings, logger: Logger, pause: @escaping @Sendable (Int) -> Void,
    milliseconds: @escaping @Sendable () -> Int64
  ) {
    self.settings = settings
    self.logger = logger
    self.pause = pause
    self.milliseconds = milliseconds
  }

  /// Ours: milliseconds between attempts, at first and at most.
  private static let pauses = (first: 50, longest: 1000)
  /// Ours: attempts after which who waits is told, and the time after which no other begins: about ten
  /// seconds, in which a standby takes over.
  private static let attempts = 15
  private static let time: Int64 = 10_000

  /// - Throws: `StoreError` with `unreachable`.
  func connect() throws(StoreError) -> Connection {
    var wait = Self.pauses.first
    var reason = "no answer"
    let start = milliseconds()
    for _ in 0..<Self.attempts {
      do throws(ServerError) {
        return try Connection(settings, exchanges)
      } catch {
        reason = error.description
      }
      if milliseconds() - start > Self.time { break }
      pause(wait)
      wait = min(2 * wait, Self.pauses.longest)
    }
    logger.error("PostgreSQL cannot be reached", metadata: ["store.error": "\(reason)"])
    throw StoreError(.unreachable, "PostgreSQL cannot be reached: \(reason)")
  }
}
