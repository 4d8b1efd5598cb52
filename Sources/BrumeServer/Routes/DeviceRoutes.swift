// /_brume/devices and /_brume/webpush/key: how a device is reached.
//
// The body of `devices` says how: nothing for the event stream, `apns` with a push token, or `webPush`
// with a browser's subscription as `PushSubscription.toJSON()` writes it.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumePush
import BrumeWire

struct DeviceRoutes: Sendable {
  let rules: any RuleCalls
  let devices: Devices
  let webPush: WebPushRegistration
  /// Whom the server may call, of what users register.
  let webPushGuard: OutsideGuard
  /// What Web Push services know the server by.
  let webPushPublicKey: String
  let worker: DeliveryWorker

  func register(_ call: Call) async throws -> Reply {
    let body = try call.json().asObject("the body")
    if let apns = try body.object("apns") {
      worker.hint([try await registerAPNs(apns, call)])
    } else if let subscription = try body.object("webPush") {
      worker.hint([try await registerWebPush(subscription, call)])
    } else {
      try Self.checkEmpty(body)
      _ = try await rules.registerDevice(as: call.caller)
    }
    return .empty
  }

  /// Who misspells how a device is reached must not get a device of the event stream.
  private static func checkEmpty(_ body: JSONObject) throws(BrumeError) {
    let other = body.members.first { $0.value != .null }
    guard let other else { return }
    throw BrumeError(
      .badRequest,
      "the body has '\(NameRules.shown(other.key))', and neither 'apns' nor 'webPush'; write one of them, or {} "
        + "for a device that opens an event stream")
  }

  func remove(_ call: Call) async throws -> Reply {
    try await devices.unregister(as: call.caller)
    return .empty
  }

  /// What a browser needs to subscribe.
  func webPushKey(_ call: Call) async throws -> Reply {
    .json(["publicKey": .string(webPushPublicKey)])
  }

  private func registerAPNs(
    _ body: JSONObject, _ call: Call
  ) async throws -> DeviceKey {
    let name = try body.requiredString("environment")
    guard let environment = Environment(rawValue: name) else {
      throw BrumeError(.badRequest, "'apns.environment' must be development or production")
    }
    return try await devices.registerToken(
      TokenRequest.hex(body.requiredString("token")), environment: environment,
      topic: body.string("topic"), clientID: nil, as: call.caller
    ).device
  }

  private func registerWebPush(
    _ body: JSONObject, _ call: Call
  ) async throws -> DeviceKey {
    let endpoint = try body.requiredString("endpoint")
    let keys = try body.required("keys", try body.object("keys"))
    guard let key = try Base64URL.lenientBytes(keys.requiredString("p256dh")),
      let secret = try Base64URL.lenientBytes(keys.requiredString("auth"))
    else { throw BrumeError(.badRequest, "'keys' must hold base64url texts") }
    _ = try await webPushGuard.target(endpoint, for: call.caller.user)
    return try await webPush.register(
      WebPushTarget(endpoint: endpoint, key: key, secret: secret), clientID: nil, as: call.caller)
  }
}
