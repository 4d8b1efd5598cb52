// Work grows at most as n log n with what a request brings. It is counted, never timed: steps of SQLite's machine, and
// what the program itself does. The kinds of requests are a table: `RequestKind.all`.

#if os(Linux)
  import BrumeModel
  import Testing

  @Suite struct RequestGrowthTests {
    /// Twice as much may cost so much more: a little beyond what n log n gives from the smallest size on.
    private static let most = 2.2
    /// What is the same whatever a request brings, and what hashing leaves to chance.
    private static let slack = 500.0

    /// Where the work more than doubled when what the request brought did.
    private static func complaints(_ sizes: [Int], _ work: [Int], _ what: String) -> [String] {
      zip(sizes, zip(work, work.dropFirst())).compactMap { size, work in
        let most = Double(work.0) * most + slack
        return Double(work.1) <= most
          ? nil : "\(size) to \(2 * size): \(work.0) to \(work.1) \(what)"
      }
    }

    private static func complaints(about kind: RequestKind) async throws -> [String] {
      let work = try await kind.work()
      return complaints(kind.sizes, work.map(\.steps), "steps of SQLite")
        + complaints(kind.sizes, work.map(\.objects), "objects")
    }

    @Test(arguments: RequestKind.all)
    func `twice as much in a request is hardly more than twice the work`(_ kind: RequestKind)
      async throws
    {
      let complaints = try await Self.complaints(about: kind)
      #expect(complaints.isEmpty, "\(kind.testDescription): \(complaints.joined(separator: "; "))")
    }

    @Test func `a request that asks the store for each of its records about each is noticed`()
      async throws
    {
      let planted = RequestKind("planted", sizes: [10, 20, 40]) { server, n in
        for _ in 0..<n { try await server.lookup(Array(repeating: "first", count: n)) }
      }
      let complaints = try await Self.complaints(about: planted)
      #expect(complaints.contains { $0.hasSuffix("steps of SQLite") })
      #expect(complaints.contains { $0.hasSuffix("objects") })
    }

    @Test func `a request that compares each of its records with each is noticed`() async throws {
      let planted = RequestKind("planted") { server, n in
        let records = RequestKind.names(n).map { RecordOperation.create($0) }
        for record in records {
          #expect(records.count { $0.record.name == record.record.name } == 1)
        }
        try await server.lookup(["first"])
      }
      let complaints = try await Self.complaints(about: planted)
      #expect(!complaints.isEmpty && complaints.allSatisfy { $0.hasSuffix("objects") })
    }
  }
#endif
