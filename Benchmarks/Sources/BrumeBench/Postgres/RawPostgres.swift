// The physical limit: what a program that is written by hand does with PostgreSQL for a save of about 1 KB,
// by one statement in one exchange: the counter of its database, the record and the row of a change log.
// Nothing of ours.

import Foundation

final class RawPostgres: Sendable {
  /// Databases beyond those that hold pages.
  static let keys = 10_000
  static let keyOfPages: Int64 = 0
  private static let shards: Int64 = 64
  private let url: String

  init(_ server: PostgresServer) throws {
    url = server.url
    let connection = try RawConnection(url)
    try connection.run(
      """
      CREATE SCHEMA raw; SET search_path = raw;
      CREATE TABLE databases (
        shard bigint, id bigint, sequence bigint NOT NULL DEFAULT 0, PRIMARY KEY (shard, id))
        WITH (fillfactor = 60);
      CREATE TABLE records (
        shard bigint, database bigint, zone text COLLATE "C", name text COLLATE "C", type text,
        sequence bigint, a bigint, b bigint, content bytea,
        PRIMARY KEY (shard, database, zone, name));
      CREATE INDEX ON records (shard, database, zone, sequence);
      CREATE TABLE log (
        shard bigint, position bigint, database bigint, kind int, zone text, name text, type text,
        sequence bigint, usr text, device text, request text, time bigint,
        PRIMARY KEY (shard, position));
      INSERT INTO databases SELECT id % \(Self.shards), id FROM generate_series(0, \(Self.keys)) id;
      ANALYZE databases;
      """)
  }

  func connect() throws -> RawDatabase { try RawDatabase(RawConnection(url)) }

  static func shard(of key: Int64) -> Int64 { key % shards }
}

/// One connection with its statements. One thread uses it.
final class RawDatabase {
  private let connection: RawConnection
  private let blob = [UInt8](repeating: 0x5A, count: 900)

  init(_ connection: RawConnection) throws {
    self.connection = connection
    try connection.run("SET search_path = raw; SET enable_seqscan = off; SET jit = off")
    try connection.prepare("save", Self.save)
    try connection.prepare("batch", Self.batch)
    try connection.prepare(
      "page",
      """
      SELECT name, type, sequence, content FROM records
      WHERE shard = $1 AND database = $2 AND zone = 'Notes' AND sequence > $3
      ORDER BY sequence LIMIT 100
      """)
  }

  /// One new record in a database.
  func save(in key: Int64) throws {
    try connection.run(
      prepared: "save", place(key) + [Binary.text(UUID().uuidString), blob])
  }

  /// Some new records in a database.
  func save(_ count: Int, in key: Int64) throws {
    let names = (0..<count).map { _ in UUID().uuidString }
    let blobs = [[UInt8]](repeating: blob, count: count)
    try connection.run(prepared: "batch", place(key) + [Binary.texts(names), Binary.blobs(blobs)])
  }

  /// 100 records after a sequence; answers how many came.
  func page(of key: Int64, after sequence: Int64) throws -> Int {
    try connection.run(prepared: "page", place(key) + [Binary.integer(sequence)]).rows
  }

  func analyze() throws { try connection.run("ANALYZE records") }

  private func place(_ key: Int64) -> [[UInt8]] {
    [Binary.integer(RawPostgres.shard(of: key)), Binary.integer(key)]
  }

  // A position is unique because a database and its sequence are.
  private static let save = """
    WITH d AS (
      UPDATE databases SET sequence = sequence + 1 WHERE shard = $1 AND id = $2::bigint
      RETURNING sequence),
    r AS (
      INSERT INTO records SELECT $1::bigint, $2::bigint, 'Notes', $3::text, 'Note', sequence,
        sequence % 1000, sequence % 7, $4::bytea FROM d)
    INSERT INTO log SELECT $1::bigint, $2::bigint * 10000000 + sequence, $2::bigint, 1, 'Notes', $3::text,
      'Note', sequence, 'user', 'device', 'request', 1 FROM d
    """
  private static let batch = """
    WITH d AS (
      UPDATE databases SET sequence = sequence + cardinality($3::text[])
      WHERE shard = $1 AND id = $2::bigint
      RETURNING sequence - cardinality($3::text[]) AS base),
    given AS (
      SELECT name, content, base + i AS sequence
      FROM d, unnest($3::text[], $4::bytea[]) WITH ORDINALITY u (name, content, i)),
    r AS (
      INSERT INTO records SELECT $1::bigint, $2::bigint, 'Notes', name, 'Note', sequence,
        sequence % 1000, sequence % 7, content FROM given)
    INSERT INTO log SELECT $1::bigint, $2::bigint * 10000000 + sequence, $2::bigint, 1, 'Notes', name,
      'Note', sequence, 'user', 'device', 'request', 1 FROM given
    """
}
