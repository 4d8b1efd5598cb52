// The server is away for a while, or comes back with less than it had.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Dispatch
import Foundation
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(10))) struct PostgresAwayTests {
  @Test func `a read waits for a server that comes back`() async throws {
    try await PostgresServer.with { server in
      let (waits, waiting) = AsyncStream.makeStream(of: Void.self)
      let store = try PostgresStore.forTest(on: server, readers: 1) { milliseconds in
        waiting.yield()
        Thread.sleep(forTimeInterval: Double(milliseconds) / 1000)
      }
      try await store.write(in: .server) { try $0.settings.set(.secret, to: [7]) }
      #expect(try await Self.secret(store) == [7])
      try await server.perform(.stop)
      async let secret = Self.secret(store)
      var iterator = waits.makeAsyncIterator()
      await iterator.next()
      try await server.perform(.start())
      #expect(try await secret == [7])
      try await store.close()
    }
  }

  @Test func `while the server is away too long nothing happens, and then the store goes on`()
    async throws
  {
    try await PostgresServer.with { server in
      // Who does not wait between attempts sees its timeout at once.
      let store = try PostgresStore.forTest(on: server) { _ in }
      let saver = Saver()
      await saver.save("before", in: store)
      _ = try await Self.secret(store)
      try await server.perform(.stop)
      await #expect(throws: StoreError.self, "a read") { try await Self.secret(store) }
      for number in 0..<3 { await saver.save("away\(number)", in: store) }
      #expect(saver.answer("away0") == .refused)
      try await server.perform(.start())
      await saver.save("after", in: store)
      #expect(saver.answer("after") == .saved(2))
      #expect(try await saver.faults(in: store) == [])
      try await store.close()
    }
  }

  @Test func `what a store says of a server that is away is that it cannot be reached`()
    async throws
  {
    try await PostgresServer.with { server in
      let store = try PostgresStore.forTest(on: server) { _ in }
      try await server.perform(.stop)
      for isWrite in [false, true] {
        let error = await #expect(throws: StoreError.self) {
          if isWrite {
            try await store.write(in: .server) { try $0.settings.set(.secret, to: [1]) }
          } else {
            _ = try await Self.secret(store)
          }
        }
        #expect(error?.code == .unreachable)
      }
      try await store.close()
    }
  }

  @Test func `without a free connection a store refuses for now, and goes on when there is one`()
    async throws
  {
    let server = try PostgresServer.shared.get()
    let url = try server.emptySchema()
    let schema = try #require(url.split(separator: "%3D").last)
    try server.execute("CREATE ROLE tenant LOGIN; GRANT ALL ON SCHEMA \(schema) TO tenant")
    let tenant = url.replacing("brume@", with: "tenant@")
    let store = try PostgresStore.forTest(url: tenant) { _ in }
    let saver = Saver()
    await saver.save("before", in: store)
    try server.execute("ALTER ROLE tenant CONNECTION LIMIT 0")
    try server.execute(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'tenant'")
    let error = await #expect(throws: StoreError.self) {
      try await store.write(in: .server) { try $0.settings.set(.secret, to: [1]) }
    }
    #expect(error?.code == .unreachable)
    #expect(error?.description.contains("max_connections") == true, "\(String(describing: error))")
    try server.execute("ALTER ROLE tenant CONNECTION LIMIT -1")
    await saver.save("after", in: store)
    #expect(saver.answer("after") == .saved(2))
    #expect(try await saver.faults(in: store) == [])
    try await store.close()
  }

  @Test func `a store whose server has lost acknowledged commits refuses from then on`()
    async throws
  {
    try await PostgresServer.with { server in
      let url = try server.emptySchema()
      let store = try PostgresStore.forTest(url: url)
      try await store.write(in: .server) { try $0.settings.set(.secret, to: [1]) }
      try await server.keepCopy()
      try await store.write(in: .server) { try $0.settings.set(.secret, to: [2]) }
      try await server.bringBackCopy()
      for isWrite in [true, false, true] {
        let error = await #expect(throws: StoreError.self) {
          if isWrite {
            try await store.write(in: .server) { try $0.settings.set(.secret, to: [3]) }
          } else {
            _ = try await Self.secret(store)
          }
        }
        #expect(error?.code == .unavailable)
      }
      try await store.close()
      // Whoever opens it next knows, and begins a new generation.
      let next = try PostgresStore.forTest(url: url)
      #expect(try await Self.secret(next) == [1])
      #expect(try await next.read { try $0.settings.value(.copiedBack) } != nil)
      try await next.close()
    }
  }

  @Test func `a store refuses a database that has lost what it only saw`() async throws {
    try await PostgresServer.with { server in
      let url = try server.emptySchema()
      let (saver, reader) = (
        try PostgresStore.forTest(url: url), try PostgresStore.forTest(url: url)
      )
      try await server.keepCopy()
      let hints = reader.commits()
      try await saver.write(in: .database(.sample())) { _ = try $0.save("lost") }
      for await _ in hints { break }
      try await server.bringBackCopy()
      let error = await #expect(throws: StoreError.self) { try await Self.secret(reader) }
      #expect(error?.code == .unavailable)
      try await saver.close()
      try await reader.close()
    }
  }

  @Test func `a store knows what it has read before its tail has looked`() async throws {
    try await PostgresServer.with { server in
      let url = try server.emptySchema()
      let (saver, reader) = (
        try PostgresStore.forTest(url: url), try PostgresStore.forTest(url: url)
      )
      try await server.keepCopy()
      // The tail asks for mailboxes together with the logs.
      let locking = try Connection.forTest(url)
      try locking.simple("SET idle_in_transaction_session_timeout = 0")
      try locking.simple("BEGIN; LOCK TABLE mail IN ACCESS EXCLUSIVE MODE")
      try await saver.write(in: .database(.sample())) { _ = try $0.save("lost") }
      let last = try await reader.read(ReadPlan { [.lastSequence(.sample())] }) {
        try $0.sequences.last(in: .sample())
      }
      #expect(last == 1)
      try await server.bringBackCopy()
      let error = await #expect(throws: StoreError.self) { try await Self.secret(reader) }
      #expect(error?.code == .unavailable)
      try await saver.close()
      try await reader.close()
    }
  }

  @Test func `a store knows what it has read of one that has not said that it is there`()
    async throws
  {
    try await PostgresServer.with { server in
      let url = try server.emptySchema()
      let reader = try PostgresStore.forTest(url: url)
      try await server.keepCopy()
      let locking = try Connection.forTest(url)
      try locking.simple("SET idle_in_transaction_session_timeout = 0")
      try locking.simple("BEGIN; LOCK TABLE mail IN ACCESS EXCLUSIVE MODE")
      try Connection.forTest(url).simple("UPDATE buckets SET last = 1 WHERE bucket = 0")
      _ = try await reader.read(ReadPlan { [.lastSequence(.sample())] }) { _ in }
      try await server.bringBackCopy()
      let error = await #expect(throws: StoreError.self) { try await Self.secret(reader) }
      #expect(error?.code == .unavailable)
      try await reader.close()
    }
  }

  @Test func `a server that comes back and may lose what it confirms is not written to`()
    async throws
  {
    try await PostgresServer.with(["fsync=on"]) { server in
      let url = try server.emptySchema()
      let store = try PostgresStore.forTest(url: url, acceptsLoss: false)
      try await store.write(in: .server) { try $0.settings.set(.secret, to: [1]) }
      try await store.write(in: .database(.sample())) { _ = try $0.putNext("a") }
      try server.execute("ALTER SYSTEM SET synchronous_commit = off")
      try await server.perform(.stop)
      try await server.perform(.start())
      let error = await #expect(throws: StoreError.self) {
        try await store.write(in: .server) { try $0.settings.set(.secret, to: [2]) }
      }
      #expect(error?.code == .notDurable)
      #expect(error?.description.contains("'synchronous_commit' is off") == true)
      #expect(try await Self.secret(store) == [1], "it is read from")
      let found = try await Self.query(store)
      #expect(found == 0, "also by a query that would make an index")
      try server.execute("ALTER SYSTEM RESET synchronous_commit")
      try await server.perform(.stop)
      try await server.perform(.start())
      try await store.write(in: .server) { try $0.settings.set(.secret, to: [3]) }
      #expect(try await Self.secret(store) == [3])
      try await store.close()
    }
  }

  /// What stands in the command of a server cannot be set otherwise while it runs, and `fsync` does in tests.
  @Test func `a server that is set to lose what it confirms is not written to, while it runs`()
    async throws
  {
    let setting = "full_page_writes"
    try await PostgresServer.with(["fsync=on"]) { server in
      let store = try PostgresStore.forTest(on: server, acceptsLoss: false)
      try await Self.write(1, store)
      try server.execute("ALTER SYSTEM SET \(setting) = off")
      try server.execute("SELECT pg_reload_conf()")
      // Sessions hear of it one after the other.
      let error = await #expect(throws: StoreError.self) {
        while true { try await Self.write(1, store) }
      }
      #expect(error?.code == .notDurable)
      #expect(error?.description.contains(setting) == true)
      #expect(try await Self.secret(store) == [1], "it is read from")
      try server.execute("ALTER SYSTEM RESET \(setting)")
      try server.execute("SELECT pg_reload_conf()")
      while (try? await Self.write(2, store)) == nil {}
      #expect(try await Self.secret(store) == [2])
      try await store.close()
    }
  }

  @Test func `a session waits for the disk as it did when it began`() async throws {
    try await PostgresServer.with { server in
      let (session, other) = (
        try Connection.forTest(server.url), try Connection.forTest(server.url)
      )
      try other.simple("RESET synchronous_commit")
      try server.execute("ALTER SYSTEM SET synchronous_commit = off")
      try server.execute("SELECT pg_reload_conf()")
      while try Self.waitsForDisk(other) {}
      #expect(try Self.waitsForDisk(session))
    }
  }

  private static func waitsForDisk(_ connection: Connection) throws -> Bool {
    try connection.send(SQL("SELECT current_setting('synchronous_commit') = 'on'"))
    return try connection.exchange()[0].first?.isTrue(0) == true
  }

  private static func write(_ value: UInt8, _ store: PostgresStore) async throws {
    try await store.write(in: .server) { try $0.settings.set(.secret, to: [value]) }
  }

  @Test func `a store that began before another one raised the generation ends`() async throws {
    let url = try PostgresServer.shared.get().emptySchema()
    let before = try PostgresStore.forTest(url: url)
    let after = try PostgresStore.forTest(url: url)
    try await after.write(in: .server) { try $0.sequences.raise(above: 1000) }
    // Whoever raised it goes on.
    #expect(try await Self.secret(after) == nil)
    while true {
      do { _ = try await Self.secret(before) } catch let error as StoreError {
        #expect(error.code == .unavailable)
        break
      }
    }
    #expect(try await Self.secret(after) == nil)
    try await before.close()
    try await after.close()
  }

  @Test func `a process that sleeps in the middle of a write holds up nobody, and writes once`()
    async throws
  {
    let url = try PostgresServer.shared.get().emptySchema()
    let (sleeper, other) = (
      try PostgresStore.forTest(url: url), try PostgresStore.forTest(url: url)
    )
    let saver = Saver()
    let (runs, running) = AsyncStream.makeStream(of: Void.self)
    let sleep = DispatchSemaphore(value: 0)
    async let written = sleeper.write(in: .database(.sample())) {
      running.yield()
      sleep.wait()
      sleep.signal()
      return try $0.save("slept")
    }
    var iterator = runs.makeAsyncIterator()
    await iterator.next()
    await saver.save("meanwhile", in: other)
    #expect(saver.answer("meanwhile") == .saved(1))
    sleep.signal()
    #expect(try await written == 2)
    // It ran again, because its session had ended.
    await iterator.next()
    try await sleeper.close()
    try await other.close()
  }

  /// How many records it finds.
  private static func query(_ store: PostgresStore) async throws -> Int {
    let query = Query(
      recordType: "Trail", filters: [Filter(.equals, .field("title"), .string("none"))], sorts: [])
    return try await store.read { transaction in
      let page = try transaction.queries.matching(
        EngineQuery(
          database: .sample(), zone: ZoneKey.sample().name, query: query, after: nil, limit: 10,
          candidateLimit: 1000))
      return page.records.count
    }
  }

  private static func secret(_ store: PostgresStore) async throws -> [UInt8]? {
    try await store.read { try $0.settings.value(.secret) }
  }
}
