// Makes connections, again and again while the server cannot be reached.

import BrumeStorage
import Logging

struct Connector: Sendable {
  let settings: ConnectionSettings
  let logger: Logger
  /// Waits on the calling thread, for so many milliseconds.
  let pause: @Sendable (Int) -> Void

  /// Ours: milliseconds between attempts, at first and at most.
  private static let pauses = (first: 50, longest: 1000)
  /// Ours: attempts after which who waits is told: about ten seconds, in which a standby takes over.
  private static let attempts = 15

  /// - Throws: `StoreError` with `unreachable`.
  func connect() throws(StoreError) -> Connection {
    var wait = Self.pauses.first
    var last: ServerError?
    for _ in 0..<Self.attempts {
      do throws(ServerError) {
        let connection = try Connection(settings)
        try StoreLock.share(connection)
        return connection
      } catch {
        last = error
      }
      pause(wait)
      wait = min(2 * wait, Self.pauses.longest)
    }
    let reason = last?.description ?? "no answer"
    logger.error("PostgreSQL cannot be reached", metadata: ["store.error": "\(reason)"])
    throw StoreError(.unreachable, "PostgreSQL cannot be reached: \(reason)")
  }
}
