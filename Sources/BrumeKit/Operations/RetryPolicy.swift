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

  /// The first pause without a hint from the server, doubled each time up to the longest: what
  /// Apple's own sync code does (case CHG-13).
  static let firstPauseSeconds = 2.0
  static let longestPauseSeconds = 120.0

  let retriesTransientErrors: Bool
  /// Urgent operations have no limit for the whole: somebody waits, and will cancel.
  let isUrgent: Bool
  let limitSeconds: Double
  private(set) var attempts = 0

  init(qualityOfService: QualityOfService, limitSeconds: Double) {
    self.isUrgent = qualityOfService == .userInteractive || qualityOfService == .userInitiated
    self.retriesTransientErrors = qualityOfService == .utility || qualityOfService == .background
    self.limitSeconds = limitSeconds
  }

  /// Whether the time for the whole operation is used up.
  func isOver(elapsedSeconds: Double) -> Bool { secondsLeft(elapsedSeconds: elapsedSeconds) <= 0 }

  /// How much time is left for the whole operation.
  func secondsLeft(elapsedSeconds: Double) -> Double {
    isUrgent ? .infinity : limitSeconds - elapsedSeconds
  }

  /// A request failed `elapsedSeconds` after the operation began.
  mutating func failed(_ error: CKError, elapsedSeconds: Double) -> Decision {
    guard retriesTransientErrors, Self.isTransient(error) else { return .fail }
    let doubled = Self.firstPauseSeconds * Double(1 << min(attempts, 20))
    let pause = max(error.retryAfterSeconds ?? 0, min(doubled, Self.longestPauseSeconds))
    guard elapsedSeconds + pause < limitSeconds else { return .fail }
    attempts += 1
    return .retry(afterSeconds: pause)
  }

  private static func isTransient(_ error: CKError) -> Bool {
    switch error.code {
    case .networkUnavailable, .networkFailure, .serviceUnavailable, .requestRateLimited,
      .zoneBusy, .serverResponseLost:
      true
    case .serverRejectedRequest:
      error.isServerFailure
    default:
      false
    }
  }
}
