// One kind of request, and how large it may become. The table of all is in the files beside this one.

import BrumeModel
import Testing

struct RequestKind: Sendable, CustomTestStringConvertible {
  /// What grows with `n`.
  let testDescription: String
  let sizes: [Int]
  let quota: Int64
  let prepare: @Sendable (GrowthServer, _ n: Int) async throws -> Void
  let request: @Sendable (GrowthServer, _ n: Int) async throws -> Void

  /// - Parameters:
  ///   - quota: bytes that Alice's database may hold.
  ///   - prepare: what is there before the request.
  init(
    _ name: String, sizes: [Int] = [50, 100, 200], quota: Int64 = 1 << 30,
    prepare: @escaping @Sendable (GrowthServer, _ n: Int) async throws -> Void = { _, _ in },
    request: @escaping @Sendable (GrowthServer, _ n: Int) async throws -> Void
  ) {
    testDescription = name
    self.sizes = sizes
    self.quota = quota
    self.prepare = prepare
    self.request = request
  }

  static let all =
    saves + links + deletions + reads + zones + queries + sharing + subscriptions

  /// Steps of SQLite that the request of each size takes on a new server.
  func steps() async throws -> [Int] {
    var steps: [Int] = []
    for size in sizes {
      let server = try await GrowthServer(limits: limits)
      try await prepare(server, size)
      steps.append(try await server.steps { try await request(server, size) })
      try await server.close()
    }
    return steps
  }

  /// Wide enough that the sizes are what counts.
  private var limits: Limits {
    var limits = Limits.apple
    limits.storageBytesPerUser = quota
    limits.passwordRounds = 16
    for bound in [
      \Limits.operationsPerRequest, \.recordsPerResponse, \.itemsPerOperation, \.filtersPerQuery,
      \.valuesPerFilter, \.wordsPerSearch, \.participants, \.parentChain, \.deleteSelfReferences,
      \.subscriptionsPerUser, \.learnedRecordTypes,
    ] { limits[keyPath: bound] = 2000 }
    return limits
  }

  /// Names of `n` records or zones.
  static func names(_ n: Int, _ prefix: String = "r") -> [String] {
    (0..<n).map { "\(prefix)\($0)" }
  }

  static func references(to names: [String], _ action: Reference.Action) -> FieldValue {
    .list(
      names.map { .reference(Reference(recordName: $0, action: action)) }, of: .reference)
  }
}
