// What the log says while the database cannot be reached.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Synchronization
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(5))) struct PostgresOutageTests {
  @Test func `a server that is away is one line, and one when it is back, with how long`()
    async throws
  {
    try await PostgresServer.with { server in
      let lines = LogLines()
      let store = try PostgresStore.forTest(on: server, logger: lines.logger) { _ in }
      #expect(lines.texts == [])
      try await server.perform(.stop)
      for _ in 0..<3 {
        await #expect(throws: StoreError.self) {
          try await store.write(in: .server) { try $0.settings.set(.secret, to: [1]) }
        }
        await #expect(throws: StoreError.self) {
          _ = try await store.read { try $0.settings.value(.secret) }
        }
      }
      #expect(lines.texts == ["PostgreSQL cannot be reached"])
      // Of the connection that was lost, or of the next one that was not made.
      #expect(lines.all.first?.metadata["store.error"]?.isEmpty == false)
      try await server.perform(.start())
      try await store.write(in: .server) { try $0.settings.set(.secret, to: [1]) }
      _ = try await store.read { try $0.settings.value(.secret) }
      #expect(lines.texts == ["PostgreSQL cannot be reached", "PostgreSQL can be reached again"])
      #expect(lines.all.last?.metadata["store.away_seconds"] != nil)
      try await store.close()
    }
  }

  @Test func `while a server stays away the log repeats it at growing intervals`() throws {
    let time = Mutex<Int64>(5_000)
    let lines = LogLines()
    let connector = Connector(
      settings: try ConnectionSettings("postgres://brume@127.0.0.1:1/postgres"),
      logger: lines.logger, wait: { _, _ in true },
      pause: { milliseconds in time.withLock { $0 += Int64(milliseconds) } },
      milliseconds: { time.withLock { $0 } })
    var logged: [Int64] = []
    while time.withLock({ $0 }) < 16 * 60_000 {
      let before = lines.texts.count
      #expect(throws: StoreError.self) { _ = try connector.connect() }
      if lines.texts.count > before { logged.append(time.withLock { $0 / 60_000 }) }
    }
    #expect(logged == [0, 1, 3, 7, 15])
    #expect(lines.texts.first == "PostgreSQL cannot be reached")
    #expect(Set(lines.texts.dropFirst()) == ["PostgreSQL still cannot be reached"])
    let seconds = lines.all.map { $0.metadata["store.away_seconds"].flatMap { Int($0) } }
    #expect(seconds.first == .some(nil))
    #expect(seconds.compactMap { $0.map { $0 / 60 } } == [1, 3, 7, 15])
  }
}
