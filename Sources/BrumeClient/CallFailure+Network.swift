// What went wrong on the way to a server, in one set of words for every transport. A transport adds what only its own
// library reports.

import NIOCore
import NIOPosix

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension CallFailure {
  /// What an error of the network means for a call.
  ///
  /// - Parameter mayBeTaken: false if it is certain that the server has not got the whole request.
  init(of error: any Error, _ call: HTTPCall, mayBeTaken: Bool) {
    switch error {
    case let error as IOError where error.isOfConnecting: self = .refused(error, call)
    case let error as IOError where error.isWithoutNetwork:
      self = .unreachable("no network leads to \(call.base): \(error)")
    case let error as NIOConnectionError:
      self =
        error.connectionErrors.isEmpty
        ? .unreachable("cannot find \(call.base): \(error)") : .refused(error, call)
    case ChannelError.connectTimeout: self = .notConnected(error, call)
    default: self = mayBeTaken ? .answerLost(error, call) : .cutShort(error, call)
    }
  }

  /// Nobody answered in the time that a connection may take.
  static func notConnected(_ error: any Error, _ call: HTTPCall) -> CallFailure {
    .connectionFailed("cannot connect to \(call.base): \(error)")
  }

  /// The caller's time is used up: no further attempt.
  static func notSentInTime(_ error: any Error, _ call: HTTPCall) -> CallFailure {
    .connectionFailed("the request could not be sent in time to \(call.base): \(error)")
  }

  /// The same, after the request was sent.
  static func notAnsweredInTime(_ error: any Error, _ call: HTTPCall) -> CallFailure {
    .timedOut("the answer of \(call.base) did not arrive in time: \(error)")
  }

  /// The time was used up by earlier requests: this one is not sent.
  static let noTimeLeft = CallFailure.connectionFailed(
    "the request was not sent, as the time for all requests together is used up")

  static func invalidAddress(_ call: HTTPCall) -> CallFailure {
    .notConfigured(
      "the server's address '\(call.base)' is not valid; it must look like http://127.0.0.1:8787")
  }

  private static func refused(_ error: any Error, _ call: HTTPCall) -> CallFailure {
    .connectionFailed("cannot connect to \(call.base): \(error); is the server running?")
  }

  private static func answerLost(_ error: any Error, _ call: HTTPCall) -> CallFailure {
    .responseLost("the answer of \(call.base) did not arrive: \(error)")
  }

  private static func cutShort(_ error: any Error, _ call: HTTPCall) -> CallFailure {
    .notTaken("the connection to \(call.base) ended before the request was sent: \(error)")
  }
}

/// What an address without a name to look up fails with, and a Unix socket that nobody listens on.
extension IOError {
  fileprivate var isOfConnecting: Bool {
    [ECONNREFUSED, EHOSTUNREACH, EADDRNOTAVAIL, ENOENT].contains(errnoCode)
  }
  fileprivate var isWithoutNetwork: Bool { [ENETUNREACH, ENETDOWN].contains(errnoCode) }
}
