// One statement for many questions of one kind: PostgreSQL takes as long to begin and end a statement as to look
// up a row.

import BrumeStorage

/// Gets an array for each parameter of the question. Each of its rows has the number of its question, from 1, as the last
/// column.
final class JoinedSQL: Sendable {
  let sql: SQL
  private let types: [SQLType]

  /// - Parameters:
  ///   - citus: the question on Citus. There the first parameter, the bucket, is the same for all, because Citus
  ///     looks for the worker that has it.
  ///   - types: of the parameters.
  ///   - file: where the question is written.
  init(_ text: String, onCitus citus: String, _ types: [SQLType], _ file: String, _ line: Int) {
    self.types = types
    sql = SQL(
      Self.each(text, types, from: 0), onCitus: Self.each(citus, types, from: 1), file: file,
      line: line)
  }

  /// - Parameter sql: in words of its own, of a question that is asked alone on Citus.
  init(_ sql: SQL, _ types: [SQLType]) { (self.sql, self.types) = (sql, types) }

  /// The parameters, from those of each question.
  func values(_ questions: [[SQLValue]], onCitus: Bool) -> [SQLValue] {
    types.indices.map { index in
      if onCitus, index == 0 { return questions[0][0] }
      return .array(types[index], questions.map { $0[index] })
    }
  }

  // OFFSET 0 keeps the planner from turning the look-ups into a scan of the bucket.
  private static func each(_ text: String, _ types: [SQLType], from first: Int) -> String {
    let indices = types.indices.dropFirst(first)
    let arrays = indices.map { "$\($0 + 1)::\(types[$0].name)[]" }.joined(separator: ", ")
    let names = (indices.map { "p\($0 + 1)" } + ["number"]).joined(separator: ", ")
    let body = indices.reversed().reduce(text) { text, index in
      text.replacing("$\(index + 1)", with: "wanted.p\(index + 1)")
    }
    return """
      SELECT found.*, wanted.number FROM unnest(\(arrays)) WITH ORDINALITY AS wanted (\(names))
        CROSS JOIN LATERAL (\(body) OFFSET 0) AS found
      """
  }
}
