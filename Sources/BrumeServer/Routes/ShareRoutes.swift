// records/resolve and records/accept, and asking for access.

import BrumeCore
import BrumeModel
import BrumeWire

enum ShareRoutes {
  static func resolve(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let requests = try Wire.shortGUIDs(json)
    let found = try await call.rules.resolveShares(requests, as: call.caller)
    return .json(Wire.shareResults(found, call.options(json)))
  }

  static func accept(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let requests = try Wire.shortGUIDs(json)
    let accepted = try await call.rules.acceptShares(requests, as: call.caller)
    return .json(Wire.shareResults(accepted, call.options(json)))
  }

  static func requestAccess(_ call: Call) async throws -> Reply {
    try await call.engine.shares.requestAccess(Wire.shortGUIDs(call.json()), as: call.caller)
    return .empty
  }
}
