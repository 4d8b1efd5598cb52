// What is asked over the connection that follows other processes. No request uses it, so an answer comes also while all
// readers are busy.

import BrumeStorage
import Synchronization

final class TailQuestions: Sendable {
  /// Is given a connection, or why there is none, once. It throws what the connection has met.
  typealias Question = @Sendable (Result<Connection, any Error>) throws -> Void

  private struct State {
    var waiting: [(number: Int, question: Question)] = []
    var last = 0
    var isClosed = false
  }
  private let state = Mutex(State())

  var areWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }

  /// A number for a question.
  func newNumber() -> Int {
    state.withLock { state in
      state.last += 1
      return state.last
    }
  }

  func add(_ question: @escaping Question, _ number: Int) {
    let isClosed = state.withLock { state in
      if !state.isClosed { state.waiting.append((number, question)) }
      return state.isClosed
    }
    if isClosed { try? question(.failure(StoreError.closed)) }
  }

  /// Answers as many as wait now. What comes meanwhile has its turn behind the next look, or looks would wait for all who ask.
  func answer(on connection: Connection) throws {
    for _ in 0..<state.withLock({ $0.waiting.count }) {
      let next = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
      guard let next else { return }
      try next.question(.success(connection))
    }
  }

  /// Nobody waits for the answer any more. One that is being answered gets its answer.
  func cancel(_ number: Int) { refuse(CancellationError()) { $0 == number } }

  /// Answers those that wait with an error.
  func refuse(_ error: any Error, _ isMeant: (Int) -> Bool = { _ in true }) {
    let meant = state.withLock { state in
      defer { state.waiting.removeAll { isMeant($0.number) } }
      return state.waiting.filter { isMeant($0.number) }
    }
    for (_, question) in meant { try? question(.failure(error)) }
  }

  /// From now on nobody answers.
  func close() {
    state.withLock { $0.isClosed = true }
    refuse(StoreError.closed)
  }
}
