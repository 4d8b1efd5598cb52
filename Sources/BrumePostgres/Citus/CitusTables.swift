// Citus, an extension of PostgreSQL, spreads tables over several servers, its workers. Where the database has workers, the
// tables whose rows begin with a bucket are divided by it: all rows of a bucket are on one worker, and with them the
// lock of the bucket. What belongs to no bucket stays with the coordinator, to which we connect; of users each worker has a copy.

import BrumeStorage

enum CitusTables {
  /// Divides the tables that are not divided yet. In the transaction that brings the tables to their version.
  static func divide(on connection: Connection) throws {
    guard try isThere(connection) else { return }
    try connection.send(undivided)
    let tables = try connection.exchange()[0].map { $0.text(0) }
    for table in tables { try connection.simple(statement(table)) }
    try connection.simple(copyUsers)
  }

  /// Saves read their user in the transaction that their bucket's worker has, so each server has a copy.
  private static let copyUsers = """
    SELECT create_reference_table('users')
    WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'users'::regclass)
    """

  /// Whether the database has workers.
  private static func isThere(_ connection: Connection) throws -> Bool {
    try connection.send(SQL("SELECT 1::bigint FROM pg_extension WHERE extname = 'citus'"))
    guard try connection.exchange()[0].count == 1 else { return false }
    try connection.send(
      SQL("SELECT count(*) FROM pg_dist_node WHERE shouldhaveshards AND groupid <> 0"))
    return try connection.exchange()[0].first?.integer(0) ?? 0 > 0
  }

  /// All with the first, so that equal buckets are on one worker.
  private static func statement(_ table: String) -> String {
    let others = table == first ? "none" : first
    return "SELECT create_distributed_table('\(table)', 'bucket', colocate_with => '\(others)')"
  }

  private static let first = "buckets"

  // Leases are taken past rows that are locked, which Citus does on one server only.
  private static let undivided = SQL(
    """
    SELECT relname::text FROM pg_class
    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname <> 'notifiers'
      AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'bucket')
      AND NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = pg_class.oid)
    ORDER BY relname <> '\(first)', relname
    """)
}
