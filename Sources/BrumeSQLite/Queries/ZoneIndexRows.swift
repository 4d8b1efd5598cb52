// The rows of the query index that a deleted zone has left go some at a time: they stand side by side under each key.

import BrumeQueryPlan

struct ZoneIndexRows {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// Removes so many rows at most, and the keys that have none then. Answers how many; nil: there are more.
  func remove(ofZone zone: Int64, limit: Int) throws -> Int? {
    var left = limit
    while let key = try connection.first(Self.findKey, { $0.bind(1, zone) }, { $0.int(0) }) {
      let hasMore = try connection.exists(Self.hasMore) {
        $0.bind(1, key)
        $0.bind(2, left)
      }
      if hasMore {
        try connection.run(Self.removeFirst) {
          $0.bind(1, key)
          $0.bind(2, left)
        }
        return nil
      }
      left -= try connection.changes { try connection.run(Self.removeRows) { $0.bind(1, key) } }
      try connection.run(Self.removeKey) { $0.bind(1, key) }
    }
    return limit - left
  }

  private static let findKey = SQL("SELECT id FROM index_keys WHERE zone = ?1 LIMIT 1")
  private static let hasMore = SQL("SELECT 1 FROM query_index WHERE key = ?1 LIMIT 1 OFFSET ?2")
  private static let removeFirst = SQL(
    """
    DELETE FROM query_index WHERE key = ?1 AND (value, name) < (
      SELECT value, name FROM query_index WHERE key = ?1 ORDER BY value, name LIMIT 1 OFFSET ?2)
    """)
  private static let removeRows = SQL("DELETE FROM query_index WHERE key = ?1")
  private static let removeKey = SQL("DELETE FROM index_keys WHERE id = ?1")
}
