// A start that raises the generation says so: clients fetch everything once, and somebody will ask why.

import BrumeCore
import BrumeModel
import BrumeServer
import BrumeStorage
import BrumeTestKit
import Foundation
import Logging
import Synchronization
import Testing

@Suite struct RaisedGenerationTests {
  /// Lines of a log that say that the generation was raised.
  private final class Lines: Sendable {
    let all = Mutex<[String]>([])
    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }
  }
  private struct Handler: LogHandler {
    let lines: Lines
    var metadata = Logger.Metadata()
    var logLevel = Logger.Level.warning
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }
    func log(event: LogEvent) {
      guard "\(event.message)".contains("the generation is raised") else { return }
      lines.all.withLock { $0.append("\(event.metadata?["store.reason"] ?? "")") }
    }
  }

  /// Starts a server on a database and ends it. Answers what it logged, and its generation.
  private static func start(_ url: String) async throws -> (lines: [String], generation: Int64) {
    let lines = Lines()
    let fixture = try await ServerFixture({ $0.engine = .postgres(url) }, logger: lines.logger)
    defer { try? FileManager.default.removeItem(atPath: fixture.folder) }
    let generation = fixture.server.engine.generation
    try await fixture.server.store.close()
    return (lines.all.withLock { $0 }, generation)
  }

  @Test func `after a standby took over that lacked something, the start says so once`()
    async throws
  {
    try await PostgresServer.with(["fsync=on"]) { postgres in
      let url = try postgres.emptySchema()
      let first = try await Self.start(url)
      #expect(first.lines == [])
      // As docs/operating/postgresql.md has it.
      try postgres.run(
        "INSERT INTO settings VALUES (-1, 'copied-back', 'restored') ON CONFLICT DO NOTHING",
        at: url)
      let second = try await Self.start(url)
      #expect(second.lines == ["restored"])
      #expect(second.generation > first.generation)
      let third = try await Self.start(url)
      #expect(third.lines == [] && third.generation == second.generation)
    }
  }
}
