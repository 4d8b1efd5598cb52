// Who uses a store: each connection of a server holds a lock of the database with all others, and a move holds
// it alone. PostgreSQL lets go of it when the connection ends, however that ends.

enum StoreLock {
  /// "Brum" in ASCII. The second number is that of the table, so that stores in other schemas are others.
  private static let name = "1114798445, \(Migrations.store)::oid::integer"
  private static let share = SQL(
    "SELECT \(Migrations.store) IS NULL OR pg_try_advisory_lock_shared(\(name))")
  private static let own = SQL("SELECT pg_advisory_lock(\(name)) IS NOT NULL")
  /// A server process that just ends lets go of its locks a moment later.
  private static let wait = SQL("SELECT set_config('lock_timeout', '2s', false)")
  private static let waitNoMore = SQL("SELECT set_config('lock_timeout', '0', false)")

  /// For a connection of a server. It does nothing as long as there is no store.
  static func share(_ connection: Connection) throws(ServerError) {
    try connection.send(share)
    guard try connection.exchange().first?.first?.isTrue(0) == true else {
      throw ServerError(
        code: nil, message: "'brume migrate' works on this database; wait for its end")
    }
  }

  /// For a move. Answers false if a server uses the store, or another move.
  static func own(_ connection: Connection) throws(ServerError) -> Bool {
    do {
      for sql in [wait, own, waitNoMore] { try connection.send(sql) }
      _ = try connection.exchange()
      return true
    } catch {
      // "lock_not_available"
      guard error.code == "55P03" else { throw error }
      return false
    }
  }
}
