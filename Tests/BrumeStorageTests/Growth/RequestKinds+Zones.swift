// Kinds of requests about zones.

import BrumeCore
import BrumeModel
import BrumeTestKit

extension RequestKind {
  static let zones: [RequestKind] = [
    RequestKind("zones made") { server, n in try await server.make(zoneIDs(n)) },
    RequestKind("zones made again") { server, n in
      try await server.make(zoneIDs(n))
    } request: { server, n in
      try await server.make(zoneIDs(n))
    },
    RequestKind("zones deleted") { server, n in
      try await server.make(zoneIDs(n))
    } request: { server, n in
      let results = try await server.engine.zones.modify(
        zoneIDs(n).map { ZoneOperation(.delete, $0) }, in: .private, as: server.phone)
      for result in results { _ = try result.get() }
    },
    RequestKind("records of a deleted zone, which go in steps", sizes: [600, 1200]) { server, n in
      try await server.make(zoneIDs(1))
      try await server.save(names(n).map { .create($0, zone: zoneIDs(1)[0]) })
    } request: { server, _ in
      let results = try await server.engine.zones.modify(
        [ZoneOperation(.delete, zoneIDs(1)[0])], in: .private, as: server.phone)
      for result in results { _ = try result.get() }
    },
    RequestKind("zones deleted that a subscription each watches") { server, n in
      try await server.make(zoneIDs(n))
      try await server.modify(watching(zoneIDs(n)))
    } request: { server, n in
      _ = try await server.engine.zones.modify(
        zoneIDs(n).map { ZoneOperation(.delete, $0) }, in: .private, as: server.phone)
    },
    RequestKind("zones looked up") { server, n in
      try await server.make(zoneIDs(n))
    } request: { server, n in
      _ = try await server.engine.zones.lookup(zoneIDs(n), in: .private, as: server.phone)
    },
    RequestKind("zones of a list") { server, n in
      try await server.make(zoneIDs(n))
    } request: { server, _ in
      _ = try await server.engine.zones.list(in: .private, as: server.phone)
    },
    RequestKind("zones of the database's changes") { server, n in
      try await server.make(zoneIDs(n))
    } request: { server, _ in
      _ = try await server.engine.changes.ofDatabase(
        since: nil, limit: nil, in: .private, as: server.phone)
    },
    RequestKind("zones whose changes are asked for") { server, n in
      try await server.make(zoneIDs(n))
    } request: { server, n in
      try await server.changes(of: zoneIDs(n))
    },
    RequestKind("one zone named again and again") { server, n in
      try await server.changes(of: Array(repeating: GrowthServer.zone, count: n))
    },
    RequestKind("zones saved to") { server, n in
      try await server.make(zoneIDs(n))
    } request: { server, n in
      try await server.save(names(n).map { .create($0, zone: ZoneID(name: "z\($0)")) })
    },
  ]

  static func zoneIDs(_ n: Int) -> [ZoneID] { names(n, "zr").map { ZoneID(name: $0) } }
}
