// What a page of a query reads: not all that a long range has.

import BrumeModel
import Testing

@Suite struct CountedQueryTests {
  /// Steps by which pages differ for other reasons. To look at one row takes some.
  private static let slack = 400

  /// Steps of SQLite that one page takes, of a range with so many records.
  private func stepsOfPage(in records: Int) async throws -> Int {
    var limits = Limits.apple
    limits.operationsPerRequest = 1000
    limits.candidatesPerPage = 20
    let server = try await GrowthServer(limits: limits)
    try await server.save(RequestKind.names(records).map { .create($0) })
    let range = [Filter(.greaterThan, .field("n"), .int64(0))]
    // The first has the index made.
    try await server.query(range, limit: 5)
    let steps = try await server.steps { try await server.query(range, limit: 5) }
    try await server.close()
    return steps
  }

  @Test func `a page of a query reads no more of a range that has more records`() async throws {
    let (few, many) = (try await stepsOfPage(in: 400), try await stepsOfPage(in: 800))
    #expect(many <= few + Self.slack, "\(few) steps with 400 records, \(many) with 800")
  }
}
