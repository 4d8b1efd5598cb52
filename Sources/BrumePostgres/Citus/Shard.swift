// A shard: the tables in which one worker of Citus has the rows of some buckets. Whoever has locked a bucket asks them by their
// own names, and PostgreSQL keeps the plans. What Citus is asked, it plans each time, which took most of a save.
//
// Why nothing is lost when shards move: decision 0062.

/// The same object as long as its tables have the same names.
final class Shard: Sendable {
  /// That of the table `buckets`, with which the others move.
  let number: Int64
  /// Their names at the worker, by their names in statements.
  private let tables: [String: String]

  init(number: Int64, tables: [String: String]) {
    self.number = number
    self.tables = tables
  }

  /// A statement about its own tables. No column has the name of a table.
  func text(_ statement: String) -> String {
    var (text, word) = ("", "")
    for character in statement {
      if character.isLetter || character.isNumber || character == "_" {
        word.append(character)
      } else {
        text += tables[word] ?? word
        text.append(character)
        word = ""
      }
    }
    return text + (tables[word] ?? word)
  }

  /// Fails with a table that is not there, unless the worker has the shard, and nobody else a copy of it. Then the
  /// coordinator does what was asked for (`HandoverReason`).
  static let check = SQL(
    """
    SELECT (CASE WHEN count(*) = 1 AND bool_and(groupid = (SELECT groupid FROM pg_dist_local_group))
      THEN 'pg_dist_placement' ELSE 'brume_shard_elsewhere' END)::regclass
    FROM pg_dist_placement WHERE shardid = $1
    """)
}

extension Shard {
  /// Asks the coordinator for those that have one place.
  ///
  /// - Parameter known: stay as they are.
  static func read(
    _ numbers: Set<Int64>, from connection: Connection, knowing known: [Int64: Shard]
  ) throws(ServerError) -> [Int64: Shard] {
    let kept = known.filter { numbers.contains($0.key) }
    if kept.count == numbers.count { return kept }
    try connection.send(findTables)
    var tables: [Int64: [String: String]] = [:]
    for (number, name, own) in try connection.exchange()[0].map({
      ($0.integer(0), $0.text(1), $0.text(2))
    }) {
      tables[number, default: [:]][name] = own
    }
    return tables.reduce(into: kept) { shards, found in
      guard numbers.contains(found.key), kept[found.key] == nil else { return }
      shards[found.key] = Shard(number: found.key, tables: found.value)
    }
  }

  // Those that are divided alike, and the copy of users, of which each worker has one.
  private static let findTables = SQL(
    """
    SELECT own.shardid, relname::text, relname || '_' || other.shardid
    FROM pg_dist_shard AS own
      JOIN pg_dist_shard AS other
        ON other.shardminvalue = own.shardminvalue OR other.logicalrelid = 'users'::regclass
      JOIN pg_dist_partition AS part ON part.logicalrelid = other.logicalrelid
      JOIN pg_class ON pg_class.oid = other.logicalrelid
    WHERE own.logicalrelid = 'buckets'::regclass
      AND (part.logicalrelid = 'users'::regclass OR part.colocationid = (
        SELECT colocationid FROM pg_dist_partition WHERE logicalrelid = own.logicalrelid))
    """)
}
