// tokens/create and tokens/register: how a client gets its pushes.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeWire

enum TokenRoutes {
  static func create(_ call: Call) async throws -> Reply {
    let request = try TokenRequest(json: call.json())
    let token = try await call.engine.devices.createCourierToken(
      environment: request.environment, clientID: request.clientID, as: call.caller)
    return answer(call, request, token: token, courier: token)
  }

  static func register(_ call: Call) async throws -> Reply {
    let request = try TokenRequest(json: call.json())
    guard let token = request.token else {
      throw BrumeError(.badRequest, "'apnsToken' is missing: the device's push token as hex digits")
    }
    let registered = try await call.engine.devices.registerToken(
      token, environment: request.environment, topic: request.topic, clientID: request.clientID,
      as: call.caller)
    call.server.deliveries.worker.hint([registered.device])
    return answer(call, request, token: token, courier: registered.courierToken)
  }

  // CloudKit: web clients replace the token and the address that they poll by either answer.
  private static func answer(
    _ call: Call, _ request: TokenRequest, token: String, courier: String
  ) -> Reply {
    let lifetime = call.server.settings.limits.courierSeconds
    return .json(
      Wire.courierToken(
        CourierToken(
          environment: request.environment, token: token,
          courierURL: "\(call.server.url)/_brume/courier?tok=\(courier)&ttl=\(lifetime)")))
  }
}
