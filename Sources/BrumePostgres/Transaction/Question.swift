// A question that is asked together with others, and what its answer is for.

struct Question {
  let command: Connection.Command
  let take: (Rows) throws -> Void

  init(_ sql: SQL, _ values: [SQLValue], _ take: @escaping (Rows) throws -> Void) {
    command = (sql, values)
    self.take = take
  }
}

/// Questions in the order of the first of their kind; those of one kind are one statement.
struct JoinedQuestions {
  private struct Kind: Hashable {
    let name: String
    /// On Citus, where questions about several buckets are for several workers.
    let bucket: Int64?
  }
  private var kinds: [[Question]] = []
  private let isOnCitus: Bool

  init(_ questions: [Question], onCitus: Bool) {
    isOnCitus = onCitus
    var places: [Kind: Int] = [:]
    for question in questions {
      let kind = Kind(
        name: question.command.sql.name,
        bucket: onCitus ? question.command.values.first?.number : nil)
      if question.command.sql.joined != nil, let place = places[kind] {
        kinds[place].append(question)
      } else {
        places[kind] = kinds.count
        kinds.append([question])
      }
    }
    // Citus plans two that it knows how to send faster than one that asks for both.
    if onCitus { kinds = kinds.flatMap { $0.count == 2 ? $0.map { [$0] } : [$0] } }
  }

  var commands: [Connection.Command] {
    kinds.map { questions in
      guard questions.count > 1, let joined = questions[0].command.sql.joined else {
        return questions[0].command
      }
      return (joined.sql, joined.values(questions.map(\.command.values), onCitus: isOnCitus))
    }
  }

  /// - Parameter answers: one for each command.
  func take(_ answers: [Rows]) throws {
    for (questions, rows) in zip(kinds, answers) {
      let parts = questions.count > 1 ? rows.parts(questions.count) : [rows]
      for (question, rows) in zip(questions, parts) { try question.take(rows) }
    }
  }
}

extension Session {
  /// Asks in one exchange; none, if there is nothing to ask.
  func ask(_ questions: [Question]) throws {
    if questions.isEmpty { return }
    let joined = JoinedQuestions(questions, onCitus: isOnCitus)
    try joined.take(try ask(joined.commands))
  }
}
