// The log of requests, for the command line and the console.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeWire

struct LogAdmin: Sendable {
  let log: RequestLog
  let users: NamedUsers
  /// Lines of one answer.
  let mostLines: Int

  /// The newest lines that fit, newest first: `after` a position, to follow; `before` one, to look back.
  func list(_ call: Call) async throws -> Reply {
    let filter = try await filter(call)
    let limit = max(1, min(try call.number("limit").map { Int(clamping: $0) } ?? 100, mostLines))
    let contents = log.contents
    let (lines, more) = contents.page(
      filter, after: try call.number("after") ?? 0, before: try call.number("before"), limit: limit)
    let known = try await names(in: lines)
    return .json(
      Wire.requestLines(
        lines, next: more ? lines.last?.position : nil, since: contents.since, names: known))
  }

  private func filter(_ call: Call) async throws -> RequestLineFilter {
    var filter = RequestLineFilter()
    filter.requestID = call.query["request"]
    if let name = call.query["user"] { filter.user = try await users.user(name).id }
    filter.isFailed = call.query["failed"] == "true"
    filter.route = call.query["route"]
    return filter
  }

  private func names(in lines: [RequestLine]) async throws -> [UserID: String] {
    let callers = lines.compactMap { line -> UserID? in
      switch line.caller {
      case .user(let user), .serverKey(let user): user
      case .nobody, .operator: nil
      }
    }
    return try await users.names(of: Set(callers))
  }
}
