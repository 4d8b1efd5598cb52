// The engine on Citus: tables are divided by bucket, and promises are kept as on one server.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Foundation
import Testing

@testable import BrumePostgres

@Suite(.enabled(if: CitusServer.isInstalled, "the extension citus is not installed"), .serialized)
struct CitusTests {
  /// `make soak` runs all.
  private static let isLong = ProcessInfo.processInfo.environment["BRUME_SOAK_CITUS"] != nil
  static let promises =
    isLong
    ? StorageContract.all.filter { !$0.isRandom } : Array(StorageContract.all.prefix(4))

  @Test(arguments: promises)
  func `PostgreSQL with Citus keeps its promise:`(promise: StorageContract.Case) async throws {
    let store = try PostgresStore.forTest(buckets: 8, url: CitusServer.emptySchema())
    let result = await Result { try await promise.run(store) }
    try await store.close()
    try result.get()
  }

  @Test func `rows of a bucket are on one worker, and both workers have some`() async throws {
    let url = try CitusServer.emptySchema()
    let store = try PostgresStore.forTest(buckets: 8, url: url)
    try await store.close()
    let connection = try Connection.forTest(url)
    try connection.send(Self.divided)
    try connection.send(Self.workers)
    let answers = try connection.exchange()
    #expect(answers[0].first?.integer(0) ?? 0 > 15, "tables are divided")
    #expect(answers[0].first?.integer(1) == 1, "all in the same way")
    #expect(answers[1].first?.integer(0) == 2)
  }

  @Test func `8 writers at 2 stores: nothing missed, nothing reordered, no gap`() async throws {
    try await Self.withStores { stores, _ in
      let trial = OrderTrial { $0 < 100 }
      let faults = try await trial.faults(of: StoreFeed(stores: stores))
      #expect(faults == [.none, .none])
    }
  }

  @Test func `saves survive moves of their bucket and the death of its worker`() async throws {
    try await Self.withStores { stores, url in
      let saver = Saver()
      let bucket = Bucket(of: .sample(), among: stores[0].bucketCount)
      try await saver.run(writers: 4, on: stores) {
        for _ in 0..<(Self.isLong ? 10 : 2) {
          await saver.waitForSaves(10)
          try await EngineThread.run { try CitusServer.move(bucket.number, url: url) }
        }
        for worker in 1...2 {
          await saver.waitForSaves(10)
          try await CitusServer.shared.get().order("worker \(worker) stop")
          try await CitusServer.shared.get().order("worker \(worker) start")
        }
        await saver.waitForSaves(10)
      }
      let later = try PostgresStore.forTest(url: url)
      let faults = try await saver.faults(in: later)
      #expect(faults == [])
      try await later.close()
    }
  }

  /// The coordinator cannot have done it.
  @Test func `while the coordinator is away, a bucket is written and read at its worker`()
    async throws
  {
    try await Self.withCluster { cluster, store in
      let saver = Saver()
      await saver.save("before", in: store)
      try await cluster.perform(.stop)
      for number in 0..<5 { await saver.save("away\(number)", in: store) }
      let key = RecordKey(zone: .sample(), name: "away4")
      let found = try await store.read(ReadPlan { [.zone(key.zone), .record(key)] }) {
        try $0.records.find(key)?.sequence
      }
      #expect(found == 6)
      try await cluster.perform(.start())
      await saver.save("after", in: store)
      #expect(try await saver.faults(in: store) == [])
      #expect(saver.savedCount == 7)
    }
  }

  @Test func `a write that reads its user is done at its worker`() async throws {
    try await Self.withCluster { cluster, store in
      let user = User(id: UserID("_reader"), name: "reader", passwordHash: nil)
      try await store.write(in: .server) { try $0.users.put(user) }
      #expect(try await store.read { try $0.users.count() } == 1)
      let saver = Saver()
      await saver.save("before", in: store)
      try await cluster.perform(.stop)
      let key = RecordKey(zone: .sample(), name: "before")
      let plan = ReadPlan { [.zone(key.zone), .record(key), .user(user.id)] }
      let found = try await store.write(in: .database(key.zone.database), reading: plan) {
        try $0.users.find(user.id)
      }
      #expect(found == user)
      try await cluster.perform(.start())
      #expect(try await saver.faults(in: store) == [])
    }
  }

  @Test func `what a worker lacks is done by the coordinator: new databases, files`() async throws {
    try await Self.withStores { stores, _ in
      for number in 0..<4 {
        let (database, name) = (DatabaseKey.sample(owner: "_u\(number)"), "\(number)")
        try await stores[number % 2].write(in: .database(database)) { transaction in
          _ = try transaction.sequences.next(in: database)
          try transaction.assets.put(AssetUpload(id: name, checksum: nil, began: 1))
        }
        let found = try await stores[0].read(ReadPlan { [.lastSequence(database)] }) {
          (try $0.sequences.last(in: database), try $0.assets.upload(name)?.began)
        }
        #expect(found == (1, 1))
      }
    }
  }

  @Test func `a role that is no superuser saves at workers too`() async throws {
    let url = try CitusServer.emptySchema()
    let schema = try #require(url.firstMatch(of: /search_path%3D(\w+)/)?.1)
    try CitusServer.shared.get().execute(
      "CREATE ROLE plain LOGIN; GRANT ALL ON SCHEMA \(schema) TO plain")
    let lines = LogLines()
    let store = try PostgresStore.forTest(
      buckets: 8, url: url.replacing("brume@", with: "plain@"), logger: lines.logger)
    let saver = Saver()
    for number in 0..<3 { await saver.save("\(number)", in: store) }
    #expect(try await saver.faults(in: store) == [])
    #expect(saver.savedCount == 3)
    #expect(!lines.texts.contains { $0.contains("Citus") }, "\(lines.all)")
    try await store.close()
  }

  @Test func `who has lost the connection in a commit is answered what became of it`() async throws
  {
    try await Self.withCluster { cluster, store in
      let saver = Saver()
      try await saver.run(writers: 4, on: [store]) {
        for worker in [1, 2, 1, 2] {
          await saver.waitForSaves(20)
          try await cluster.order("worker \(worker) stop")
          try await cluster.order("worker \(worker) start")
        }
        await saver.waitForSaves(20)
      }
      #expect(try await saver.faults(in: store) == [])
    }
  }

  /// A cluster of the test's own, and a store on it.
  private static func withCluster(
    _ body: (PostgresServer, PostgresStore) async throws -> Void
  ) async throws {
    let cluster = try PostgresServer(["--citus", "citus.shard_count=4"])
    let url = try cluster.emptySchema() + "%2Cpublic"
    let store = try PostgresStore.forTest(buckets: 8, url: url)
    let result = await Result { try await body(cluster, store) }
    try await store.close()
    try withExtendedLifetime(cluster) { try result.get() }
  }

  private static func withStores(
    _ body: ([PostgresStore], _ url: String) async throws -> Void
  ) async throws {
    let url = try CitusServer.emptySchema()
    let stores = try (0..<2).map { _ in try PostgresStore.forTest(buckets: 8, url: url) }
    let result = await Result { try await body(stores, url) }
    for store in stores { try await store.close() }
    try result.get()
  }

  private static let divided = SQL(
    """
    SELECT count(*), count(DISTINCT colocationid) FROM pg_dist_partition JOIN pg_class ON logicalrelid = oid
    WHERE relnamespace = current_schema()::regnamespace AND partmethod = 'h'
    """)
  private static let workers = SQL(
    """
    SELECT count(DISTINCT nodeport) FROM pg_dist_shard_placement NATURAL JOIN pg_dist_shard
      NATURAL JOIN pg_dist_partition
      JOIN pg_class ON logicalrelid = oid WHERE relnamespace = current_schema()::regnamespace AND partmethod = 'h'
    """)
}
