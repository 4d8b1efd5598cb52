// Failures of an exchange, and what they prove about the request: "never sent" is another thing than "sent, and nobody
// knows what became of it".

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

extension PlainFailure {
  /// The failure as callers know it.
  ///
  /// - Parameter mayBeTaken: false if it is certain that the server has not got the whole request.
  static func reported(
    _ error: any Error, _ call: HTTPCall, mayBeTaken: Bool = true
  ) -> any Error {
    switch error {
    case is CancellationError, is CallFailure: error
    case let error as PlainFailure where error.isOfSettings: error.ofSettings(call)
    case PlainFailure.outOfTime:
      mayBeTaken
        ? CallFailure.notAnsweredInTime(error, call) : CallFailure.notSentInTime(error, call)
    default: CallFailure(of: error, call, mayBeTaken: mayBeTaken)
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
    guard case .noTLS = self else { return .invalidAddress(call) }
    return .notConfigured("\(call.base) cannot be reached: \(Self.withoutHTTPS)")
  }
}
