// One writing connection: carries groups out, connects again when the connection is lost, and finds out what
// became of a commit whose answer was.

import BrumeStorage

final class WriterThread {
  private let connector: Connector
  /// If the connection is to a worker of Citus.
  private let worker: WorkerSide?
  private let node: Node
  private let row: WriterRow
  private let line: LineAccess
  private var connection: Connection? { didSet { line.noteConnection(connection != nil) } }
  /// Whether the server behind the connection keeps what it confirms.
  private var isProven = false
  /// Ours: connections on which one group may fail. What it asks for may be what ends the server's sessions.
  private static let connections = 5
  /// Ours: milliseconds between two questions what became of a commit.
  private static let pause = 1000

  /// What a thread wants to know of the line of writes, and says to it.
  struct LineAccess: Sendable {
    /// Whether others wait.
    let isAwaited: @Sendable () -> Bool
    /// Whether the store is being closed.
    let isClosed: @Sendable () -> Bool
    /// The number of the write that came last.
    let last: @Sendable () -> Int64
    /// Whether the thread has a connection from now on.
    let noteConnection: @Sendable (Bool) -> Void
    /// Nobody can say when those will be served who wait for this group, or came no later than the write with this number.
    let refuse: @Sendable ([WriteJob], Int64, StoreError) -> Void
  }

  /// - Parameter name: of the thread's row of `writers`.
  init(
    _ name: String, _ connector: Connector, _ worker: WorkerSide?, _ node: Node,
    _ line: LineAccess
  ) {
    self.connector = connector
    self.worker = worker
    self.node = node
    self.line = line
    row = WriterRow(name: name, node.acknowledgements, acceptsLoss: node.acceptsLoss)
  }

  /// Runs the group until it is committed.
  ///
  /// - Parameter attempts: how often it may meet other transactions.
  func commit(_ jobs: [WriteJob], attempts: Int) throws -> WriteGroup.Outcome {
    var (conflicts, losses) = (0, 0)
    while true {
      do {
        return try commitOnce(jobs)
      } catch let error as ServerError where error.isConnectionLost {
        connection = nil
        losses += 1
        if losses == Self.connections { throw error }
      } catch let error as ServerError where error.isConflict && conflicts < attempts {
        conflicts += 1
      }
    }
  }

  private func commitOnce(_ jobs: [WriteJob]) throws -> WriteGroup.Outcome {
    let group = WriteGroup(
      jobs, try durable(), node, row, worker?.shards() ?? [:], isAwaited: line.isAwaited)
    let outcome: WriteGroup.Outcome
    do { outcome = try group.run() } catch {
      group.rollback()
      throw error
    }
    do { try group.commit() } catch let error as ServerError where error.isConnectionLost {
      connection = nil
      guard try isCommitted(jobs) else { throw error }
    } catch {
      group.rollback()
      throw error
    }
    group.committed()
    return outcome
  }

  /// What was looked at when this process began may be another server now, as after a failover.
  private func durable() throws -> Connection {
    let used = try connected()
    if !isProven, !node.acceptsLoss {
      do { try Durability(used).require() } catch {
        // The session keeps what it is set to.
        connection = nil
        throw error
      }
    }
    isProven = true
    return used
  }

  /// Connects if it is not connected. Answers whether it is.
  ///
  /// - Parameter isWanted: asked after each attempt that failed.
  func connect(while isWanted: () -> Bool) -> Bool {
    (try? connected(while: isWanted)) != nil
  }

  private func connected(while isWanted: () -> Bool = { true }) throws -> Connection {
    if let connection, connection.isUsable { return connection }
    let new = try connector.connect(while: isWanted)
    if worker != nil { try new.askShards() }
    try row.take(new)
    (connection, isProven) = (new, false)
    return new
  }

  /// What became of the group whose answer was lost. Before that is known nobody of it can be answered, so it
  /// asks as long as it takes.
  private func isCommitted(_ jobs: [WriteJob]) throws -> Bool {
    while true {
      let last = line.last()
      do {
        // A worker that is gone may have a successor, which the coordinator knows.
        if let worker {
          try row.find(on: worker.coordinator.connect())
        } else {
          _ = try connected()
        }
        return row.isCommitted
      } catch let error as StoreError where error.code == .unreachable {
        line.refuse(jobs, last, error)
      } catch is ServerError {
        connector.pause(Self.pause)
      }
      if line.isClosed() {
        throw StoreError(
          .unavailable, "the store is closed before PostgreSQL could say whether a write happened")
      }
    }
  }
}
