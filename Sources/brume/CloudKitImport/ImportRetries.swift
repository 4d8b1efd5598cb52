// How an import waits for a server that asks for it: as long as the server says, and longer each time.

import BrumeClient
import BrumeModel

enum ImportRetries {
  /// Where a terminal shows how far the import is.
  static let progress = TerminalProgress()
  /// Ours: how often a call is made that is put off, or whose answer is lost.
  static let attempts = 8
  /// Ours: how often a server is called that cannot be reached.
  static let connections = 3

  /// Does something that may be repeated, until it is done or refused for good.
  ///
  /// - Parameter who: whom the user reads to be waiting for.
  static func retry<Value>(
    _ who: String, _ work: () async throws -> Value
  ) async throws -> Value {
    var backoff = Backoff(first: .seconds(1), longest: .seconds(60))
    var attempt = 1
    while true {
      let error: any Error
      let wait: Double?
      do {
        return try await work()
      } catch let refusal as BrumeError where refusal.isPassing && attempt < attempts {
        (error, wait) = (refusal, refusal.retryAfter)
      } catch let failure as CallFailure where attempt < failure.attempts {
        (error, wait) = (failure, nil)
      }
      let pause = backoff.next(chance: .random(in: 0...1), atLeast: wait)
      attempt += 1
      progress.end()
      let seconds = pause.components.seconds + (pause.components.attoseconds > 0 ? 1 : 0)
      Output.say("\(who) is asked again in \(seconds) s: \(sentence(error))")
      try await Task.sleep(for: pause)
    }
  }

  private static func sentence(_ error: any Error) -> String {
    (error as? BrumeError)?.reason ?? (error as? CallFailure)?.sentence ?? "\(error)"
  }
}

extension BrumeError {
  /// The same call may succeed later.
  var isPassing: Bool { [.throttled, .tryAgainLater, .zoneBusy, .internalError].contains(code) }

  /// Nil: as any refusal.
  var exitStatus: ExitStatus? {
    switch code {
    case .throttled, .tryAgainLater, .zoneBusy, .internalError: .again
    case .authenticationFailed, .authenticationRequired, .missingEntitlement, .accessDenied:
      .noPermission
    default: nil
    }
  }
}

extension CallFailure {
  fileprivate var attempts: Int {
    switch self {
    case .notConfigured, .malformedAnswer: 1
    case .unreachable, .connectionFailed: ImportRetries.connections
    case .notTaken, .responseLost, .timedOut, .serverFailed: ImportRetries.attempts
    }
  }

  var sentence: String {
    switch self {
    case .notConfigured(let text), .unreachable(let text), .connectionFailed(let text),
      .notTaken(let text), .responseLost(let text), .timedOut(let text),
      .serverFailed(_, let text), .malformedAnswer(let text):
      text
    }
  }
}
