// When an operation repeats a request by itself. Only decides; CKOperation waits and calls again.
//
// CloudKit: the table of quality-of-service classes in Apple's CKOperation header. Operations of
// the classes utility and background retry network and service failures until the time limit for
// the whole operation; all others report them, with the seconds to wait, and leave retrying to
// the app.

import Foundation

/// Decides whether a failed request is repeated, and when.
struct RetryPolicy: Equatable, Sendable {
  enum Decision: Equatable, Sendable {
    case fail
    case retry(afterSeconds: Double)
  }

  /// Ours: the first pause without a hint from the server, doubled each time up to the longest.
  static let firstPauseSeconds = 1.0
  static let longestPauseSeconds = 120.0

  let isPatient: Bool
  let limitSeconds: Double
  private(set) var attempts = 0

  init(qualityOfService: QualityOfService, limitSeconds: Double) {
    self.isPatient = qualityOfService == .utility || qualityOfService == .background
    self.limitSeconds = limitSeconds
  }

  /// A request failed `elapsedSeconds` after the operation began.
  mutating func failed(_ error: CKError, elapsedSeconds: Double) -> Decision {
    guard isPatient, Self.isTransient(error.code) else { return .fail }
    let doubled = Self.firstPauseSeconds * Double(1 << min(attempts, 20))
    let pause = max(error.retryAfterSeconds ?? 0, min(doubled, Self.longestPauseSeconds))
    guard elapsedSeconds + pause < limitSeconds else { return .fail }
    attempts += 1
    return .retry(afterSeconds: pause)
  }

  private static func isTransient(_ code: CKError.Code) -> Bool {
    switch code {
    case .networkUnavailable, .networkFailure, .serviceUnavailable, .requestRateLimited,
      .zoneBusy, .serverResponseLost:
      true
    default:
      false
    }
  }
}
