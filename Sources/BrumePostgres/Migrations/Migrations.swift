// The tables' versions. A migration is never changed once it is published; a new one is added at the end.
// Several processes may start at the same time: one migrates, under a lock of the database, and the others
// wait for it.

import BrumeStorage

enum Migrations {
  /// The statements of each version, from nothing to the newest.
  static let all: [String] = [
    foundation + records + queries + subscriptions + notifications + accounts + assets,
    operators,
    servedChanges,
    rowSums,
    bucketsApart,
    failedAttempts,
    commitsOfBuckets,
    pushedDevices,
  ]

  /// Ours: how often steps are tried that wait for who waits for them.
  private static let attempts = 10
  /// Ours: seconds that a step waits for a table that others hold.
  static let patience = 10

  /// Brings the tables to the newest version, in one transaction. Answers their version before.
  ///
  /// - Parameter buckets: into how many buckets a new store is divided.
  /// - Throws: `StoreError` with `tooNew` if a newer program made the tables.
  static func run(on connection: Connection, buckets: Int) throws {
    try repeatingDeadlocks { try runOnce(on: connection, buckets: buckets) }
  }

  /// Servers of the version before save meanwhile, and hold some tables while they wait for others: PostgreSQL may end
  /// the steps for it, of which nothing is left then.
  static func repeatingDeadlocks(_ body: () throws -> Void) throws {
    for attempt in 1... {
      do {
        return try body()
      } catch let error as ServerError where error.isDeadlock && attempt < attempts {}
    }
  }

  private static func runOnce(on connection: Connection, buckets: Int) throws {
    // A step takes as long as its tables need, and another process's steps are waited for.
    try connection.simple("BEGIN; SET LOCAL statement_timeout = 0")
    do {
      try migrate(connection, buckets)
      try connection.simple("COMMIT")
    } catch {
      try? connection.simple("ROLLBACK")
      throw error
    }
  }

  private static func migrate(_ connection: Connection, _ buckets: Int) throws {
    // "Brume" in ASCII.
    try connection.simple("SELECT pg_advisory_xact_lock(285890407781)")
    let version = try version(connection)
    guard version <= all.count else {
      throw StoreError(
        .tooNew,
        "the database has tables of version \(version), and this program knows \(all.count); "
          + "use the newer program")
    }
    // Whoever wants a table after us waits too, as long as somebody holds it whom we wait for.
    try connection.simple("SET LOCAL lock_timeout = '\(patience)s'")
    for migration in all.dropFirst(version) { try connection.simple(migration) }
    if version == 0 { try divide(connection, buckets) }
    if version < all.count {
      try connection.simple("UPDATE store SET version = \(all.count)")
    }
    try CitusTables.divide(on: connection)
  }

  /// The table of a store, null if there is none: in the schema that tables are made in, and in no other of the path.
  static let store = "to_regclass(quote_ident(current_schema()) || '.store')"
  /// Whether there is no schema for tables, whether it has no store, and whether only a later one has.
  static let place = SQL(
    """
    SELECT current_schema() IS NULL, \(store) IS NULL, \(store) IS NULL AND to_regclass('store') IS NOT NULL
    """)
  static let isElsewhere =
    "the first schema of the database's search path has no store, and a table 'store' is in a later one, which "
    + "would be taken for it; name the store's schema alone, with 'options=-csearch_path%3DNAME'"

  private static func version(_ connection: Connection) throws -> Int {
    try connection.send(Self.place)
    let answer = try connection.exchange().first?.first
    guard answer?.isTrue(0) == false else {
      throw StoreError(
        .unreachable, "the first schema of the database's search path is missing; create it")
    }
    guard answer?.isTrue(2) == false else { throw StoreError(.unreachable, Self.isElsewhere) }
    if answer?.isTrue(1) == true { return 0 }
    try connection.send(SQL("SELECT version FROM store"))
    return Int(try connection.exchange().first?.first?.integer(0) ?? 0)
  }

  /// For who only reads a store.
  ///
  /// - Throws: `StoreError` if there is none, or its tables are of an earlier version.
  static func requireNewest(on connection: Connection) throws {
    let version = try version(connection)
    guard version > 0 else {
      throw StoreError(
        .unreachable,
        "there is no store in the database, or not in the first schema of its search path; look at the name of the "
          + "database, and at 'options=-csearch_path%3DNAME'")
    }
    guard version >= all.count else {
      throw StoreError(
        .unreachable,
        "the database has tables of version \(version), and this program reads those of \(all.count); start a server "
          + "of this version on it first, and stop it, or use the program that was used last")
    }
  }

  /// How many buckets there are never changes.
  private static func divide(_ connection: Connection, _ buckets: Int) throws {
    try connection.simple(
      """
      INSERT INTO store (version, buckets) VALUES (0, \(buckets));
      INSERT INTO buckets (bucket) SELECT generate_series(-2, \(buckets - 1));
      INSERT INTO notifiers (bucket) SELECT generate_series(0, \(buckets - 1));
      INSERT INTO mail (bucket) SELECT generate_series(0, \(buckets - 1));
      """)
  }
}
