// zones/list, zones/lookup, zones/modify.

import BrumeCore
import BrumeModel
import BrumeWire

enum ZoneRoutes {
  static func list(_ call: Call) async throws -> Reply {
    .json(Wire.zones(try await call.rules.listZones(in: call.scope, as: call.caller)))
  }

  static func lookup(_ call: Call) async throws -> Reply {
    let zones = try Wire.zoneLookup(call.json())
    let found = try await call.rules.lookupZones(zones, in: call.scope, as: call.caller)
    return .json(Wire.zones(found))
  }

  static func modify(_ call: Call) async throws -> Reply {
    let operations = try Wire.zoneOperations(call.json())
    let results = try await call.rules.modifyZones(operations, in: call.scope, as: call.caller)
    return .json(Wire.zones(results))
  }
}
