// tokens/create and tokens/register: how a client gets its pushes.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeWire

struct TokenRoutes: Sendable {
  let devices: Devices
  let worker: DeliveryWorker
  let server: ServerAddress
  /// How long a poll's address says that it is good, in seconds.
  let courierSeconds: Int

  func create(_ call: Call) async throws -> Reply {
    let request = try TokenRequest(json: call.json())
    let token = try await devices.createCourierToken(
      environment: request.environment, clientID: request.clientID, as: call.caller)
    return answer(request, token: token, courier: token)
  }

  func register(_ call: Call) async throws -> Reply {
    let request = try TokenRequest(json: call.json())
    guard let token = request.token else {
      throw BrumeError(.badRequest, "'apnsToken' is missing: the device's push token as hex digits")
    }
    let registered = try await devices.registerToken(
      token, environment: request.environment, topic: request.topic, clientID: request.clientID,
      as: call.caller)
    worker.hint([registered.device])
    return answer(request, token: token, courier: registered.courierToken)
  }

  // CloudKit: web clients replace the token and the address that they poll by either answer.
  private func answer(
    _ request: TokenRequest, token: String, courier: String
  ) -> Reply {
    .json(
      Wire.courierToken(
        CourierToken(
          environment: request.environment, token: token,
          courierURL: "\(server.url)/_brume/courier?tok=\(courier)&ttl=\(courierSeconds)")))
  }
}
