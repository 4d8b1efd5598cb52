// What a command makes of what comes back: the server's JSON, its refusal, the page of a proxy or of another program, or
// nothing.

import BrumeClient
import BrumeModel
import BrumeWire

extension HTTPAnswer {
  var isSuccess: Bool { (200..<300).contains(status) }
}

extension ServerAccess {
  /// The content of a success.
  ///
  /// - Throws: `CommandFailure` with what the server says, or what else answers.
  func json(_ answer: HTTPAnswer) throws(CommandFailure) -> JSON {
    let json = try read(answer)
    guard answer.isSuccess else {
      throw CommandFailure(Wire.error(json).reason, ExitStatus(ofAnswer: answer.status))
    }
    return json
  }

  /// A success, or an error dictionary.
  ///
  /// - Throws: `CommandFailure` for what no Brume server says.
  func read(_ answer: HTTPAnswer) throws(CommandFailure) -> JSON {
    guard let json = try? JSON(parsing: answer.body),
      answer.isSuccess || json["serverErrorCode"] != nil
    else { throw foreign(answer.status) }
    return json
  }

  /// What answers is not what a server of ours says.
  var noServer: StatusFailure {
    StatusFailure(.unavailable, "what answers at \(url) is no Brume server of this version")
  }

  /// What somebody in between, or another program, has answered.
  func foreign(_ status: Int) -> CommandFailure {
    switch status {
    case 401, 403:
      CommandFailure(
        "what answers at \(url) lets nobody through (status \(status)), and is no Brume server: a proxy, "
          + "perhaps; name the server by its own address", .noPermission)
    case 502, 503, 504:
      CommandFailure(
        "a proxy answers at \(url) that the server behind it does not (status \(status)); check that it "
          + "runs, and repeat the command", .again)
    default:
      CommandFailure(
        "what answers at \(url) is no Brume server of this version (status \(status)); check the address",
        .unavailable)
    }
  }

  /// What it means that no answer came.
  ///
  /// - Parameter isChange: whether the call may have changed something.
  func failure(_ failure: CallFailure, changing isChange: Bool) -> CommandFailure {
    switch failure {
    case .responseLost where isChange, .timedOut where isChange:
      CommandFailure(
        "the answer of \(url) did not come; what was asked for may be done: look, and repeat the command if "
          + "it is not", .again)
    case .malformedAnswer(let text): CommandFailure(text, .unavailable)
    case .serverFailed(_, let text): CommandFailure(text, .again)
    case .notConfigured, .unreachable, .connectionFailed, .notTaken, .responseLost, .timedOut:
      silence
    }
  }
}

extension ExitStatus {
  /// What it means that there is no answer.
  init(of failure: CallFailure) {
    switch failure {
    case .notConfigured, .unreachable, .connectionFailed, .malformedAnswer: self = .unavailable
    case .notTaken, .responseLost, .timedOut, .serverFailed: self = .again
    }
  }
}
