// A thread that holds this process's leases, a round every few seconds and when another process's have lapsed. Before each
// it looks at the database's clock.

import BrumeModel
import BrumeStorage
import Dispatch
import Logging
import Synchronization

final class LeaseKeeper: Sendable {
  private let leases: PostgresLeases
  private let bucketCount: Int
  private let files: String?
  private let clock: DatabaseClock?
  private let connector: Connector
  private let acknowledgements: Acknowledgements
  private let signals: [CommitSignals]
  private let isFollowing: @Sendable () -> Bool
  private let isEnding = Atomic<Bool>(false)
  private let wake = DispatchSemaphore(value: 0)
  private let ending = ThreadEnd()

  /// - Parameters:
  ///   - files: where this process keeps files; nil: it does not matter.
  ///   - clock: nil: nobody goes by it.
  ///   - signals: who works for buckets, and is notified of those that come.
  ///   - isFollowing: whether this process learns what others do. One that does not leaves its buckets to them.
  init(
    _ leases: PostgresLeases, bucketCount: Int, filesIn files: String?,
    _ clock: DatabaseClock?, _ connector: Connector, _ acknowledgements: Acknowledgements,
    _ signals: [CommitSignals],
    isFollowing: @escaping @Sendable () -> Bool
  ) {
    self.leases = leases
    self.bucketCount = bucketCount
    self.files = files
    self.clock = clock
    self.connector = connector
    self.acknowledgements = acknowledgements
    self.signals = signals
    self.isFollowing = isFollowing
  }

  /// Takes the first leases, then goes on on a thread.
  ///
  /// - Throws: `StoreError` if another process that is there keeps files elsewhere.
  func start() throws {
    let connection = try connector.connect()
    try translatingErrors {
      try clock?.look(on: connection)
      _ = try round(connection)
    }
    try requireOnePlace(connection)
    guard EngineThread.start({ self.run() }) else {
      throw StoreError(.unavailable, "no thread for leases")
    }
  }

  /// Gives everything away and ends the thread.
  func close() async {
    isEnding.store(true, ordering: .releasing)
    wake.signal()
    await ending.wait()
  }

  private func run() {
    defer { ending.end() }
    var connection: Connection?
    var pause = LeaseRound.interval
    while true {
      _ = connector.wait(wake, pause)
      if isEnding.load(ordering: .acquiring) { break }
      do {
        try acknowledgements.check()
        let used = try connection ?? connector.connect()
        connection = used
        try clock?.look(on: used)
        pause = try leases.processes > 1 && !isFollowing() ? leave(used) : round(used)
      } catch let error as StoreError where error.code == .unavailable {
        // This process does nothing more with the database. Others need not wait for its leases.
        break
      } catch {
        // Whoever cannot renew loses the lease, and with it the right to write.
        (connection, pause) = (nil, LeaseRound.interval)
      }
    }
    // First here: while the database answers, another process has them already.
    forget()
    if let last = connection ?? (try? connector.connect()) {
      try? leaseRound(last).end()
    }
  }

  private func forget() { _ = leases.set([:], since: connector.milliseconds()) }

  /// Answers how many milliseconds the next one has time. A lease is counted from when the database was asked: an answer
  /// may take longer than a lease lasts.
  private func round(_ connection: Connection) throws(ServerError) -> Int {
    let start = connector.milliseconds()
    let result = try leaseRound(connection).run()
    leases.set(processes: result.nodes)
    let new = leases.set(result.owned, left: result.left, since: start)
    // Whoever had them before may have left work.
    if !new.isEmpty { for signal in signals { signal.signal(new) } }
    return result.pause
  }

  /// Gives everything away for now. Where nobody else is there to take it, the next round takes it back.
  private func leave(_ connection: Connection) throws(ServerError) -> Int {
    forget()
    let round = leaseRound(connection)
    try round.end()
    leases.set(processes: try round.presentNodes() + 1)
    // After an outage the leases may be asked for before the first look, which comes in a moment.
    return LeaseRound.interval / 5
  }

  private func leaseRound(_ connection: Connection) -> LeaseRound {
    LeaseRound(connection, leases.owner, bucketCount: bucketCount, filesIn: files)
  }

  private func requireOnePlace(_ connection: Connection) throws {
    let round = leaseRound(connection)
    guard let other = try round.otherPlace() else { return }
    try round.end()
    throw StoreError(
      .inUse,
      "another server on this database keeps files in another place (\(other), this one: \(files ?? "?")); "
        + "give all of them the same bucket with --assets, or what one gets the others miss")
  }
}
