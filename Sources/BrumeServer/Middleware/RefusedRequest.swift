// What is refused otherwise than by a rule. `ErrorReply` answers it.

import BrumeModel
import HTTPTypes

/// A request that is refused with a status of its own, or after whose answer the connection ends: what the client
/// sends on is not read.
struct RefusedRequest: Error {
  let error: BrumeError
  /// Nil: that of the error.
  var status: HTTPResponse.Status?
  var headers = HTTPFields()
  var endsConnection = true

  /// An upload that was not taken. Larger than allowed is 413, as at Apple's upload hosts.
  ///
  /// - Parameter isWhole: whether its body was read to its end.
  static func upload(_ error: BrumeError, isWhole: Bool) -> RefusedRequest {
    RefusedRequest(
      error: error, status: error.code == .limitExceeded ? .contentTooLarge : nil,
      endsConnection: !isWhole)
  }
}
