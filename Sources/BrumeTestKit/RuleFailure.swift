// The error that the rules refuse with.

package import BrumeModel

/// Nothing failed, where a failure was expected.
package struct NoFailure: Error {}

/// Runs what should be refused and answers the error, of the request or of its item.
///
/// - Throws: `NoFailure` if it is not refused.
package func ruleFailure<Value>(_ body: () async throws -> Value) async throws -> BrumeError {
  do {
    _ = try await body()
  } catch let error as BrumeError {
    return error
  } catch let failure as ItemFailure<RecordID> {
    return failure.error
  }
  throw NoFailure()
}
