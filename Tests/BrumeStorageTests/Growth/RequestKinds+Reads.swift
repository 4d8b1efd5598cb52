// Kinds of requests that fetch.

import BrumeCore
import BrumeModel
import BrumeTestKit

extension RequestKind {
  static let reads: [RequestKind] = [
    RequestKind("records looked up") { server, n in
      try await server.save(names(n).map { .create($0) })
    } request: { server, n in
      try await server.lookup(names(n))
    },
    RequestKind("lookups of one record") { server, n in
      try await server.lookup(Array(repeating: "first", count: n))
    },
    RequestKind("changes of a page") { server, n in
      try await server.save(names(n).map { .create($0) })
    } request: { server, n in
      try await server.changes(of: [GrowthServer.zone], limit: n)
    },
    RequestKind("deletions of a page") { server, n in
      try await server.save(names(n).map { .create($0) })
      try await server.save(names(n).map { .remove($0) })
    } request: { server, n in
      _ = try await server.engine.changes.ofZones(
        [ZoneChangesRequest(zone: GrowthServer.zone, limit: n, withDeletions: true)],
        in: .private, as: server.phone)
    },
    RequestKind("people looked for") { server, n in
      _ = try await server.engine.discovery.users(
        names(n).map { UserIdentity(emailAddress: "\($0)@example.org") }, as: server.phone)
    },
  ]
}
