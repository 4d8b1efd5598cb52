// The push log, for the command line.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeWire

struct PushLogAdmin: Sendable {
  let store: any Store
  let users: NamedUsers
  /// Lines of one answer.
  let mostLines: Int

  /// The newest lines, oldest first; after a position, to follow, or before one, to look back.
  func list(_ call: Call) async throws -> Reply {
    let filter = try await filter(call)
    let after = try call.number("after") ?? 0
    let limit = Int(min(try call.number("limit") ?? 100, Int64(mostLines)))
    let lines = try await store.read {
      try $0.pushLog.entries(filter, after: after, limit: limit)
    }
    let names = try await users.names(of: Set(lines.compactMap(\.user)))
    var answer = JSONObject()
    answer["log"] = .array(lines.map { Self.describe($0, names) })
    answer["next"] = lines.count == limit ? lines.first.map { JSON.int($0.position) } : nil
    return .json(.object(answer))
  }

  private func filter(_ call: Call) async throws -> PushLogFilter {
    var filter = PushLogFilter()
    filter.container = call.databasePath.container
    filter.environment = call.databasePath.environment
    if let name = call.query["user"] { filter.user = try await users.user(name).id }
    filter.device = call.query["device"]
    filter.notificationID = call.query["notification"]
    filter.requestID = call.query["request"]
    filter.before = try call.number("before")
    return filter
  }

  static func describe(_ line: PushLogEntry, _ names: [UserID: String]) -> JSON {
    var object = JSONObject()
    object["position"] = .int(line.position)
    object["time"] = .int(line.time)
    object["container"] = .string(line.container.name)
    object["environment"] = .string(line.environment.rawValue)
    object["user"] = line.user.map { .string(names[$0] ?? $0.name) }
    object["device"] = .string(line.device)
    object["channel"] = .string(line.channel)
    object["request"] = .string(line.requestID)
    object["change"] = .string(line.subject)
    object["subscription"] = .string(line.subscriptionID)
    object["notification"] = .string(line.notificationID)
    object["attempt"] = .int(Int64(line.attempt))
    object["verdict"] = .string(line.verdict.rawValue)
    object["status"] = line.status.map { .int(Int64($0)) }
    object["reason"] = .string(line.reason)
    return .object(object)
  }
}
