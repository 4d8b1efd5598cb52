// zones/list, zones/lookup, zones/modify.

import BrumeCore
import BrumeModel
import BrumeWire

enum ZoneRoutes {
  static func list(_ call: Call) async throws -> Reply {
    let zones = try await call.withFaults(.fetchZones) {
      try await call.engine.zones.list(in: call.scope, as: call.caller)
    }
    return .json(Wire.zones(zones))
  }

  static func lookup(_ call: Call) async throws -> Reply {
    let zones = try Wire.zoneLookup(call.json())
    return .json(Wire.zones(try await call.lookupZones(zones)))
  }

  static func modify(_ call: Call) async throws -> Reply {
    let operations = try Wire.zoneOperations(call.json())
    return .json(Wire.zones(try await call.modifyZones(operations)))
  }
}
