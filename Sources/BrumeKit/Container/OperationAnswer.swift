// One call, one operation: starts it, and waits for its end where somebody waits. Handlers run on
// the operation's queue, as Apple's do on a background queue.

import BrumeClient
import Dispatch
import Foundation
import Synchronization

/// How a call ends.
typealias Ending<Value> = (Result<Value, any Error>) -> Void

/// Something that runs operations for its convenience calls.
protocol OperationRunner {
  func run(_ operation: CKOperation)
}

extension CKDatabase: OperationRunner {
  func run(_ operation: CKOperation) {
    defaults.apply(to: operation)
    if let operation = operation as? CKDatabaseOperation { add(operation) }
  }
}

extension CKContainer: OperationRunner {
  func run(_ operation: CKOperation) {
    defaults.apply(to: operation)
    add(operation)
  }
}

extension CKContainer {
  /// Does what is no operation, and calls a handler with the answer as operations call their blocks: on a queue of its
  /// own. A handler may wait for another call, and what that needs are the threads of tasks.
  func report<Answer: Sendable>(
    _ work: @escaping @Sendable () async -> Answer, to handler: @escaping @Sendable (Answer) -> Void
  ) {
    Task {
      let answer = await work()
      if session.host.isSingleThreaded {
        Connection.Sender.$current.withValue(nil) { handler(answer) }
      } else {
        DispatchQueue(label: "brume.container.handler").async { handler(answer) }
      }
    }
  }
}

extension OperationRunner {
  /// Runs an operation and waits for its end. Cancelling the task cancels the operation.
  func answer<Value>(_ make: (@escaping Ending<Value>) -> CKOperation) async throws -> Value {
    let running = RunningOperation()
    // Not a checked one: an operation ends once whatever happens (`OperationPhase`), and the Thread
    // Sanitizer does not see the order of one that is resumed before it is waited for.
    let boxed: UncheckedSendable<Value> = try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        let operation = make { continuation.resume(with: $0.map { UncheckedSendable($0) }) }
        running.begin(operation)
        run(operation)
      }
    } onCancel: {
      running.cancel()
    }
    return boxed.value
  }
}

/// The operation that a task waits for, reachable from its cancellation.
private final class RunningOperation: Sendable {
  private let state = Mutex<(operation: CKOperation?, isCancelled: Bool)>((nil, false))

  func begin(_ operation: CKOperation) {
    let isCancelled = state.withLock { state in
      state.operation = operation
      return state.isCancelled
    }
    if isCancelled { operation.cancel() }
  }

  func cancel() {
    let operation = state.withLock { state in
      state.isCancelled = true
      return state.operation
    }
    operation?.cancel()
  }
}

/// A value on its way from an operation to the task that waits.
// Sendable because the operation lets go of the value when it hands it over.
struct UncheckedSendable<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}

extension Result {
  /// The two arguments of Objective-C's completion handlers and blocks.
  var pair: (Success?, (any Error)?) {
    switch self {
    case .success(let value): (value, nil)
    case .failure(let error): (nil, error)
    }
  }
}

extension Result where Failure == any Error {
  /// The result of the only item of an operation, if that worked as a whole.
  func single<Value>(
    _ what: String, _ item: (Success) -> Result<Value, any Error>?
  ) -> Result<Value, any Error> {
    flatMap { item($0) ?? .failure(CKError.missingAnswer(for: what)) }
  }
}
