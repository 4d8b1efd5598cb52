// Kinds of requests that save records.

import BrumeCore
import BrumeModel
import BrumeTestKit

extension RequestKind {
  static let saves: [RequestKind] = [
    RequestKind("records saved") { server, n in
      try await server.save(names(n).map { .create($0) })
    },
    RequestKind("records changed") { server, n in
      try await server.save(names(n).map { .create($0) })
    } request: { server, n in
      try await server.save(names(n).map { .create($0, ["n": .int64(2)]) })
    },
    RequestKind("records of the public database") { server, n in
      try await server.save(
        names(n).map { .create($0) }, in: .public, zone: ZoneID(name: ZoneID.defaultName))
    },
    RequestKind("records saved again under the request's name") { server, n in
      try await server.save(names(n).map { .create($0) }, id: "again")
    } request: { server, n in
      try await server.save(names(n).map { .create($0) }, id: "again")
    },
    RequestKind("record types that are new") { server, n in
      try await server.save(names(n).map { .create($0, ["n": .int64(1)], type: "T\($0)") })
    },
    RequestKind("fields of a type that are new, each with a record") { server, n in
      try await server.save(names(n).map { .create($0, ["new\($0)": .int64(1)]) })
    },
    RequestKind("fields of one record") { server, n in
      try await server.save([.create("first", fields(n, 1))])
    } request: { server, n in
      try await server.save([.create("first", fields(n, 2))])
    },
    RequestKind("elements of a list") { server, n in
      let list = names(n).map { FieldValue.string($0) }
      try await server.save([.create("first", ["list": .list(list, of: .string)])])
    },
    RequestKind("words of a text") { server, n in
      let text = names(n, "word").joined(separator: " ")
      try await server.save([.create("first", ["s": .string(text)])])
    },
    RequestKind("a chain of records that is over the quota", quota: 10_000) { server, n in
      let big = FieldValue.string(String(repeating: "x", count: 20_000))
      let chain = names(n).indices.map { number -> RecordOperation in
        number == 0
          ? .create("r0", ["s": big]) : .create("r\(number)", parent: "r\(number - 1)")
      }
      try await server.refused(chain.reversed())
    },
  ]

  private static func fields(_ n: Int, _ value: Int64) -> [String: FieldValue] {
    Dictionary(uniqueKeysWithValues: names(n, "f").map { ($0, .int64(value)) })
  }
}
