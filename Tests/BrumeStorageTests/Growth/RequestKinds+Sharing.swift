// Kinds of requests about shares and shared zones.

import BrumeCore
import BrumeModel
import BrumeTestKit

extension RequestKind {
  static let sharing: [RequestKind] = [
    RequestKind("people invited to a share") { server, n in
      try await server.save([.create("root"), .share("share", of: "root", with: addresses(n))])
    },
    RequestKind("people who are in a share already") { server, n in
      try await server.save([.create("root"), .share("share", of: "root", with: addresses(n))])
    } request: { server, n in
      let share = try await server.record("share")
      var operation = RecordOperation.share("share", of: nil, with: addresses(n))
      operation.kind = .update
      operation.record.changeTag = share.changeTag
      try await server.save([operation])
    },
    RequestKind("roots that are shared") { server, n in
      try await server.save(roots(n))
    },
    RequestKind("shares that end") { server, n in
      try await server.save(roots(n))
      try await server.accept(shares(n))
    } request: { server, n in
      try await server.save(names(n, "sr").map { .remove($0) })
    },
    RequestKind("shares accepted", sizes: [25, 50, 100]) { server, n in
      try await server.save(roots(n))
    } request: { server, n in
      try await server.accept(shares(n))
    },
    RequestKind("shared zones looked up", sizes: [25, 50, 100]) { server, n in
      try await server.shareZones(n)
    } request: { server, n in
      let found = try await server.engine.zones.lookup(
        server.sharedZones(n), in: .shared, as: server.bob)
      for zone in found { _ = try zone.get() }
    },
    RequestKind("shared zones whose changes are asked for", sizes: [25, 50, 100]) {
      server, n in
      try await server.shareZones(n)
    } request: { server, n in
      try await server.changes(of: server.sharedZones(n), in: .shared, as: server.bob)
    },
    RequestKind("shared zones saved to", sizes: [25, 50, 100]) { server, n in
      try await server.shareZones(n)
    } request: { server, n in
      let zones = try await server.sharedZones(n)
      try await server.save(
        zones.map { .create("r", zone: $0) }, in: .shared, zone: zones[0], as: server.bob)
    },
    RequestKind("shared zones of the database's changes", sizes: [25, 50, 100]) {
      server, n in
      try await server.shareZones(n)
    } request: { server, _ in
      let page = try await server.engine.changes.ofDatabase(
        since: nil, limit: nil, in: .shared, as: server.bob)
      _ = try await server.engine.changes.ofDatabase(
        since: page.token, limit: nil, in: .shared, as: server.bob)
    },
  ]

  private static func addresses(_ n: Int) -> [String] { names(n).map { "\($0)@example.org" } }

  private static func roots(_ n: Int) -> [RecordOperation] {
    names(n).map { RecordOperation.create($0) }
      + names(n).map { RecordOperation.share("s\($0)", of: $0, with: ["bob@example.org"]) }
  }

  private static func shares(_ n: Int) -> [RecordID] {
    names(n, "sr").map { RecordID(name: $0, zone: GrowthServer.zone) }
  }
}

extension GrowthServer {
  func record(_ name: String, in zone: ZoneID = GrowthServer.zone) async throws -> Record {
    let results = try await engine.records.lookup(
      LookupRecordsRequest(zone: zone, items: [.init(name: name)]), in: .private, as: phone)
    guard case .saved(let stored) = try results[0].get() else { throw Missing() }
    return try stored.record()
  }

  private struct Missing: Error {}

  /// Lets Bob into shares.
  func accept(_ shares: [RecordID]) async throws {
    var requests: [ShortGUIDRequest] = []
    for share in shares {
      let record = try await record(share.name, in: share.zone)
      requests.append(ShortGUIDRequest(value: record.shortGUID ?? ""))
    }
    for result in try await engine.shares.accept(requests, as: bob) { _ = try result.get() }
  }

  /// As many zones of Alice's that Bob takes part in.
  func shareZones(_ n: Int) async throws {
    let zones = RequestKind.zoneIDs(n)
    try await make(zones)
    try await save(
      zones.map { zone in
        var share = RecordOperation.share(
          Record.zoneShareName, of: nil, with: ["bob@example.org"])
        share.record.zone = zone
        return share
      })
    try await accept(zones.map { RecordID(name: Record.zoneShareName, zone: $0) })
  }

  func sharedZones(_ n: Int) async throws -> [ZoneID] {
    let owner = try phone.requireUser().name
    return RequestKind.zoneIDs(n).map { ZoneID(name: $0.name, ownerName: owner) }
  }
}
