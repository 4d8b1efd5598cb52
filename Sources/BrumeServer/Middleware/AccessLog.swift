// The middleware gives each request its ID, measures and counts it, and writes one structured line about it:
// into the log, and into the ring that operators search. No line holds the query: tokens travel there.

import BrumeCore
import BrumeModel
import HTTPTypes
import Hummingbird
import Logging

struct AccessLog: RouterMiddleware {
  /// An upper-case UUID.
  let uuid: @Sendable () -> String
  let now: @Sendable () -> Milliseconds
  let metrics: ServerMetrics
  let usage: Usage
  let requests: RequestLog
  let logger: Logger

  func handle(
    _ request: Request, context: RequestState,
    next: @concurrent (Request, RequestState) async throws -> Response
  ) async throws -> Response {
    var context = context
    context.requestID = uuid()
    let start = ContinuousClock.now
    var response = try await next(request, context)
    response.headers[.requestUUID] = context.requestID
    let elapsed = start.duration(to: .now)
    let route = context.endpointPath ?? "none"
    metrics.finished(request.method, route: route, status: response.status, in: elapsed)
    note(request, response, context, route, elapsed.microseconds)
    return response
  }

  /// Logs that commands follow: they ask each second.
  private static let followed: Set = ["/_brume/admin/logs", "/_brume/admin/push/log"]

  private static func follows(_ request: Request, _ route: String) -> Bool {
    followed.contains(route) && request.uri.queryParameters["after"] != nil
  }

  /// Supervisors, the files of our own pages and whoever follows a log would drive everything else out.
  private func note(
    _ request: Request, _ response: Response, _ context: RequestState, _ route: String,
    _ microseconds: Int64
  ) {
    let facts = context.facts.known
    usage.request(facts, status: response.status.code, microseconds: microseconds)
    let isKnown = facts.access != nil || response.status != .notFound
    let line = RequestLine(
      time: now() - microseconds / 1000, requestID: context.requestID,
      method: request.method.shownName, route: isKnown ? route : "none",
      containerEnvironment: facts.containerEnvironment,
      caller: facts.caller, status: response.status.code,
      errorCode: facts.errorCode?.meaning.wire, microseconds: microseconds)
    let isUsual = facts.isProbe || Self.follows(request, route)
    let isOfInterest = !isUsual || response.status.code >= 400
    if isOfInterest { requests.append(line) }
    let level = isOfInterest ? Logger.Level.info : .debug
    guard logger.logLevel <= level else { return }
    logger.log(level: level, "request", metadata: line.metadata(path: request.uri.path))
  }
}

extension HTTPRequest.Method {
  private static let usual: Set<HTTPRequest.Method> = [
    .get, .head, .post, .put, .patch, .delete, .options, .connect, .trace,
  ]

  /// For what is kept about requests: over HTTP/2 a client may make up as many methods as it likes.
  var shownName: String { Self.usual.contains(self) ? rawValue : "other" }
}

extension Duration {
  var microseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }
}
