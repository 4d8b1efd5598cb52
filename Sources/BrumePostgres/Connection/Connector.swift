// The connector makes connections, again and again while the server cannot be reached.

import BrumeStorage
import Dispatch
import Logging
import Synchronization

struct Connector: Sendable {
  private(set) var settings: ConnectionSettings
  let logger: Logger
  /// Waits on the calling thread until the semaphore is signalled, or for so many milliseconds; false if they
  /// passed.
  let wait: @Sendable (DispatchSemaphore, Int) -> Bool
  /// Waits on the calling thread, for so many milliseconds.
  let pause: @Sendable (Int) -> Void
  /// A clock that never goes back, in milliseconds.
  let milliseconds: @Sendable () -> Int64
  /// Makes one connection.
  typealias Open =
    @Sendable (ConnectionSettings, ExchangeCounter, DamagedRows) throws(ServerError) -> Connection
  private let open: Open
  /// Of all connections.
  private(set) var exchanges = ExchangeCounter()
  /// What all connections have found to be damaged.
  let damaged: DamagedRows
  /// What the log says while there is no connection to be had. Shared by all who connect.
  private var outage: Outage
  /// After which the caller gets the error.
  private var attempts = Self.attempts
  private let closing = Closing()
  /// Whoever has connections that nobody uses.
  private let idle = IdleConnections()
  /// Whether it takes the place of one of those when the server has none left.
  private var takesSpare = false

  /// What ends a connection that nobody uses, for all copies.
  private final class IdleConnections: Sendable {
    let giveUp = Mutex<(@Sendable () -> Void)?>(nil)
  }

  /// Says what ends a connection that nobody uses, so that one that serves no request and is needed more gets its place.
  func onNoneFree(_ giveUp: @escaping @Sendable () -> Void) {
    idle.giveUp.withLock { $0 = giveUp }
  }

  /// Whether the store is being closed, for all copies.
  private final class Closing: Sendable {
    let hasBegun = Atomic<Bool>(false)
  }

  /// From now on nobody tries again: whoever ends a server does not wait for its database.
  func close() { closing.hasBegun.store(true, ordering: .releasing) }

  /// For connections that serve no request, and count apart.
  var aside: Connector {
    var connector = self
    connector.exchanges = ExchangeCounter()
    connector.takesSpare = true
    return connector
  }

  /// For connections to a worker of Citus. One attempt: the coordinator can do what the worker does not.
  func to(_ worker: Worker) -> Connector {
    var (connector, logger) = (self, logger)
    logger[metadataKey: "store.worker"] = "\(worker.host):\(worker.port)"
    connector.settings = settings.at(worker)
    connector.outage = Outage(logger)
    connector.attempts = 1
    return connector
  }

  /// - Parameters:
  ///   - pause: between attempts; nil: by `wait`.
  ///   - open: one attempt.
  init(
    settings: ConnectionSettings, logger: Logger,
    wait: @escaping @Sendable (DispatchSemaphore, Int) -> Bool,
    pause: (@Sendable (Int) -> Void)? = nil, milliseconds: @escaping @Sendable () -> Int64,
    open: @escaping Open = { (settings, exchanges, damaged) throws(ServerError) in
      try Connection(settings, exchanges, damaged)
    }
  ) {
    self.settings = settings
    self.open = open
    self.logger = logger
    outage = Outage(logger)
    damaged = DamagedRows { row in
      logger.error(
        "what is stored is damaged; look at the database server's disk, and run 'brume doctor --deep'",
        metadata: ["store.table": "\(row.table)", "store.key": "\(row.key)"])
    }
    self.wait = wait
    self.pause = pause ?? { _ = wait(DispatchSemaphore(value: 0), $0) }
    self.milliseconds = milliseconds
  }

  /// Ours: milliseconds between attempts, at first and at most.
  private static let pauses = (first: 50, longest: 1000)
  /// Ours: attempts after which the caller gets the error, and the time after which no other begins: about ten
  /// seconds, in which a standby takes over.
  private static let attempts = 15
  private static let time: Int64 = 10_000

  /// - Parameters:
  ///   - endsWhenRefused: whether an answer that only an operator can change ends it at once. Not while a
  ///     server runs: passwords are changed and databases brought back meanwhile.
  ///   - isWanted: asked after each attempt that failed.
  /// - Throws: `StoreError` with `unreachable`.
  func connect(
    endsWhenRefused: Bool = false, while isWanted: () -> Bool = { true }
  ) throws(StoreError) -> Connection {
    var wait = Self.pauses.first
    var reason = StoreError(.unreachable, "PostgreSQL cannot be reached: no answer")
    let start = milliseconds()
    var takesSpare = takesSpare
    for _ in 0..<attempts {
      let began = milliseconds()
      do throws(ServerError) {
        return try attempt()
      } catch {
        reason = error.ofConnecting
        if endsWhenRefused, error.isFinal { throw reason }
        if takesSpare, error.isNoneFree {
          // Once, or who reads would have none left where the limit is too low for all of them.
          takesSpare = false
          idle.giveUp.withLock { $0 }?()
        }
      }
      outage.failed(reason.description, since: began, at: milliseconds())
      if milliseconds() - start > Self.time || !isWanted() { break }
      if closing.hasBegun.load(ordering: .acquiring) { break }
      pause(wait)
      wait = min(2 * wait, Self.pauses.longest)
    }
    throw reason
  }

  private func attempt() throws(ServerError) -> Connection {
    let connection = try open(settings, exchanges, damaged)
    try settings.worker?.require(connection)
    try StoreLock.share(connection)
    outage.reached(at: milliseconds())
    return connection
  }
}
