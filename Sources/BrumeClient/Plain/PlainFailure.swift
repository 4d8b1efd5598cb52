// Failures of an exchange, and what they prove about the request: "never sent" is another thing than "sent, and nobody
// knows what became of it".

import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// What can go wrong besides what the system says.
enum PlainFailure: Error {
  case outOfTime
  /// A transfer does not move any more.
  case stalled
  case endedEarly
  case answerTooLarge
  /// The program was built without the trait HTTPS.
  case noTLS
  case invalidAddress
}

/// How much of a request may be on its way.
final class SentState: Sendable {
  private let begun = Atomic(false)

  /// What makes the request whole is handed to the connection next.
  func begin() { begun.store(true, ordering: .releasing) }

  /// False: it is certain that the server has not got the whole request.
  var mayBeTaken: Bool { begun.load(ordering: .acquiring) }
}

extension PlainFailure {
  /// The failure as callers know it.
  ///
  /// - Parameter mayBeTaken: false if it is certain that the server has not got the whole request.
  static func reported(
    _ error: any Error, _ call: HTTPCall, mayBeTaken: Bool = true
  ) -> any Error {
    let place = "\(call.base): \(error)"
    switch error {
    case is CancellationError: return error
    case let error as PlainFailure where error.isOfSettings: return error.ofSettings(call)
    // The caller's time is used up: no further attempt.
    case PlainFailure.outOfTime where !mayBeTaken:
      return CallFailure.connectionFailed("the request could not be sent in time to \(place)")
    case let error as IOError where error.isOfConnecting:
      return CallFailure.connectionFailed("cannot connect to \(place); is the server running?")
    case let error as IOError where error.isWithoutNetwork:
      return CallFailure.unreachable("no network leads to \(place)")
    case ChannelError.connectTimeout:
      return CallFailure.connectionFailed("cannot connect to \(place)")
    case let error as NIOConnectionError:
      return error.connectionErrors.isEmpty
        ? CallFailure.unreachable("cannot find \(place)")
        : CallFailure.connectionFailed("cannot connect to \(place); is the server running?")
    default:
      return mayBeTaken
        ? CallFailure.responseLost("the answer of \(place) did not arrive")
        : CallFailure.notTaken("the connection to \(place) ended before the request was sent")
    }
  }

  /// What is missing, and how it gets in.
  static let withoutHTTPS =
    "this program was built without HTTPS; write traits: [\"HTTPS\"] behind the package 'brume' in its manifest"

  private var isOfSettings: Bool {
    switch self {
    case .noTLS, .invalidAddress: true
    case .outOfTime, .stalled, .endedEarly, .answerTooLarge: false
    }
  }

  private func ofSettings(_ call: HTTPCall) -> CallFailure {
    guard case .noTLS = self else {
      return .notConfigured("the server's address \(call.base) is not valid")
    }
    return .notConfigured("\(call.base) cannot be reached: \(Self.withoutHTTPS)")
  }
}

/// What an address without a name to look up fails with, and a Unix socket that nobody listens on.
extension IOError {
  fileprivate var isOfConnecting: Bool {
    [ECONNREFUSED, EHOSTUNREACH, EADDRNOTAVAIL, ENOENT].contains(errnoCode)
  }
  fileprivate var isWithoutNetwork: Bool { [ENETUNREACH, ENETDOWN].contains(errnoCode) }
}
