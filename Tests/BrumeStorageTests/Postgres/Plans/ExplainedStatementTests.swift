// What reads plans finds what is bad in them, and plans get old.

import Testing

@testable import BrumePostgres

@Suite struct ExplainedStatementTests {
  private func faults(
    _ plan: String, of statement: String = "SELECT 1"
  ) throws -> [String] {
    let text = """
      {
        "Query Text": "\(statement)",
        "Plan": { "Node Type": "Limit", "Actual Rows": 1, "Actual Loops": 1, "Plans": [\(plan)] }
      }
      """
    // Lines of a message but the first begin with a tabulator.
    let log = """
      LOG:  checkpoint starting: time
      LOG:  duration: 0.031 ms  plan:
      \(text.split(separator: "\n").map { "\t\($0)" }.joined(separator: "\n"))
      LOG:  connection closed
      """
    let statements = try ExplainedStatement.all(in: log)
    #expect(statements.map(\.text) == [statement])
    return statements.flatMap(\.faults)
  }

  @Test func `what is still being written at the end of a log is left out`() throws {
    let message = "LOG:  duration: 0.031 ms  plan:\n\t{\n\t  \"Query Text\": \"SELECT 1\"\n\t}\n"
    for length in 0..<message.utf8.count - 1 {
      let log = message + message.prefix(length)
      #expect(try ExplainedStatement.all(in: log).map(\.text) == ["SELECT 1"], "\(length)")
    }
    #expect(try ExplainedStatement.all(in: message + message).count == 2)
  }

  private func scan(
    _ kind: String, index: String = "records_pkey", condition: String, rows: Int = 1,
    removed: Int = 0, loops: Int = 1
  ) -> String {
    """
    { "Node Type": "\(kind)", "Relation Name": "records", "Index Name": "\(index)",
      "Index Cond": "\(condition)", "Actual Rows": \(rows), "Actual Loops": \(loops),
      "Rows Removed by Filter": \(removed) }
    """
  }
  private let whole = "((bucket = $1) AND (zone = $2) AND (name = $3))"

  @Test func `a look-up by the whole key is good`() throws {
    #expect(try faults(scan("Index Scan", condition: whole, loops: 200)) == [])
  }

  @Test func `a scan of a table, a look-up by half a key and one that reads much are not`() throws {
    for plan in [
      scan("Seq Scan", condition: ""), scan("Index Scan", condition: "(bucket = $1)"),
      scan("Index Scan", condition: whole, removed: 500),
      scan("Index Scan", condition: whole, rows: 3, loops: 200),
      #"{ "Node Type": "Sort", "Actual Rows": 200, "Actual Loops": 1 }"#,
    ] { #expect(try faults(plan).count == 1, "\(plan)") }
  }

  @Test func `what is about all of a zone names no more, and what is about a record does`() throws {
    let zone = scan("Index Scan", condition: "((bucket = $1) AND (zone = $2))", rows: 60)
    let removal = "DELETE FROM records WHERE bucket = $1 AND zone = $2"
    #expect(try faults(zone, of: removal) == [])
    #expect(try faults(zone, of: removal + " AND name = ANY ($3)").count == 1)
    let bucket = scan("Index Scan", condition: "(bucket = $1)")
    #expect(try faults(bucket, of: removal).count == 1)
  }

  @Test func `an index of which nobody has said what is compared is not good either`() throws {
    #expect(try faults(scan("Index Scan", index: "records_by_colour", condition: whole)).count == 1)
  }

  @Test func `every statement of the sources has a name and a place`() {
    let text = """
      // No SQL("SELECT 0") of a comment, and no JoinedSQL(sql).
      private static let first = SQL("SELECT 1")
      private static let joined = JoinedSQL(first)
        static func second() -> Table {
          Table(
      """
    let found = WrittenStatement.all(in: text, ofFile: "Planted")
    #expect(found.map(\.name) == ["Planted.first", "Planted.second"])
    #expect(found.map(\.place) == ["Planted.swift:2", "Planted.swift:5"])
    let planted = SQL("SELECT 'planted'")
    #expect(SQL.places(of: planted.text(onCitus: false)).count == 1)
    #expect(SQL.places(of: "SELECT 'something else'") == [])
  }

  @Test func `plans are made anew after twice as many exchanges each time`() {
    var age = PlanAge(after: 0)
    #expect((1...100).filter { age.isOver(after: $0) } == [16, 32, 64])
    var late = PlanAge(after: 1000)
    #expect((1000...5000).filter { late.isOver(after: $0) } == [2000, 4000])
  }
}
