// Webhooks, for the command line. The URL and the secret are shown to the operator only; logs have
// neither.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumePush
import BrumeStorage
import BrumeWire

struct WebhookAdmin: Sendable {
  let webhooks: Webhooks
  let store: any Store
  let worker: DeliveryWorker
  /// Whom the server may call, of what operators register.
  let outside: OutsideGuard
  /// An upper-case UUID.
  let uuid: @Sendable () -> String

  func list(_ call: Call) async throws -> Reply {
    let containerEnvironment = call.containerEnvironment
    let (own, newest) = try await store.read { store in
      let own = try store.webhooks.all().filter { $0.containerEnvironment == containerEnvironment }
      return (
        try own.map { ($0, try store.settings.lastUse(.webhookUse($0.id))) },
        try store.log.lastPositions()
      )
    }
    return .json([
      "webhooks": .array(own.map { .object(describe($0.0, newest: newest, lastUsed: $0.1)) })
    ])
  }

  func add(_ call: Call) async throws -> Reply {
    let url = try call.json().text("url")
    _ = try await outside.target(url)
    let webhook = try await webhooks.add(url: url, in: call.containerEnvironment)
    worker.configurationChanged()
    var object = describe(webhook, newest: webhook.cursor)
    object["secret"] = .string(WebhookChannel.text(ofSecret: webhook.secret))
    return .json(.object(object))
  }

  func enable(_ call: Call) async throws -> Reply {
    try await webhooks.enable(call.json().text("id"), in: call.containerEnvironment)
    worker.configurationChanged()
    return .empty
  }

  func disable(_ call: Call) async throws -> Reply {
    try await webhooks.disable(call.json().text("id"), in: call.containerEnvironment)
    return .empty
  }

  func remove(_ call: Call) async throws -> Reply {
    try await webhooks.remove(call.json().text("id"), in: call.containerEnvironment)
    return .empty
  }

  /// Calls a webhook once, without changes, whatever its state.
  func test(_ call: Call) async throws -> Reply {
    let webhook = try await webhooks.find(call.json().text("id"), in: call.containerEnvironment)
    let line = try await worker.test(
      webhook, messageID: "msg_test_\(uuid())", requestID: call.caller.requestID)
    return .json(PushLogAdmin.describe(line, [:]))
  }

  private func describe(
    _ webhook: Webhook, newest: LogPositions, lastUsed: Milliseconds? = nil
  ) -> JSONObject {
    var object = JSONObject()
    object["id"] = .string(webhook.id)
    object["container"] = .string(webhook.container.name)
    object["environment"] = .string(webhook.environment.rawValue)
    object["url"] = .string(webhook.url)
    object["state"] = .string(webhook.isActive ? "on" : "off")
    object["reason"] = webhook.disabledBecause.map { .string($0) }
    object["failures"] = .int(Int64(webhook.failures))
    object["behind"] = .int(
      newest.buckets.reduce(0) { $0 + max(0, newest[$1] - webhook.cursor[$1]) })
    object["missed"] = .bool(webhook.missed)
    object["lastUsed"] = lastUsed.map { .int($0) }
    return object
  }
}
