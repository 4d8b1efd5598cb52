// Completion handlers as values and errors, for tests that wait for them.

func either<Value>(_ value: Value?, _ error: (any Error)?) -> Result<Value, any Error> {
  if let error { return .failure(error) }
  return value.map { .success($0) } ?? .failure(UnexpectedSuccess())
}

// Sendable because the value is handed over once.
private struct UncheckedSendable<Value>: @unchecked Sendable { let value: Value }

/// Waits for a handler, which is called once.
func waited<Value>(
  _ begin: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
) async throws -> Value {
  try await withCheckedThrowingContinuation {
    (continuation: CheckedContinuation<UncheckedSendable<Value>, any Error>) in
    begin { result in continuation.resume(with: result.map { UncheckedSendable(value: $0) }) }
  }.value
}
