// tokens/create and tokens/register: how a client gets its pushes.

import BrumeCore
import BrumeModel
import BrumePush
import BrumeWire

enum TokenRoutes {
  static func create(_ call: Call) async throws -> Reply {
    let request = try TokenRequest(json: call.json())
    let token = try await call.engine.createCourierToken(
      environment: request.environment, clientID: request.clientID, as: call.caller)
    let lifetime = call.server.settings.limits.courierSeconds
    return .json(
      Wire.courierToken(
        CourierToken(
          environment: request.environment, token: token,
          courierURL: "\(call.server.url)/_brume/courier?tok=\(token)&ttl=\(lifetime)")))
  }

  static func register(_ call: Call) async throws -> Reply {
    let request = try TokenRequest(json: call.json())
    guard let token = request.token else {
      throw BrumeError(.badRequest, "'apnsToken' is missing: the device's push token as hex digits")
    }
    let device = try await call.engine.registerToken(
      token, environment: request.environment, topic: request.topic, clientID: request.clientID,
      as: call.caller)
    call.server.deliveries.worker.hint([device])
    return .empty
  }
}
