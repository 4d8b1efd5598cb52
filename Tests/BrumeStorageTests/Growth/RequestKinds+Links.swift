// Kinds of requests whose records refer to others.

import BrumeCore
import BrumeModel
import BrumeTestKit

extension RequestKind {
  static let links: [RequestKind] = [
    RequestKind("a chain of parents, children first") { server, n in
      try await server.save(chain(n).reversed())
    },
    RequestKind("a chain of parents below one that is missing") { server, n in
      try await server.refused(chain(n, below: "missing").reversed())
    },
    RequestKind("children of one record") { server, n in
      try await server.save(names(n).map { .create($0, parent: "first") })
    },
    RequestKind("children of one record that fails") { server, n in
      let children = names(n).map { RecordOperation.create($0, parent: "root") }
      try await server.refused(children + [.create("root", parent: "missing")])
    },
    RequestKind("DELETE_SELF references of one record") { server, n in
      try await server.save([.create("holder", ["to": references(to: names(n), .deleteSelf)])])
    },
    RequestKind("VALIDATE references of one record") { server, n in
      try await server.save(names(n).map { .create($0) })
    } request: { server, n in
      try await server.save([.create("holder", ["to": references(to: names(n), .validate)])])
    },
    RequestKind("records that refer to one by DELETE_SELF") { server, n in
      try await server.save(holders(n, of: "first", .deleteSelf))
    },
    RequestKind("records that refer to one by VALIDATE") { server, n in
      try await server.save(holders(n, of: "first", .validate))
    },
    RequestKind("records that refer to the next by VALIDATE, the last of which fails") {
      server, n in
      let chain = names(n).indices.map { number in
        RecordOperation.create(
          "r\(number)", ["to": references(to: ["r\(number + 1)"], .validate)])
      }
      try await server.refused(chain)
    },
  ]

  /// Each record is the parent of the next.
  static func chain(_ n: Int, below root: String? = nil) -> [RecordOperation] {
    (0..<n).map { .create("r\($0)", parent: $0 == 0 ? root : "r\($0 - 1)") }
  }

  static func holders(_ n: Int, of name: String, _ action: Reference.Action)
    -> [RecordOperation]
  {
    names(n, "h").map { .create($0, ["to": references(to: [name], action)]) }
  }
}
