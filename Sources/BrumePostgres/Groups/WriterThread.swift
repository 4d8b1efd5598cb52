// One writing connection: carries groups out, connects again when the connection is lost, and finds out what
// became of a commit whose answer was.

import BrumeStorage

final class WriterThread {
  private let connector: Connector
  private let node: Node
  private let row: WriterRow
  private let isAwaited: @Sendable () -> Bool
  private var connection: Connection?

  /// - Parameter name: of the thread's row of `writers`.
  init(
    _ name: String, _ connector: Connector, _ node: Node, isAwaited: @escaping @Sendable () -> Bool
  ) {
    self.connector = connector
    self.node = node
    self.isAwaited = isAwaited
    row = WriterRow(name: name)
  }

  /// Runs the group until it is committed.
  ///
  /// - Parameter attempts: how often it may meet other transactions.
  func commit(_ jobs: [WriteJob], attempts: Int) throws -> WriteGroup.Outcome {
    var conflicts = 0
    while true {
      do {
        return try commitOnce(jobs)
      } catch let error as ServerError where error.isConnectionLost {
        connection = nil
      } catch let error as ServerError where error.isConflict && conflicts < attempts {
        conflicts += 1
      }
    }
  }

  private func commitOnce(_ jobs: [WriteJob]) throws -> WriteGroup.Outcome {
    let group = WriteGroup(jobs, try connected(), node, row, isAwaited: isAwaited)
    let outcome: WriteGroup.Outcome
    do { outcome = try group.run() } catch {
      group.rollback()
      throw error
    }
    do { try group.commit() } catch let error as ServerError where error.isConnectionLost {
      connection = nil
      guard try row.isCommitted(on: connected()) else { throw error }
    } catch {
      group.rollback()
      throw error
    }
    row.committed()
    return outcome
  }

  private func connected() throws -> Connection {
    if let connection, connection.isUsable { return connection }
    let new = try connector.connect()
    try row.make(on: new)
    connection = new
    return new
  }
}
