// zones/list, zones/lookup, zones/modify.

import BrumeCore
import BrumeWire

enum ZoneRoutes {
  static func list(_ call: Call) async throws -> Reply {
    .json(Wire.zones(try await call.engine.listZones(in: call.scope, as: call.caller)))
  }

  static func lookup(_ call: Call) async throws -> Reply {
    let zones = try Wire.zoneLookup(call.json())
    return .json(
      Wire.zones(try await call.engine.lookupZones(zones, in: call.scope, as: call.caller)))
  }

  static func modify(_ call: Call) async throws -> Reply {
    let operations = try Wire.zoneOperations(call.json())
    return .json(
      Wire.zones(try await call.engine.modifyZones(operations, in: call.scope, as: call.caller)))
  }
}
