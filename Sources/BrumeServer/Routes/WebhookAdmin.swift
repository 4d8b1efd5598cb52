// Webhooks, for the command line. The URL and the secret are shown to the operator only; logs have
// neither.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumePush
import BrumeStorage
import BrumeWire

enum WebhookAdmin {
  static func list(_ call: Call) async throws -> Reply {
    let containerEnvironment = call.containerEnvironment
    let (webhooks, newest) = try await call.server.store.read { store in
      (try store.webhooks.all(), try store.log.lastPositions())
    }
    let own = webhooks.filter {
      $0.container == containerEnvironment.container
        && $0.environment == containerEnvironment.environment
    }
    return .json(["webhooks": .array(own.map { describe($0, newest: newest) })])
  }

  static func add(_ call: Call) async throws -> Reply {
    let url = try call.json().text("url")
    _ = try await call.server.deliveries.webhookGuard.target(url)
    let webhook = try await call.engine.webhooks.add(
      url: url, container: call.containerEnvironment.container,
      environment: call.containerEnvironment.environment)
    call.server.deliveries.worker.configurationChanged()
    guard case .object(var object) = describe(webhook, newest: webhook.cursor) else {
      return .empty
    }
    object["secret"] = .string(WebhookChannel.text(ofSecret: webhook.secret))
    return .json(.object(object))
  }

  static func enable(_ call: Call) async throws -> Reply {
    let containerEnvironment = call.containerEnvironment
    try await call.engine.webhooks.enable(
      call.json().text("id"), container: containerEnvironment.container,
      environment: containerEnvironment.environment)
    call.server.deliveries.worker.configurationChanged()
    return .empty
  }

  static func remove(_ call: Call) async throws -> Reply {
    let containerEnvironment = call.containerEnvironment
    try await call.engine.webhooks.remove(
      call.json().text("id"), container: containerEnvironment.container,
      environment: containerEnvironment.environment)
    return .empty
  }

  /// Calls a webhook once, without changes, whatever its state.
  static func test(_ call: Call) async throws -> Reply {
    let (server, containerEnvironment) = (call.server, call.containerEnvironment)
    let webhook = try await call.engine.webhooks.find(
      call.json().text("id"), container: containerEnvironment.container,
      environment: containerEnvironment.environment)
    let line = try await server.deliveries.worker.test(
      webhook, messageID: "msg_test_\(server.host.uuid())", requestID: call.caller.requestID)
    return .json(PushAdmin.describe(line, [:]))
  }

  private static func describe(_ webhook: Webhook, newest: LogPositions) -> JSON {
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
    return .object(object)
  }
}
