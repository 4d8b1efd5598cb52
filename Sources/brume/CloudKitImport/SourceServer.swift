// One source, read call by call: never two at once, because a web auth token may be good for one call only, and
// its answer brings the next.

import BrumeClient
import BrumeModel
import BrumeWire
import Foundation

/// What is read.
struct SourcePlace: Sendable {
  /// Scheme, host and port.
  let url: String
  let container: String
  let environment: Environment
  let scope: DatabaseScope
}

/// As whom.
enum SourceCredentials: Sendable {
  case key(RequestSigner)
  /// The user's token and the file that it came from, into which the next one goes.
  case tokens(api: String, user: String?, file: String?)
}

final class SourceServer {
  let place: SourcePlace
  private var credentials: SourceCredentials
  /// False after a token that could not be written into its file: that is said once.
  private var isKept = true
  private let transport = ProgramTransport()
  /// For files, whose addresses carry their own proof.
  private let files = Session(.failure(.notConfigured("files are fetched by their addresses")))

  init(_ place: SourcePlace, _ credentials: SourceCredentials) {
    self.place = place
    self.credentials = credentials
  }

  /// Posts to an endpoint of the database, or gets it without a body.
  ///
  /// - Throws: `StatusFailure` or `CommandFailure`, when retries do not help.
  func call<Answer>(
    _ action: String, _ body: JSON? = nil, hint: String = "", as parse: (JSON) throws -> Answer
  ) async throws -> Answer {
    let path =
      "/database/1/\(place.container)/\(place.environment.rawValue)/\(place.scope.rawValue)/\(action)"
    return try await withRetries(action, hint) {
      try parse(try await self.answer(path, body?.bytes() ?? []))
    }
  }

  /// Fetches a file.
  ///
  /// - Throws: `BrumeError` for this file, `StatusFailure` if the source is gone.
  func download(_ address: String, to file: FileHandle) async throws {
    // Apple leaves a place in addresses for the name under which a browser would save the file.
    let address = address.replacingOccurrences(of: "${f}", with: "file")
    guard address.hasPrefix("https://") || place.url.hasPrefix("http://") else {
      throw BrumeError(
        .badRequest, "the source, which has https, gives '\(address)' as the address of a file")
    }
    do {
      try await ImportRetries.retry("the source") {
        try file.truncate(atOffset: 0)
        try file.seek(toOffset: 0)
        try await files.download(address) { try file.write(contentsOf: Data($0)) }
      }
    } catch let failure as CallFailure {
      if case .malformedAnswer(let text) = failure {
        throw BrumeError(.assetNotAvailable, "its file cannot be fetched: \(text)")
      }
      throw StatusFailure(.unavailable, failure.sentence)
    }
  }

  private func withRetries<Answer>(
    _ action: String, _ hint: String, _ work: () async throws -> Answer
  ) async throws -> Answer {
    do {
      return try await ImportRetries.retry("the source", work)
    } catch let error as BrumeError {
      let text =
        "\(place.url) refuses \(action) (\(error.code.meaning.wire)): \(error.reason)"
        + (error.code == .badRequest ? hint : "")
      guard let status = error.exitStatus else { throw CommandFailure(text) }
      throw StatusFailure(status, text)
    } catch let failure as CallFailure {
      throw StatusFailure(.unavailable, failure.sentence)
    }
  }

  private func answer(_ path: String, _ body: [UInt8]) async throws -> JSON {
    var call = HTTPCall(
      method: body.isEmpty ? "GET" : "POST", base: place.url, target: path,
      headers: [.init("Content-Type", "application/json")], body: body, timeout: .seconds(60))
    switch credentials {
    case .key(let signer):
      call.headers += try signer.headers(path: path, body: body, date: Date())
    case .tokens(let api, let user, _):
      call.target += "?ckAPIToken=\(FormText.escaped(api))"
      if let user { call.target += "&ckWebAuthToken=\(FormText.escaped(user))" }
    }
    let answer = try await transport.send(call)
    keepToken(answer)
    return try SourceAnswer.read(answer)
  }

  private func keepToken(_ answer: HTTPAnswer) {
    guard case .tokens(let api, let user?, let file) = credentials,
      let next = answer.header("X-Apple-CloudKit-Web-Auth-Token"), !next.isEmpty, next != user
    else { return }
    credentials = .tokens(api: api, user: next, file: file)
    guard let file else { return }
    do { try Self.keep(next + "\n", in: file) } catch {
      if isKept {
        Output.say(
          "the newest web auth token cannot be written into '\(file)' (\(error.localizedDescription)); the "
            + "import goes on, and the next one needs a new sign-in")
      }
      isKept = false
    }
  }

  /// In place: the file may be a link, and keeps its rights. It is cut last, so that its room is not lost to others.
  private static func keep(_ text: String, in file: String) throws {
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
    try handle.write(contentsOf: Data(text.utf8))
    try handle.truncate(atOffset: UInt64(text.utf8.count))
    try handle.close()
  }
}

enum SourceAnswer {
  /// The answer's JSON.
  ///
  /// - Throws: the error that it stands for.
  static func read(_ answer: HTTPAnswer) throws -> JSON {
    let json = try? JSON(parsing: answer.body)
    if answer.status == 200, let json, json["serverErrorCode"] == nil { return json }
    let wait = Wire.wait(answer.header("Retry-After").flatMap { Double($0) })
    if let json, json["serverErrorCode"] != nil {
      var error = Wire.error(json)
      error.retryAfter = error.retryAfter ?? wait
      throw error
    }
    switch answer.status {
    case 429: throw BrumeError(.throttled, "too many requests (429)", retryAfter: wait)
    case 500...599:
      throw BrumeError(.tryAgainLater, "status \(answer.status)", retryAfter: wait)
    default:
      throw CallFailure.malformedAnswer(
        "status \(answer.status) is no answer of the protocol; check --from")
    }
  }
}
