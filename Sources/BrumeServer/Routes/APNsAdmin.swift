// Who signs for Apple, for the command line.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeStorage
import BrumeWire

struct APNsAdmin: Sendable {
  let pushKeys: PushKeys
  let store: any Store
  let worker: DeliveryWorker

  func list(_ call: Call) async throws -> Reply {
    let container = call.containerEnvironment.container
    let senders = try await store.read { store in
      try store.apnsSenders.all(of: container).map { sender in
        (sender, try store.settings.lastUse(.apnsUse(container, topic: sender.topic)))
      }
    }
    return .json(["senders": .array(senders.map { Self.describe($0.0, lastUsed: $0.1) })])
  }

  func add(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let sender = APNsSender(
      container: call.containerEnvironment.container, topic: try json.text("topic"),
      team: try json.text("team"),
      keyID: try json.text("keyID"), privateKey: try json.text("key"))
    try await pushKeys.addAPNsSender(sender)
    worker.configurationChanged()
    return .json(Self.describe(sender))
  }

  func remove(_ call: Call) async throws -> Reply {
    let (topic, container) = (try call.json().text("topic"), call.containerEnvironment.container)
    guard try await pushKeys.removeAPNsSender(topic, of: container) else {
      throw BrumeError(
        .notFound,
        "\(container) has no key for '\(NameRules.shown(topic))'; see 'brume apns list'")
    }
    return .empty
  }

  /// Without the key itself.
  private static func describe(_ sender: APNsSender, lastUsed: Milliseconds? = nil) -> JSON {
    var object = JSONObject()
    object["container"] = .string(sender.container.name)
    object["topic"] = .string(sender.topic)
    object["team"] = .string(sender.team)
    object["keyID"] = .string(sender.keyID)
    object["lastUsed"] = lastUsed.map { .int($0) }
    return .object(object)
  }
}
