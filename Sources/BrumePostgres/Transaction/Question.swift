// A question that is asked together with others, and what its answer is for.

struct Question {
  let command: Connection.Command
  let take: (Rows) throws -> Void

  init(_ sql: SQL, _ values: [SQLValue], _ take: @escaping (Rows) throws -> Void) {
    command = (sql, values)
    self.take = take
  }
}

extension Session {
  /// Asks in one exchange; none, if there is nothing to ask.
  func ask(_ questions: [Question]) throws {
    if questions.isEmpty { return }
    let answers = try ask(questions.map(\.command))
    for (question, rows) in zip(questions, answers) { try question.take(rows) }
  }
}

/// What a transaction's feature remembers of what it has read and written.
protocol Remembering: AnyObject {
  /// What was remembered may not be so any more: a body was undone.
  func forget()
}
