// The database's clock, by which all processes go. One whose machine shows another time says so in its log.

import BrumeModel
import BrumeStorage
import Logging
import Synchronization

final class DatabaseClock: Sendable {
  private let time: SharedTime
  private let logger: Logger
  private let wasApart = Atomic<Bool>(false)

  /// - Parameter time: learns what the clock shows.
  init(_ time: SharedTime, _ logger: Logger) {
    self.time = time
    self.logger = logger
  }

  /// Looks at the clock. That the machine's is another, or is right again, is said once.
  func look(on connection: Connection) throws(ServerError) {
    try time.learn { () throws(ServerError) in try Self.shown(on: connection) }
    let (isApart, difference) = (time.isApart, time.difference)
    guard wasApart.exchange(isApart, ordering: .relaxed) != isApart else { return }
    let facts: Logger.Metadata = ["store.clock_ahead_ms": "\(difference)"]
    guard isApart else {
      return logger.notice("this machine's clock agrees with the database's again", metadata: facts)
    }
    logger.warning(
      """
      this machine's clock is not the database's, by which all servers go; let both machines set their clocks by the \
      network (NTP)
      """, metadata: facts)
  }

  /// In milliseconds since 1970.
  static func shown(on connection: Connection) throws(ServerError) -> Milliseconds {
    try connection.send(read)
    return try connection.exchange()[0].first?.integer(0) ?? 0
  }

  /// Of no table: on Citus it might be the clock of a worker.
  private static let read = SQL("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
}
