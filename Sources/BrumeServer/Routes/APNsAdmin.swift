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
    let senders = try await store.read { try $0.apnsSenders.all(of: container) }
    return .json(["senders": .array(senders.map { Self.describe($0) })])
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
    let wasThere = try await store.write(in: .server) {
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
