// The typed caller of one container as one user and device. A value: copies share the transport.
// It builds requests, reads answers and turns error dictionaries into `BrumeError`; what a request means
// is in `DatabaseCaller.swift` and `Session+Calls.swift`.

package import BrumeModel
package import BrumeWire
package import Foundation

/// The calls of one user on one device. Each throws the server's error as `BrumeError`, a failure that no
/// server reported as `CallFailure` (`notConfigured` if a setting is missing), `CancellationError` if the
/// task is cancelled. What may be repeated is repeated first (`Retry`).
package struct Session: Sendable {
  /// Time and chance of the caller.
  package struct Host: Sendable {
    package var now: @Sendable () -> Date
    package var uuid: @Sendable () -> String
    /// From 0 to 1.
    package var chance: @Sendable () -> Double
    package var sleep: @Sendable (Duration) async throws -> Void
    /// Operations begin, and call their blocks, on the thread that asks for it: for simulations, in which
    /// no thread but theirs may take part.
    package var isSingleThreaded = false

    package init(
      now: @escaping @Sendable () -> Date = { Date() },
      uuid: @escaping @Sendable () -> String = { UUID().uuidString },
      chance: @escaping @Sendable () -> Double = { .random(in: 0...1) },
      sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
      self.now = now
      self.uuid = uuid
      self.chance = chance
      self.sleep = sleep
    }
  }
  /// The settings, or what is missing in them: reported by the first call.
  package let configuration: Result<Configuration, CallFailure>
  package let transport: any Transport
  package let host: Host
  /// The longest wait for anything of an answer. CloudKit documents 60 seconds.
  package var timeout = Duration.seconds(60)
  private let signer: Result<RequestSigner, CallFailure>?

  package init(
    _ configuration: Result<Configuration, CallFailure>,
    transport: any Transport = ProgramTransport(), host: Host = Host()
  ) {
    self.configuration = configuration
    self.transport = transport
    self.host = host
    signer = (try? configuration.get())?.serverKey.map { key in
      do throws(CallFailure) { return .success(try RequestSigner(key)) } catch {
        return .failure(error)
      }
    }
  }

  package init(
    _ configuration: Configuration, transport: any Transport = ProgramTransport(),
    host: Host = Host()
  ) {
    self.init(.success(configuration), transport: transport, host: host)
  }

  /// The calls of one database.
  package func database(_ scope: DatabaseScope) -> DatabaseCaller {
    DatabaseCaller(session: self, scope: scope)
  }
}

/// How long answers may take, where a task says so: operations do.
package struct RequestTimeout: Sendable {
  /// CloudKit documents seven days for an operation.
  package static let longestWhole = Duration.seconds(604_800)
  /// The longest wait for anything of an answer.
  package let part: Duration
  /// When all answers that the task asks for have to be there, also those to requests that are sent again.
  package let end: Date
  @TaskLocal package static var current: RequestTimeout?

  package init(part: Duration, end: Date) {
    self.part = part
    self.end = end
  }
}

extension Session {
  /// Sends a request, again where `Retry` says so, and reads its answer as JSON. `isRead` promises
  /// that it changes nothing.
  func call(
    _ method: String, _ path: String, query: [(String, String)] = [],
    body: [UInt8] = [], isRead: Bool, isRepeatable: Bool = false
  ) async throws -> JSON {
    try await repeating(isRead: isRead, isRepeatable: isRead || isRepeatable) {
      let call = try httpCall(method, path, query: query, body: body)
      return try Self.read(try await transport.send(call))
    }
  }

  /// Sends a request until there is an answer, or a failure that is the app's to know. Who has
  /// cancelled waits for no further attempt, and whose time is used up gets none.
  func repeating<Answer>(
    isRead: Bool, isRepeatable: Bool, _ send: () async throws -> Answer
  ) async throws -> Answer {
    var retry = Retry(isRepeatable: isRepeatable)
    guard timeouts.whole > .zero else { throw CallFailure.noTimeLeft }
    // The first attempt that the server may have carried out. Whatever becomes of a later one, the app has to know of it.
    var lost: (failure: CallFailure, sent: Date)?
    while true {
      let now = host.now()
      do {
        return try await send()
      } catch let failure as CallFailure {
        if !isRead, lost == nil, failure.mayBeDone { lost = (failure, now) }
        // The machine may have slept for days before the failure was seen.
        let isKnown =
          lost.map { host.now().timeIntervalSince($0.sent) < Self.rememberedSeconds } ?? true
        guard retry.failed(failure), isKnown, timeouts.whole > .zero else {
          throw Retry.reported(lost?.failure ?? failure, isRead: isRead)
        }
        try Task.checkCancellation()
      } catch let error as BrumeError {
        guard let lost, error.code == .throttled || error.code == .tryAgainLater else {
          throw error
        }
        throw Retry.reported(lost.failure, isRead: isRead)
      }
    }
  }

  /// Ours: how long after it was sent a request that the server may have carried out is sent once more: an hour less than
  /// servers remember an operation, as clocks differ.
  package static let rememberedSeconds = 82_800.0

  /// The same, with an answer that is read. One that cannot be read did not come from the server.
  func call<Answer>(
    _ method: String, _ path: String, query: [(String, String)] = [],
    body: [UInt8] = [], isRead: Bool, isRepeatable: Bool = false,
    as parse: (JSON) throws(BrumeError) -> Answer
  ) async throws -> Answer {
    let json = try await call(
      method, path, query: query, body: body, isRead: isRead, isRepeatable: isRepeatable)
    do throws(BrumeError) { return try parse(json) } catch {
      throw CallFailure.malformedAnswer(error.reason)
    }
  }

  /// How long the next answer may take: anything of it, and the whole.
  var timeouts: (part: Duration, whole: Duration) {
    guard let current = RequestTimeout.current else {
      return (timeout, RequestTimeout.longestWhole)
    }
    let left = Duration.seconds(max(0, current.end.timeIntervalSince(host.now())))
    return (min(current.part, left), left)
  }

  /// A request with its credentials.
  func httpCall(
    _ method: String, _ path: String, query: [(String, String)], body: [UInt8] = []
  ) throws(CallFailure) -> HTTPCall {
    let settings = try configuration.get()
    var query = query
    var headers = [HTTPCall.Header("Content-Type", "application/json")]
    if let device = settings.deviceID { headers.append(.init("X-Brume-Device", device.name)) }
    let isSigned = settings.userToken == nil && signer != nil
    if !isSigned {
      if let token = settings.apiToken { query.append(("ckAPIToken", token)) }
      if let token = settings.userToken { query.append(("ckWebAuthToken", token)) }
    }
    let target = path + FormText.query(query)
    if isSigned, let signer {
      headers += try signer.get().headers(path: target, body: body, date: host.now())
    }
    let timeouts = timeouts
    return HTTPCall(
      method: method, base: settings.url, target: target, headers: headers, body: body,
      timeout: timeouts.part, wholeTimeout: timeouts.whole, trust: settings.trust)
  }

  /// The answer's JSON.
  ///
  /// - Throws: the error that it stands for.
  package static func read(_ answer: HTTPAnswer) throws -> JSON {
    if answer.status == 408 {
      throw CallFailure.notTaken("the request did not reach the server in time (408)")
    }
    let json = try? JSON(parsing: answer.body)
    if answer.status == 200 {
      guard let json else {
        throw CallFailure.malformedAnswer("it is no JSON")
      }
      return json
    }
    throw error(answer, json)
  }

  static func error(_ answer: HTTPAnswer, _ json: JSON?) -> any Error {
    let wait = Wire.wait(answer.header("Retry-After").flatMap { Double($0) })
    guard let json, json["serverErrorCode"] != nil else {
      return switch answer.status {
      case 429: BrumeError(.throttled, "too many requests", retryAfter: wait ?? 1)
      case 503:
        BrumeError(.tryAgainLater, "the service is down (503)", retryAfter: wait)
      case 500...599:
        CallFailure.serverFailed(
          status: answer.status, "the server, or a proxy before it, answered \(answer.status)")
      case 413:
        BrumeError(.limitExceeded, "a proxy before the server takes no request of this size")
      default:
        CallFailure.malformedAnswer("status \(answer.status) without an error of the protocol")
      }
    }
    var error = Wire.error(json)
    if error.code == .internalError, answer.status >= 500 {
      return CallFailure.serverFailed(status: answer.status, error.reason)
    }
    error.retryAfter = error.retryAfter ?? wait
    return error
  }
}
