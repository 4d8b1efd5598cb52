// What the client repeats by itself, and how long it waits. Only decides; chance is an argument.
//
// Here: requests that the server did not take in, lost answers of requests that may be repeated, and
// the reconnecting of event streams. A call whose time is used up is not sent again: the time is the caller's.
// Whether an operation waits out a busy server is decided by its quality of service, in BrumeKit's
// `RetryPolicy.swift`: everything else is reported to the app, as Apple's framework does.

/// Whether a failed request is sent once more.
package struct Retry: Equatable, Sendable {
  /// Reads, and writes that carry an operation ID: the server answers a second time what it
  /// answered first.
  package let isRepeatable: Bool
  private var failures = 0
  private var lostAnswers = 0
  /// Ours: how often one request is sent in all.
  static let limit = 3
  /// Ours: connections that the server closed while they were idle fail once, not twice.
  static let lostLimit = 2

  package init(isRepeatable: Bool) { self.isRepeatable = isRepeatable }

  /// True if the request is to be sent again at once, on a new connection: what the server did not
  /// take in, always; what it may have carried out, only if that is harmless.
  package mutating func failed(_ failure: CallFailure) -> Bool {
    failures += 1
    guard failures < Self.limit else { return false }
    switch failure {
    case .notTaken: return true
    case .responseLost:
      lostAnswers += 1
      return isRepeatable && lostAnswers < Self.lostLimit
    case .timedOut, .connectionFailed, .unreachable, .notConfigured, .serverFailed,
      .malformedAnswer:
      return false
    }
  }

  /// What to report: nothing is lost where nothing could change.
  package static func reported(_ failure: CallFailure, isRead: Bool) -> CallFailure {
    switch failure {
    case .notTaken(let reason): .connectionFailed(reason)
    case .responseLost(let reason), .timedOut(let reason):
      isRead ? .connectionFailed(reason) : .responseLost(reason)
    default: failure
    }
  }
}

extension CallFailure {
  /// Whether the server may have carried out what was asked.
  var mayBeDone: Bool {
    switch self {
    case .responseLost, .timedOut, .serverFailed: true
    case .notTaken, .connectionFailed, .unreachable, .notConfigured, .malformedAnswer: false
    }
  }
}

/// Growing pauses between attempts: doubled each time, capped, and spread by chance so that many
/// clients do not come back in the same moment.
package struct Backoff: Equatable, Sendable {
  package var first = Duration.milliseconds(200)
  package var longest = Duration.seconds(30)
  private var attempts = 0

  package init(first: Duration = .milliseconds(200), longest: Duration = .seconds(30)) {
    self.first = first
    self.longest = longest
  }

  /// The next pause: between a half and the whole of the doubled time, and never shorter than what
  /// the server asked for.
  ///
  /// - Parameter chance: from 0 to 1.
  package mutating func next(chance: Double, atLeast seconds: Double? = nil) -> Duration {
    let whole = min(longest, first * (1 << min(attempts, 16)))
    attempts += 1
    let spread = whole * (0.5 + 0.5 * min(max(chance, 0), 1))
    return max(spread, .seconds(min(max(seconds ?? 0, 0), 3600)))
  }

  /// It worked: start small again.
  package mutating func reset() { attempts = 0 }
}
