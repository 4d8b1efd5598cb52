// When the server has no connection free, those that nobody uses make room for the one that follows other processes.

import BrumeStorage
import BrumeTestKit
import Dispatch
import Synchronization
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(5))) struct SpareConnectionTests {
  private static func connector(_ url: String) throws -> Connector {
    Connector(
      settings: try ConnectionSettings(url), logger: LogLines().logger,
      wait: { $0.wait(timeout: .now() + .milliseconds($1)) == .success }, pause: { _ in },
      milliseconds: PostgresStore.uptime)
  }

  @Test func `who serves no request asks for a spare connection once, and others do not`() throws {
    let server = try PostgresServer.shared.get()
    try server.execute("CREATE ROLE narrow LOGIN CONNECTION LIMIT 0")
    let connector = try Self.connector(server.url.replacing("brume@", with: "narrow@"))
    let asked = Mutexed(0)
    connector.onNoneFree { asked.change { $0 += 1 } }
    #expect(throws: StoreError.self) { try connector.connect() }
    #expect(asked.value == 0)
    #expect(throws: StoreError.self) { try connector.aside.connect() }
    #expect(asked.value == 1)
  }

  @Test func `readers give up connections that nobody uses, but not the last one`() async throws {
    let server = try PostgresServer.shared.get()
    let url = try server.emptySchema()
    let schema = try #require(url.split(separator: "%3D").last)
    try await PostgresStore.forTest(url: url).close()
    try server.execute(
      "CREATE ROLE spare_reader LOGIN; GRANT ALL ON ALL TABLES IN SCHEMA \(schema) TO spare_reader; "
        + "GRANT ALL ON SCHEMA \(schema) TO spare_reader")
    let node = Node(
      coders: .wireForm, bucketCount: 1, leases: PostgresLeases(owner: "test") { 0 },
      acceptsLoss: true)
    let readers = Readers(node, try Self.connector(url.replacing("brume@", with: "spare_reader@")))
    try readers.start(3)
    let (met, left) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    async let all: Void = Self.read(readers, times: 3) {
      met.signal()
      // It may run again, if that took long.
      left.wait()
      left.signal()
    }
    await Self.wait(met, 3)
    left.signal()
    await all
    let watching = try Connection.forTest(server.url)
    #expect(try Self.count(watching) == 3)
    while try Self.count(watching) > 1 { readers.giveUpConnection() }
    for _ in 0..<3 { readers.giveUpConnection() }
    #expect(try Self.count(watching) == 1)
    await Self.read(readers, times: 1) {}
    readers.close()
  }

  private static func read(
    _ readers: Readers, times: Int, _ body: @escaping @Sendable () -> Void
  ) async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<times {
        group.addTask(operation: {
          await withCheckedContinuation { continuation in
            let job = ReadJob(
              plan: .none, asksForIndex: false, isWanted: { true },
              run: { transaction in
                _ = try transaction.settings.value(.secret)
                body()
              },
              finish: { error in
                if let error { Issue.record(error) }
                continuation.resume()
              })
            do { try readers.add(job) } catch { job.finish(error) }
          }
        })
      }
    }
  }

  /// On a thread that may wait.
  private static func wait(_ semaphore: DispatchSemaphore, _ times: Int) async {
    await withCheckedContinuation { continuation in
      let hasBegun = EngineThread.start {
        for _ in 0..<times { semaphore.wait() }
        continuation.resume()
      }
      if !hasBegun { continuation.resume() }
    }
  }

  private static func count(_ connection: Connection) throws -> Int64 {
    try connection.send(
      SQL("SELECT count(*) FROM pg_stat_activity WHERE usename = 'spare_reader'"))
    return try connection.exchange()[0].first?.integer(0) ?? 0
  }
}
