// What became of a change, for the command line and the console: from the query to a question, and back.

import BrumeCore
import BrumeModel
import BrumeNotifier
import BrumeStorage
import BrumeWire

struct TraceAdmin: Sendable {
  let tracing: Tracing
  let store: any Store
  let now: @Sendable () -> Milliseconds
  let users: NamedUsers
  let limits: Limits

  /// What happened, newest first; `before` is the last change of the page before.
  func log(_ call: Call) async throws -> Reply {
    let before = try call.query["before"].map { try change($0, of: "before") }
    let part = try ListRequest(after: nil, limit: call.query["limit"])
    let limit = limits.listPage(part.limit)
    let (place, zone, now) = (call.containerEnvironment, call.query["zone"], now())
    let changes = try await store.read { [tracing] in
      try tracing.log(of: place, zone: zone, before: before, limit: limit, now: now, in: $0)
    }
    return .json(Wire.log(changes, mayHaveMore: changes.count == limit))
  }

  /// A zone as it was right after a change.
  func then(_ call: Call) async throws -> Reply {
    guard let text = call.query["change"] else {
      throw BrumeError(.badRequest, "'change' is missing: the ID of a change, such as 0-12")
    }
    let change = try change(text, of: "change")
    let (place, now) = (call.containerEnvironment, now())
    let past = try await store.read { [tracing] in
      try tracing.zone(after: change, of: place, now: now, in: $0)
    }
    return .json(Wire.pastZone(past))
  }

  /// Why a push came, or did not.
  func show(_ call: Call) async throws -> Reply {
    let question = try await question(call)
    let now = now()
    return .json(
      try await store.read { [tracing] in try tracing.trace(question, now: now, in: $0) }.json)
  }

  private func question(_ call: Call) async throws -> TraceQuestion {
    var question = TraceQuestion(in: call.containerEnvironment)
    question.change = try call.query["change"].map { try change($0, of: "change") }
    if let record = call.query["record"] {
      question.record = (record, call.query["zone"] ?? ZoneID.defaultName)
    } else if call.query["zone"] != nil {
      throw BrumeError(.badRequest, "'zone' belongs to 'record', which is missing")
    }
    question.requestID = call.query["request"]
    if let name = call.query["user"] { question.user = try await users.user(name).id }
    question.device = call.query["device"].map { DeviceID($0) }
    return question
  }

  /// Such as `0-12`: a bucket and a position in its log.
  ///
  /// - Parameter name: the parameter that has it.
  private func change(
    _ text: String, of name: String
  ) throws(BrumeError) -> (bucket: Bucket, position: Int64) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let bucket = Int(parts[0]), bucket >= 0,
      let position = Int64(parts[1]), position > 0
    else {
      throw BrumeError(
        .badRequest,
        "'\(name)' must be a change, such as 0-12, not '\(text.prefix(40))'; \(Tracing.list)")
    }
    guard bucket < store.bucketCount else {
      throw BrumeError(.notFound, "change \(text) is not remembered; \(Tracing.list)")
    }
    return (Bucket(bucket), position)
  }
}
