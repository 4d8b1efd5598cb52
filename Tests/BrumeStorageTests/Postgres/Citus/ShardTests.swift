// Which statements go to a shard, and what they are there.

import BrumeStorage
import Testing

@testable import BrumePostgres

struct ShardTests {
  private let shard = Shard(
    number: 102_008,
    tables: ["buckets": "buckets_102008", "log": "log_102011", "users": "users_102099"])
  private let other = Shard(number: 102_009, tables: [:])

  @Test func `a statement has the shard's tables, wherever it names them`() {
    let statement = """
      UPDATE buckets SET last = (SELECT max(log.position) FROM (SELECT * FROM log) AS log)
      WHERE bucket = $1 AND buckets.bucket = $1 RETURNING last
      """
    #expect(
      shard.text(statement) == """
        UPDATE buckets_102008 SET last = (SELECT max(log_102011.position) FROM (SELECT * FROM log_102011) AS log_102011)
        WHERE bucket = $1 AND buckets_102008.bucket = $1 RETURNING last
        """)
    #expect(shard.text("SELECT 1 FROM users") == "SELECT 1 FROM users_102099")
  }

  @Test
  func `what only begins or ends like a table stays, as does a table that the shard does not have`()
  {
    for text in ["SELECT 1 FROM push_log", "log2 catalog log_", "FROM webhooks", ""] {
      #expect(shard.text(text) == text)
    }
  }

  @Test func `a statement says by its words that its first parameter is the bucket`() {
    #expect(SQL("SELECT 1 FROM log WHERE bucket = $1").rows == .ofBucket)
    #expect(SQL("SELECT 1 FROM log WHERE bucket + 0 = $1").rows == .ofBucket)
    #expect(SQL("SELECT 1 FROM log WHERE bucket = $2").rows == .anywhere)
    #expect(SQL("SELECT 1 FROM users WHERE id = $1").rows == .anywhere)
    #expect(SQL("SELECT 1 FROM log WHERE bucket = $1", rows: .anywhere).rows == .anywhere)
    let joined = SQL("SELECT 1 FROM log WHERE bucket = $1 AND name = $2", each: [.integer, .text])
    #expect(joined.joined?.sql.rows == .ofBucket)
    let table = Table("log", key: [("bucket", .integer), ("id", .text)], columns: [])
    for command in table.upserted([[.integer(1), .text("a")]], onCitus: true)
      + table.deleted([[.integer(1), .text("a")]], onCitus: true)
    {
      #expect(command.sql.rows == .ofBucket)
    }
    let bare = Table("users", key: [("id", .text)], columns: [])
    #expect(bare.upserted([[.text("a")]], onCitus: true).map(\.sql.rows) == [.anywhere])
  }

  @Test func `each shard has statements of its own, and the one used longest ago goes first`() {
    var prepared = PreparedStatements()
    let statements = (0..<PreparedStatements.mostOfShards).map { SQL("SELECT \($0)") }
    for sql in statements {
      let use = prepared.use(sql, in: shard)
      #expect(use.isNew && use.freed == nil)
    }
    let again = prepared.use(statements[0], in: shard)
    #expect(!again.isNew && again.freed == nil)
    let next = prepared.use(statements[0], in: other)
    #expect(next.isNew && next.name != again.name)
    #expect(next.freed == "\(statements[1].name)_\(shard.number)")
    #expect(prepared.use(statements[1], in: shard).isNew)
  }
}
