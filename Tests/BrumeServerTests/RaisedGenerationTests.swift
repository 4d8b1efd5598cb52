// A start that raises the generation says so: clients fetch everything once, and somebody will ask why.

import BrumeCore
import BrumeModel
import BrumeServer
import BrumeStorage
import BrumeTestKit
import Foundation
import Testing

@Suite struct RaisedGenerationTests {
  /// Starts a server on a database and ends it. Answers why it says that the generation is raised, and
  /// its generation.
  private static func start(_ url: String) async throws -> (reasons: [String], generation: Int64) {
    let log = LogLines()
    let fixture = try await ServerFixture({ $0.engine = .postgres(url) }, logger: log.logger)
    defer { try? FileManager.default.removeItem(atPath: fixture.folder) }
    let generation = fixture.server.engine.generation
    try await fixture.server.store.close()
    let raised = log.all.filter { $0.text.contains("the generation is raised") }
    return (raised.map { $0.metadata["store.reason"] ?? "" }, generation)
  }

  @Test func `after a standby took over that lacked something, the start says so once`()
    async throws
  {
    try await PostgresServer.with(["fsync=on"]) { postgres in
      let url = try postgres.emptySchema()
      let first = try await Self.start(url)
      #expect(first.reasons == [])
      // As docs/operating/postgresql.md has it.
      try postgres.run(
        "INSERT INTO settings VALUES (-1, 'copied-back', 'restored') ON CONFLICT DO NOTHING",
        at: url)
      let second = try await Self.start(url)
      #expect(second.reasons == ["restored"])
      #expect(second.generation > first.generation)
      let third = try await Self.start(url)
      #expect(third.reasons == [] && third.generation == second.generation)
    }
  }
}
