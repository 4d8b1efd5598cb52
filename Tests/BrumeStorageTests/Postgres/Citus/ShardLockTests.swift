// A transaction that has locked a bucket asks the shard's own tables, and the shard stays where it is until its end.

import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumePostgres

@Suite(.enabled(if: CitusServer.isInstalled, "the extension citus is not installed"))
struct ShardLockTests {
  private static let begin = SQL("BEGIN")
  private static let lock = SQL(
    "UPDATE buckets SET last = last WHERE bucket = $1 RETURNING last", rows: .anywhere)
  private static let find = SQL("SELECT last, $1::bigint FROM buckets WHERE bucket = $1")
  private static let findPrepared = SQL("SELECT statement FROM pg_prepared_statements")

  /// A bucket of a store, and its worker.
  private struct Place {
    let url: String
    let bucket: Int64
    let worker: Worker
    let shard: Shard

    func connect() throws -> Connection {
      try Connection(ConnectionSettings(url + "&connect_timeout=60").at(worker))
    }

    /// A transaction as a writing thread begins it.
    func session(on connection: Connection) throws -> Session {
      try connection.askShards()
      let session = Session(connection)
      session.begin(ShardLockTests.begin)
      session.use([bucket: shard])
      return session
    }

    var questions: [Connection.Command] {
      [(ShardLockTests.lock, [.integer(bucket)]), (ShardLockTests.find, [.integer(bucket)])]
    }
  }

  private static func place() async throws -> Place {
    let url = try CitusServer.emptySchema()
    let store = try PostgresStore.forTest(buckets: 8, url: url)
    try await store.close()
    let map = try WorkerMap.read(
      from: Connection.forTest(url), bucketCount: 8, knowing: [],
      after: WorkerMap([:], bucketCount: 8))
    let worker = try #require(map.all.min { $0.port < $1.port })
    let found = try #require(map.shards(at: worker).min { $0.key < $1.key })
    return Place(url: url, bucket: found.key, worker: worker, shard: found.value)
  }

  @Test func `each bucket's shard is known, and stays the same object`() async throws {
    let url = try CitusServer.emptySchema()
    let store = try PostgresStore.forTest(buckets: 8, url: url)
    try await store.close()
    let connection = try Connection.forTest(url)
    let none = WorkerMap([:], bucketCount: 8)
    let map = try WorkerMap.read(from: connection, bucketCount: 8, knowing: [], after: none)
    #expect(Set(map.all.flatMap { map.shards(at: $0).keys }) == Set(0..<8))
    let next = try WorkerMap.read(from: connection, bucketCount: 8, knowing: map.all, after: map)
    for worker in map.all {
      let (before, after) = (map.shards(at: worker), next.shards(at: worker))
      #expect(before.keys == after.keys)
      #expect(before.allSatisfy { after[$0.key] === $0.value })
    }
  }

  @Test func `what is asked of a locked bucket, its shard answers`() async throws {
    let place = try await Self.place()
    let connection = try place.connect()
    let session = try place.session(on: connection)
    let answers = try session.ask(place.questions)
    #expect(answers.map { $0.first?.integer(0) } == [0, 0])
    #expect(answers[1].first?.integer(1) == place.bucket)
    try session.commit()
    try connection.send(Self.findPrepared)
    let prepared = try connection.exchange()[0].map { $0.text(0) }
    #expect(
      prepared.contains(place.shard.text("SELECT last, $1::bigint FROM buckets WHERE bucket = $1")))
    #expect(!prepared.contains { $0.hasPrefix("UPDATE buckets") }, "what Citus plans is not kept")
  }

  /// A move takes this lock at each server before it takes the last of the rows.
  @Test func `a shard cannot move while a transaction has locked a bucket of it`() async throws {
    let place = try await Self.place()
    let session = try place.session(on: place.connect())
    _ = try session.ask(place.questions)
    let mover = try place.connect()
    try mover.simple("SET lock_timeout = '20ms'")
    let lock = "SELECT lock_shard_metadata(7, ARRAY[\(place.shard.number)])"
    let refusal = #expect(throws: ServerError.self) { try mover.simple(lock) }
    #expect(refusal?.code == "55P03")
    try session.commit()
    try mover.simple("SET lock_timeout = '30s'; \(lock)")
  }

  @Test func `what is asked of a shard that has moved, the coordinator does`() async throws {
    let place = try await Self.place()
    try CitusServer.move(Int(place.bucket), url: place.url)
    let session = try place.session(on: place.connect())
    let failure = #expect(throws: ServerError.self) { try session.ask(place.questions) }
    #expect(failure.flatMap { HandoverReason($0) } == .lacksTable)
    try session.end()
  }
}
