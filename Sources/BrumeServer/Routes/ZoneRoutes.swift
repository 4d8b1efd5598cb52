// zones/list, zones/lookup, zones/modify.

import BrumeCore
import BrumeModel
import BrumeWire

struct ZoneRoutes: Sendable {
  let rules: any RuleCalls
  let limits: Limits

  func list(_ call: Call) async throws -> Reply {
    .json(Wire.zones(try await rules.listZones(in: call.scope, as: call.caller)))
  }

  func lookup(_ call: Call) async throws -> Reply {
    let zones = try Wire.zoneLookup(call.json())
    let found = try await rules.lookupZones(zones, in: call.scope, as: call.caller)
    return .json(Wire.zones(found))
  }

  func modify(_ call: Call) async throws -> Reply {
    let request = try ModifyZonesRequest(json: call.json())
    try limits.check(operationID: request.operationID)
    let results = try await rules.modifyZones(request, in: call.scope, as: call.caller)
    return .json(Wire.zones(results))
  }
}
