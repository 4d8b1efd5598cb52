// Kinds of queries. Beside what grows there are twenty records, which every condition is held against.

import BrumeCore
import BrumeModel
import BrumeTestKit

extension RequestKind {
  static let queries: [RequestKind] = [
    RequestKind("records of a query's page") { server, n in
      try await fill(server, n)
    } request: { server, n in
      try await server.query([Filter(.equals, .field("n"), .int64(1))], limit: n)
    },
    query("conditions") { n in
      (0..<n).map { Filter(.notEquals, .field("n"), .int64(Int64(1000 + $0))) }
    },
    query("conditions of equality") { n in
      Array(repeating: Filter(.equals, .field("n"), .int64(1)), count: n)
    },
    query("values of an IN") { n in
      [Filter(.in, .field("n"), .list((0..<n).map { .int64(Int64($0)) }, of: .int64))]
    },
    query("texts of an IN") { n in
      [Filter(.in, .field("s"), .list(names(n).map { .string($0) }, of: .string))]
    },
    query("values of a NOT_IN") { n in
      [
        Filter(
          .notIn, .field("n"), .list((1000..<1000 + n).map { .int64(Int64($0)) }, of: .int64))
      ]
    },
    query("words that are searched for") { n in
      let words = "word " + names(n, "word").joined(separator: " ")
      return [Filter(.containsAnyTokens, .field("s"), .string(words))]
    },
  ]

  private static func query(
    _ what: String, _ filters: @escaping @Sendable (_ n: Int) -> [Filter]
  ) -> RequestKind {
    RequestKind("\(what) of a query") { server, n in
      try await fill(server, 20)
      // The first has the index made.
      try await server.query(filters(n))
    } request: { server, n in
      try await server.query(filters(n))
    }
  }

  private static func fill(_ server: GrowthServer, _ count: Int) async throws {
    try await server.save(names(count).map { .create($0) })
    try await server.query([Filter(.equals, .field("n"), .int64(1))])
  }
}
