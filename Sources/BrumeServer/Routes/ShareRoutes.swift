// records/resolve and records/accept, and asking for access.

import BrumeCore
import BrumeModel
import BrumeWire

struct ShareRoutes: Sendable {
  let rules: any RuleCalls
  let shares: Shares
  let addresses: AssetAddresses

  func resolve(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let requests = try Wire.shortGUIDs(json)
    let found = try await rules.resolveShares(requests, as: call.caller)
    return .json(Wire.shareResults(found, RecordOptions(json, for: call.caller, addresses)))
  }

  func accept(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let requests = try Wire.shortGUIDs(json)
    let accepted = try await rules.acceptShares(requests, as: call.caller)
    return .json(Wire.shareResults(accepted, RecordOptions(json, for: call.caller, addresses)))
  }

  func requestAccess(_ call: Call) async throws -> Reply {
    try await shares.requestAccess(Wire.shortGUIDs(call.json()), as: call.caller)
    return .empty
  }
}
