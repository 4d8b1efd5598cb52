// Reading failures.

import BrumeKit
import Testing

extension Result {
  /// The failure as CloudKit's error; nil for a success.
  var failure: CKError? {
    if case .failure(let error) = self { error as? CKError } else { nil }
  }
}

/// The error that a call ends with.
///
/// Call it outside of `#expect`: of two closures, one inside a macro and one after it, Swift 6.3 runs
/// the first twice.
func failure(
  sourceLocation: SourceLocation = #_sourceLocation, of call: () async throws -> Void
) async throws -> CKError {
  do {
    try await call()
  } catch {
    return try #require(error as? CKError, "\(error)", sourceLocation: sourceLocation)
  }
  throw UnexpectedSuccess()
}

struct UnexpectedSuccess: Error {}
