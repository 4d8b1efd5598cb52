// Questions of one kind are one statement, and each gets its own rows.

import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumePostgres

struct JoinedQuestionsTests {
  private static let rows = SQL(
    "SELECT n FROM generate_series(1::bigint, $2::bigint) AS n WHERE $1::bigint > 0",
    each: [.integer, .integer])
  private static let alone = SQL("SELECT $1::bigint")

  private final class Answers {
    var numbers: [String: [Int64]] = [:]

    func question(_ name: String, _ sql: SQL, _ values: [Int64]) -> Question {
      Question(sql, values.map { .integer($0) }) { [self] rows in
        numbers[name] = rows.map { $0.integer(0) }
      }
    }
  }

  @Test func `each question gets its rows, also who gets none`() throws {
    let answers = Answers()
    let connection = try Connection.forTest(try PostgresServer.shared.get().emptySchema())
    try Session(connection).ask([
      answers.question("two", Self.rows, [1, 2]), answers.question("alone", Self.alone, [7]),
      answers.question("none", Self.rows, [1, 0]), answers.question("three", Self.rows, [2, 3]),
      answers.question("other", Self.alone, [8]),
    ])
    #expect(
      answers.numbers == [
        "two": [1, 2], "alone": [7], "none": [], "three": [1, 2, 3], "other": [8],
      ])
  }

  @Test func `they keep the place of the first of their kind`() {
    let answers = Answers()
    let joined = JoinedQuestions(
      [
        answers.question("a", Self.rows, [1, 2]), answers.question("b", Self.alone, [7]),
        answers.question("c", Self.rows, [2, 2]),
      ], onCitus: false)
    #expect(joined.commands.map(\.sql.name) == [Self.rows.joined?.sql.name, Self.alone.name])
  }

  @Test func `on Citus only those of one bucket are asked together`() {
    let answers = Answers()
    let joined = JoinedQuestions(
      [
        answers.question("a", Self.rows, [1, 2]), answers.question("b", Self.rows, [2, 2]),
        answers.question("c", Self.rows, [1, 3]), answers.question("d", Self.rows, [1, 4]),
      ], onCitus: true)
    #expect(joined.commands.map(\.sql.name) == [Self.rows.joined?.sql.name, Self.rows.name])
    #expect(joined.commands.first?.values.first?.number == 1)
  }

  @Test func `on Citus two are two statements, each of which it knows where to send`() {
    let answers = Answers()
    let joined = JoinedQuestions(
      [answers.question("a", Self.rows, [1, 2]), answers.question("b", Self.rows, [1, 3])],
      onCitus: true)
    #expect(joined.commands.map(\.sql.name) == [Self.rows.name, Self.rows.name])
  }
}
