// records/resolve and records/accept.

import BrumeCore
import BrumeWire

enum ShareRoutes {
  static func resolve(_ call: Call) async throws -> Reply {
    let requests = try Wire.shortGUIDs(call.json())
    return .json(
      Wire.shareResults(
        try await call.engine.resolveShares(requests, as: call.caller), call.assetOptions))
  }

  static func accept(_ call: Call) async throws -> Reply {
    let requests = try Wire.shortGUIDs(call.json())
    return .json(
      Wire.shareResults(
        try await call.engine.acceptShares(requests, as: call.caller), call.assetOptions))
  }
}
