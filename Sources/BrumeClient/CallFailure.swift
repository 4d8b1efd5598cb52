// Failures that no server reported: the request did not get there, or the answer did not come back.

/// Why there is no answer.
package enum CallFailure: Error, Equatable, Sendable {
  /// A setting is missing or wrong; the text names it.
  case notConfigured(String)
  /// No connection could be made: nothing was sent.
  case unreachable(String)
  /// The connection failed before the request was complete.
  case connectionFailed(String)
  /// The connection ended, and it is certain that the server took nothing of the request in: nothing
  /// of its body was sent, or the server said so (status 408).
  case notTaken(String)
  /// The request was sent and the answer did not come: it may have been carried out.
  case responseLost(String)
  /// The request was sent and the time of the call used up: it may have been carried out.
  case timedOut(String)
  /// The server, or a proxy before it, broke down over the request: an HTTP status of 500 or more.
  /// It may have been carried out.
  case serverFailed(status: Int, String)
  /// The answer is not what the protocol says, so it is not the server's: a proxy, or the sign-in
  /// page of a network, stands between. The request may have been carried out.
  case malformedAnswer(String)
}
