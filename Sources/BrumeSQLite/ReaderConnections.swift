// The connections that read, each kept with the statements that it has prepared: a read that prepares
// its statements anew spends most of its time on that.

import BrumeStorage
import GRDB
import Synchronization

final class ReaderConnections: Sendable {
  /// Sendable because GRDB gives a database to one reader at a time, and with it its connection.
  private struct Kept: @unchecked Sendable {
    let connection: Connection
  }

  private struct State {
    var kept: [ObjectIdentifier: Kept] = [:]
    var isClosed = false
  }

  private let state = Mutex(State())
  private let damaged: DamagedRows

  init(_ damaged: DamagedRows) { self.damaged = damaged }

  /// The connection of a database that the caller has from GRDB for now. It has no failure from before.
  func connection(of database: Database) -> Connection {
    let name = ObjectIdentifier(database)
    if let known = state.withLock({ $0.kept[name] }) {
      known.connection.forgetFailure()
      return known.connection
    }
    let new = Kept(connection: Connection(database, damaged))
    state.withLock { if !$0.isClosed { $0.kept[name] = new } }
    return new.connection
  }

  /// Lets go of all of them and keeps none from now on: SQLite does not close a connection that has
  /// statements.
  func close() {
    state.withLock {
      $0.kept = [:]
      $0.isClosed = true
    }
  }
}
