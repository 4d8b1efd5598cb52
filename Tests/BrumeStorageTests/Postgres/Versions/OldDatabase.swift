// A database as a program of an earlier version left it, with rows in the forms of the time.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Foundation

@testable import BrumePostgres

struct OldDatabase {
  let url: String
  private let connection: Connection

  /// - Parameter version: of the tables; 0 for a database of which no program knows.
  init(_ version: Int, on server: PostgresServer) throws {
    url = try server.emptySchema()
    connection = try Connection.forTest(url)
    guard version > 0 else { return }
    let steps = Migrations.all.prefix(version).joined()
    // What the first start on it added to the tables.
    let places = """
      INSERT INTO store (version, buckets) VALUES (\(version), 1);
      INSERT INTO buckets (bucket) VALUES (-2), (-1), (0);
      INSERT INTO notifiers (bucket) VALUES (0);
      INSERT INTO mail (bucket) VALUES (0);
      """
    let later = version > 1 ? "INSERT INTO operators VALUES ('o', 'ada', 'full', 'none', 5);" : ""
    try connection.simple("BEGIN; \(steps) \(places) \(try Self.rows()) \(later) COMMIT")
  }

  /// Of `OldContents`. No name of a column is left out that a later version may have changed the meaning of.
  private static func rows() throws -> String {
    let key = DatabaseKey.sample()
    let place =
      "'\(key.container.name)', '\(key.environment.rawValue)', '\(key.owner?.name ?? "")'"
    let records = [(Int64(1), "a"), (2, "b")].map { sequence, name in
      let record = Record.sample(name, sequence: sequence, fields: ["n": .int64(sequence)])
      let bytes = StoreCoders.wireForm.record.encode(record).map { String(format: "%02x", $0) }
      return """
        INSERT INTO records (bucket, zone, name, type, sequence, content)
          VALUES (0, 2, '\(name)', 'Trail', \(sequence), '\\x\(bytes.joined())');
        """
    }
    return """
      SELECT nextval('place_numbers');
      INSERT INTO databases (bucket, id, container, environment, owner, sequence, floor)
        VALUES (0, 1, \(place), 3, 0);
      INSERT INTO zones (bucket, id, database, name, incarnation, last_sequence, has_shares)
        VALUES (0, 2, 1, 'Trails', 1, 3, 0);
      \(records.joined())
      INSERT INTO records (bucket, zone, name, deleted_type, sequence) VALUES (0, 2, 'gone', 'Trail', 3);
      INSERT INTO users (id, name, email, token_epoch, discoverable)
        VALUES ('_a1', 'alice', 'A@example.org', 2, 0);
      INSERT INTO settings (bucket, name, value) VALUES (-1, 'secret', '\\x07');
      UPDATE buckets SET last = 1 WHERE bucket = 0;
      INSERT INTO log (bucket, position, database, kind, zone, name, type, subject, request, time)
        VALUES (0, 1, 1, 1, 2, 'gone', 'Trail', '3', 'R', 6);
      """
  }

  /// Nil: there are no tables.
  func version() throws -> Int? {
    guard try !tables().isEmpty else { return nil }
    return try texts("SELECT version::text FROM store").first.flatMap { Int($0) }
  }

  /// All columns and indexes, in words.
  func tables() throws -> [String] {
    try texts(
      """
      SELECT format('%s.%s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull)
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      WHERE c.relnamespace = to_regnamespace(current_schema()::text) AND c.relkind = 'r'
        AND a.attnum > 0 AND NOT a.attisdropped
      UNION ALL SELECT replace(indexdef, current_schema()::text || '.', '')
      FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1
      """)
  }

  /// Carries out statements without answers.
  func execute(_ statements: String) throws { try connection.simple(statements) }

  private func texts(_ question: String) throws -> [String] {
    try connection.send(SQL(question))
    return try connection.exchange()[0].map { $0.text(0) }
  }
}
