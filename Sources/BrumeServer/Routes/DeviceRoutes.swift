// /_brume/devices and /_brume/webpush/key: how a device is reached.
//
// The body of `devices` says how: nothing for the event stream, `apns` with a push token, or `webPush`
// with a browser's subscription as `PushSubscription.toJSON()` writes it.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumePush
import BrumeWire

enum DeviceRoutes {
  static func register(_ call: Call) async throws -> Reply {
    let body = try call.json().asObject("the body")
    if let apns = try body.object("apns") {
      call.server.deliveries.worker.hint([try await registerAPNs(apns, call)])
    } else if let subscription = try body.object("webPush") {
      call.server.deliveries.worker.hint([try await registerWebPush(subscription, call)])
    } else {
      _ = try await call.engine.devices.register(as: call.caller)
    }
    return .empty
  }

  static func remove(_ call: Call) async throws -> Reply {
    try await call.engine.devices.unregister(as: call.caller)
    return .empty
  }

  /// What a browser needs to subscribe.
  static func webPushKey(_ call: Call) async throws -> Reply {
    .json(["publicKey": .string(call.server.deliveries.webPush.publicKey)])
  }

  private static func registerAPNs(
    _ body: JSONObject, _ call: Call
  ) async throws -> DeviceKey {
    let name = try body.requiredString("environment")
    guard let environment = Environment(rawValue: name) else {
      throw BrumeError(.badRequest, "'apns.environment' must be development or production")
    }
    return try await call.engine.devices.registerToken(
      TokenRequest.hex(body.requiredString("token")), environment: environment,
      topic: body.string("topic"), clientID: nil, as: call.caller
    ).device
  }

  private static func registerWebPush(
    _ body: JSONObject, _ call: Call
  ) async throws -> DeviceKey {
    let endpoint = try body.requiredString("endpoint")
    let keys = try body.required("keys", try body.object("keys"))
    guard let key = try Base64URL.lenientBytes(keys.requiredString("p256dh")),
      let secret = try Base64URL.lenientBytes(keys.requiredString("auth"))
    else { throw BrumeError(.badRequest, "'keys' must hold base64url texts") }
    _ = try await call.server.deliveries.webPushGuard.target(endpoint)
    return try await call.engine.webPush.register(
      WebPushTarget(endpoint: endpoint, key: key, secret: secret), clientID: nil, as: call.caller)
  }
}
