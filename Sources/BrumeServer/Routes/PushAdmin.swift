// The push log and who signs for Apple, for the command line.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeStorage
import BrumeWire

enum PushAdmin {
  /// The newest lines, oldest first; after a position, to follow.
  static func log(_ call: Call) async throws -> Reply {
    let filter = try await filter(call)
    let after = call.query["after"].flatMap { Int64($0) } ?? 0
    let most = call.server.settings.limits.pushLogPage
    let limit = min(call.query["limit"].flatMap { Int($0) } ?? 100, most)
    let (lines, users) = try await call.server.store.read { store in
      (try store.pushLog.entries(filter, after: after, limit: limit), try store.users.all())
    }
    let names = Dictionary(users.map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
    return .json(["log": .array(lines.map { describe($0, names) })])
  }

  private static func filter(_ call: Call) async throws -> PushLogFilter {
    var filter = PushLogFilter()
    filter.container = call.databasePath.container
    filter.environment = call.databasePath.environment
    if let name = call.query["user"] { filter.user = try await call.account(named: name).id }
    filter.device = call.query["device"]
    filter.notificationID = call.query["notification"]
    filter.requestID = call.query["request"]
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

  // MARK: APNs

  static func senders(_ call: Call) async throws -> Reply {
    let container = call.containerEnvironment.container
    let senders = try await call.server.store.read { try $0.apnsSenders.all(of: container) }
    return .json(["senders": .array(senders.map { describe($0) })])
  }

  static func addSender(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let sender = APNsSender(
      container: call.containerEnvironment.container, topic: try json.text("topic"),
      team: try json.text("team"),
      keyID: try json.text("keyID"), privateKey: try json.text("key"))
    try await call.engine.pushKeys.addAPNsSender(sender)
    call.server.deliveries.worker.configurationChanged()
    return .json(describe(sender))
  }

  static func removeSender(_ call: Call) async throws -> Reply {
    let (topic, container) = (try call.json().text("topic"), call.containerEnvironment.container)
    let wasThere = try await call.server.store.write(in: .server) {
      try $0.apnsSenders.remove(topic, of: container)
    }
    guard wasThere else {
      throw BrumeError(.notFound, "\(container) has no key for '\(topic)'; see 'brume apns list'")
    }
    return .empty
  }

  /// Without the key itself.
  private static func describe(_ sender: APNsSender) -> JSON {
    [
      "container": .string(sender.container.name), "topic": .string(sender.topic),
      "team": .string(sender.team), "keyID": .string(sender.keyID),
    ]
  }
}
