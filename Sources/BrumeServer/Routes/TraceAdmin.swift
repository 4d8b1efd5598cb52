// What became of a change, for the command line and the console: from the query to a question, and back.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeNotifier
import BrumeStorage
import BrumeWire

struct TraceAdmin: Sendable {
  private let tracing: Tracing
  private let store: any Store
  private let host: Host
  private let users: NamedUsers

  init(
    engine: Engine, store: any Store, host: Host, fetches: LastFetches, users: NamedUsers
  ) {
    let pushes = PushTrace(
      limits: engine.limits, now: host.now, maySend: SendPermission(engine.permission),
      fetches: fetches)
    tracing = Tracing(engine) { try pushes.explain($0, in: $1) }
    self.store = store
    self.host = host
    self.users = users
  }

  /// Why a push came, or did not.
  func show(_ call: Call) async throws -> Reply {
    let question = try await question(call)
    let now = host.now()
    return .json(
      try await store.read { [tracing] in try tracing.trace(question, now: now, in: $0) }.json)
  }

  private func question(_ call: Call) async throws -> TraceQuestion {
    var question = TraceQuestion(in: call.containerEnvironment)
    question.change = try call.query["change"].map(change)
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
  private func change(_ text: String) throws(BrumeError) -> (bucket: Bucket, position: Int64) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let bucket = Int(parts[0]), (0..<store.bucketCount).contains(bucket),
      let position = Int64(parts[1]), position > 0
    else {
      throw BrumeError(
        .badRequest, "'change' must be the ID of a change, such as 0-12, not '\(text.prefix(40))'")
    }
    return (Bucket(bucket), position)
  }
}
