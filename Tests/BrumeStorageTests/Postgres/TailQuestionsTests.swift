// What is asked over the connection that follows other processes.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Dispatch
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(1))) struct TailQuestionsTests {
  @Test func `a process learns whose account another one changed while all its readers are busy`()
    async throws
  {
    let url = try PostgresServer.shared.get().emptySchema()
    let here = try PostgresStore.forTest(url: url, readers: 1)
    let there = try PostgresStore.forTest(url: url)
    let (entered, gate) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
    async let held: Void = here.read { _ in
      entered.continuation.yield()
      gate.wait()
    }
    for await _ in entered.stream { break }
    try await there.write(in: .server) {
      try $0.users.put(User(id: UserID("_there"), name: "there", isDiscoverable: false))
    }
    let changes = try await here.changedAccounts(after: 0)
    #expect(changes.users == [UserID("_there")])
    gate.signal()
    try await held
    try await here.close()
    try await there.close()
  }

  @Test func `a question that gets no connection is answered why, and only once`() {
    let questions = TailQuestions()
    let answers = Mutexed<[String]>([])
    func ask(_ name: String) -> Int {
      let number = questions.newNumber()
      let question: TailQuestions.Question = { answer in
        guard case .failure(let error) = answer else { return }
        let reason = (error as? StoreError).map { "\($0.code)" } ?? "cancelled"
        answers.change { $0.append("\(name) \(reason)") }
      }
      questions.add(question, number)
      return number
    }
    let first = ask("first")
    _ = ask("second")
    questions.cancel(first)
    questions.cancel(first)
    #expect(answers.value == ["first cancelled"] && questions.areWaiting)
    questions.refuse(StoreError(.unreachable, "away"))
    #expect(!questions.areWaiting)
    _ = ask("third")
    questions.close()
    _ = ask("fourth")
    #expect(
      answers.value
        == ["first cancelled", "second unreachable", "third closed", "fourth closed"])
  }

  @Test func `a question that comes while others are answered has its turn behind the next look`()
    throws
  {
    let url = try PostgresServer.shared.get().emptySchema()
    let connection = try Connection.forTest(url)
    let questions = TailQuestions()
    let answers = Mutexed(0)
    @Sendable func ask() {
      let question: TailQuestions.Question = { _ in
        answers.change { $0 += 1 }
        ask()
      }
      questions.add(question, questions.newNumber())
    }
    for _ in 0..<3 { ask() }
    try questions.answer(on: connection)
    #expect(answers.value == 3 && questions.areWaiting)
    questions.refuse(StoreError(.unreachable, "away")) { _ in true }
  }
}
