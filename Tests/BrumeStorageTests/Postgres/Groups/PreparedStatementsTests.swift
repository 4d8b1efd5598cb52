// Statements that are put together for queries are freed again, and those of the program stay.

import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumePostgres

struct PreparedStatementsTests {
  private static let count = SQL(
    "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%AS \"of a query\"'")
  private static let wrong = SQL("SELECT 1 / $1::bigint")

  private static func statement(_ number: Int) -> SQL {
    SQL("SELECT \(number)::bigint AS \"of a query\"", isOfQuery: true)
  }

  private func number(_ sql: SQL, _ connection: Connection) throws -> Int64? {
    try Session(connection).first(sql, []) { $0.integer(0) }
  }

  @Test func `a connection keeps so many statements of queries, and prepares one again`() throws {
    let connection = try Connection.forTest(try PostgresServer.shared.get().emptySchema())
    let statements = (0..<PreparedStatements.mostOfQueries + 50).map(Self.statement)
    for (index, sql) in statements.enumerated() {
      #expect(try number(sql, connection) == Int64(index))
    }
    #expect(try number(Self.count, connection) == Int64(PreparedStatements.mostOfQueries))
    #expect(try number(statements[0], connection) == 0)
    #expect(try number(Self.count, connection) == Int64(PreparedStatements.mostOfQueries))
  }

  @Test func `one that could not be freed, after an error, can be used`() throws {
    let connection = try Connection.forTest(try PostgresServer.shared.get().emptySchema())
    let statements = (0...PreparedStatements.mostOfQueries).map(Self.statement)
    for sql in statements.dropLast() { _ = try number(sql, connection) }
    #expect(throws: ServerError.self) {
      try connection.send(Self.wrong, [.integer(0)])
      try connection.send(statements[PreparedStatements.mostOfQueries])
      _ = try connection.exchange()
    }
    #expect(try number(statements[0], connection) == 0)
    #expect(
      try number(statements[PreparedStatements.mostOfQueries], connection)
        == Int64(PreparedStatements.mostOfQueries))
  }

  @Test func `the one that was used longest ago goes first`() {
    var prepared = PreparedStatements()
    let statements = (0...PreparedStatements.mostOfQueries).map(Self.statement)
    let ofProgram = SQL("SELECT 1")
    let first = prepared.use(ofProgram)
    #expect(first.isNew)
    for sql in statements.dropLast() {
      let use = prepared.use(sql)
      #expect(use.isNew && use.freed == nil)
    }
    let again = prepared.use(statements[0])
    #expect(!again.isNew && again.freed == nil)
    let last = prepared.use(statements[PreparedStatements.mostOfQueries])
    #expect(last.freed == statements[1].name)
    let (freed, kept) = (prepared.use(statements[1]), prepared.use(ofProgram))
    #expect(freed.isNew && !kept.isNew)
  }
}
