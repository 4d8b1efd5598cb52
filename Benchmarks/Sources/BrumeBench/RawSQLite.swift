// The physical limit: SQLite's C library, WAL, synchronous=FULL, one writer, a record of about 1 KB
// with a unique key, two secondary indexes and a row in a change log. Nothing of ours.

import CSQLite
import Foundation

final class RawSQLite {
  private var database: OpaquePointer?
  private var statements: [OpaquePointer?] = []
  private let blob = [UInt8](repeating: 0x5A, count: 900)
  private var sequence: Int64 = 0

  init(path: String) throws {
    guard sqlite3_open(path, &database) == SQLITE_OK else {
      throw BenchError("cannot open \(path)")
    }
    try execute(
      """
      PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;
      CREATE TABLE record(id INTEGER PRIMARY KEY, zone INTEGER, name TEXT, type TEXT, seq INTEGER,
        a INTEGER, b INTEGER, body BLOB);
      CREATE UNIQUE INDEX record_name ON record(zone, name);
      CREATE INDEX record_seq ON record(zone, seq);
      CREATE INDEX record_a ON record(type, a);
      CREATE TABLE log(seq INTEGER PRIMARY KEY, zone INTEGER, name TEXT, kind INTEGER);
      """)
    try prepare("INSERT INTO record(zone,name,type,seq,a,b,body) VALUES(1,?,'Note',?,?,?,?)")
    try prepare("INSERT INTO log(seq,zone,name,kind) VALUES(?,1,?,1)")
    try prepare("SELECT name, body FROM record WHERE zone=1 AND seq>? ORDER BY seq LIMIT 100")
  }

  deinit {
    for statement in statements { sqlite3_finalize(statement) }
    sqlite3_close(database)
  }

  /// One transaction with `count` new records.
  func save(_ count: Int) throws {
    try execute("BEGIN IMMEDIATE")
    for _ in 0..<count {
      sequence += 1
      let name = UUID().uuidString
      bind(0, 1, name)
      sqlite3_bind_int64(statements[0], 2, sequence)
      sqlite3_bind_int64(statements[0], 3, sequence % 1000)
      sqlite3_bind_int64(statements[0], 4, sequence % 7)
      _ = blob.withUnsafeBytes {
        sqlite3_bind_blob(statements[0], 5, $0.baseAddress, Int32($0.count), transient)
      }
      try step(0)
      sqlite3_bind_int64(statements[1], 1, sequence)
      bind(1, 2, name)
      try step(1)
    }
    try execute("COMMIT")
  }

  /// Reads 100 records after a random sequence and touches every byte count; answers how many came.
  func page() -> (rows: Int, bytes: Int) {
    let statement = statements[2]
    sqlite3_bind_int64(statement, 1, Int64.random(in: 0..<max(1, sequence - 100)))
    var (rows, bytes) = (0, 0)
    while sqlite3_step(statement) == SQLITE_ROW {
      rows += 1
      bytes += Int(sqlite3_column_bytes(statement, 0)) + Int(sqlite3_column_bytes(statement, 1))
    }
    sqlite3_reset(statement)
    return (rows, bytes)
  }

  private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  private func bind(_ statement: Int, _ index: Int32, _ text: String) {
    sqlite3_bind_text(statements[statement], index, text, -1, transient)
  }
  private func step(_ index: Int) throws {
    guard sqlite3_step(statements[index]) == SQLITE_DONE else { throw BenchError("step failed") }
    sqlite3_reset(statements[index])
  }
  private func prepare(_ sql: String) throws {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else {
      throw BenchError(String(cString: sqlite3_errmsg(database)))
    }
    statements.append(statement)
  }
  private func execute(_ sql: String) throws {
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
      throw BenchError(String(cString: sqlite3_errmsg(database)))
    }
  }
}

struct BenchError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
