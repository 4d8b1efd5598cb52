// Kinds of requests that delete, with what goes along and what stays.

import BrumeCore
import BrumeModel
import BrumeTestKit

extension RequestKind {
  static let deletions: [RequestKind] = [
    RequestKind("records deleted") { server, n in
      try await server.save(names(n).map { .create($0) })
    } request: { server, n in
      try await server.save(names(n).map { .remove($0) })
    },
    RequestKind("a chain of parents deleted") { server, n in
      try await server.save(chain(n))
    } request: { server, n in
      try await server.save(names(n).map { .remove($0) })
    },
    RequestKind("records that go with one") { server, n in
      try await server.save(holders(n, of: "first", .deleteSelf))
    } request: { server, _ in
      try await server.save([.remove("first")])
    },
    RequestKind("records that go with many") { server, n in
      try await server.save(names(10).map { .create($0) })
      try await server.save(
        names(n, "h").map { .create($0, ["to": references(to: names(10), .deleteSelf)]) })
    } request: { server, _ in
      try await server.save(names(10).map { .remove($0) })
    },
    RequestKind("a chain of deletions that one record keeps, and what goes with its root") {
      server, n in
      try await server.save(chain(n))
      try await server.save(holders(n, of: "r0", .deleteSelf))
      try await server.save([
        .create("keeper", ["to": references(to: ["r\(n - 1)"], .validate)])
      ])
    } request: { server, n in
      try await server.refused(names(n).map { .remove($0) })
    },
    RequestKind("records below the root of a share") { server, n in
      try await server.save([.create("r0"), .share("share", of: "r0", with: [])])
      try await server.save(Array(chain(n).dropFirst()))
    } request: { server, n in
      try await server.save(names(n).map { .remove($0) })
    },
  ]
}
