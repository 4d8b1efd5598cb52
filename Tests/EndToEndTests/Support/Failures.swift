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
func failure(
  sourceLocation: SourceLocation = #_sourceLocation, of call: () async throws -> Void
) async throws -> CKError {
  try await #require(throws: CKError.self, sourceLocation: sourceLocation) { try await call() }
}
