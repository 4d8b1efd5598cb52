// Work grows at most as n log n with what a request brings. It is counted, never timed: steps of SQLite's machine. The
// kinds of requests are a table: `RequestKind.all`.

import BrumeModel
import Testing

@Suite struct RequestGrowthTests {
  /// Twice as much may cost so much more: a little beyond what n log n gives from the smallest size on.
  private static let most = 2.2
  /// What is the same whatever a request brings.
  private static let slack = 500.0

  /// Where the work more than doubled when what the request brought did.
  private static func complaints(about kind: RequestKind) async throws -> [String] {
    let steps = try await kind.steps()
    return zip(kind.sizes, zip(steps, steps.dropFirst())).compactMap { size, steps in
      Double(steps.1) <= Double(steps.0) * most + slack
        ? nil : "\(size) to \(2 * size): \(steps.0) to \(steps.1) steps of SQLite"
    }
  }

  @Test(arguments: RequestKind.all)
  func `twice as much in a request is hardly more than twice the work`(_ kind: RequestKind)
    async throws
  {
    let complaints = try await Self.complaints(about: kind)
    let text = complaints.joined(separator: "; ")
    #expect(complaints.isEmpty, "\(kind.testDescription): \(text)")
  }

  @Test func `a request that asks the store for each of its records about each is noticed`()
    async throws
  {
    let planted = RequestKind("planted", sizes: [10, 20, 40]) { server, n in
      for _ in 0..<n { try await server.lookup(Array(repeating: "first", count: n)) }
    }
    #expect(try await !Self.complaints(about: planted).isEmpty)
  }
}
