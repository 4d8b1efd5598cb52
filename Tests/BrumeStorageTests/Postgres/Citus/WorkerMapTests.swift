// Which server a read or write goes to where tables are divided, and what a worker hands over.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Synchronization
import Testing

@testable import BrumePostgres

struct WorkerMapTests {
  private let one = Worker(host: "one", port: 1, identity: "1")
  private let other = Worker(host: "other", port: 2, identity: "2")
  private let database = DatabaseKey.sample()
  private let buckets = 16

  /// The sample database is at `one`, and the bucket after it at `other`.
  private var map: WorkerMap {
    WorkerMap([own: one, next: other], bucketCount: buckets)
  }
  private var own: Bucket { Bucket(of: database, among: buckets) }
  private var next: Bucket { Bucket((own.number + 1) % buckets) }

  private func lock(_ bucket: Bucket) -> Locks.Lock { Locks.Lock(kind: .saves, bucket: bucket) }

  @Test func `a write goes to the worker that has all that it locks`() {
    #expect(map.worker(locking: [lock(own)]) == one)
    #expect(map.worker(locking: [lock(next)]) == other)
    let mail = Locks.Lock(kind: .mailboxes, bucket: own)
    #expect(map.worker(locking: [lock(own), mail]) == one)
  }

  @Test func `what two workers have, or nobody, goes to the coordinator`() {
    #expect(map.worker(locking: [lock(own), lock(next)]) == nil)
    let unknown = Bucket((own.number + 2) % buckets)
    #expect(map.worker(locking: [lock(unknown)]) == nil)
    #expect(map.worker(locking: [lock(own), lock(unknown)]) == nil)
    #expect(map.worker(locking: []) == nil)
  }

  @Test func `a worker's shards are those of its buckets`() {
    let shard = Shard(number: 1, tables: [:])
    let map = WorkerMap([own: one, next: other], bucketCount: buckets, shards: [one: [3: shard]])
    #expect(map.shards(at: one).mapValues(\.number) == [3: 1])
    #expect(map.shards(at: other).isEmpty)
  }

  @Test func `a notifier's write, and what belongs to no bucket, goes to the coordinator`() {
    let lease = Locks.Lock(kind: .notifier, bucket: own)
    #expect(map.worker(locking: [lease, lock(own)]) == nil)
    #expect(map.worker(locking: [Locks.server]) == nil)
    #expect(map.worker(locking: [lock(own), Locks.server]) == nil)
  }

  @Test func `each worker has a copy of users, which alone are asked for at the coordinator`() {
    let user = ReadPlan { [.user(UserID("_a1"))] }
    #expect(map.worker(reading: user) == nil)
    let both = ReadPlan { [.zone(.sample()), .user(UserID("_a1"))] }
    #expect(map.worker(reading: both) == one)
  }

  @Test func `a read goes to the worker that has all that its plan names`() {
    let zone = ZoneKey.sample()
    let ofOne: [ReadPlan.Read] = [
      .zone(zone), .changes(zone, after: 0, limit: 1), .lastSequence(database),
      .zonesChanged(database, after: 0, limit: 1), .log(own, after: 0), .members(zone),
      .record(RecordKey(zone: zone, name: "r")), .children(of: RecordKey(zone: zone, name: "r")),
      .querySubscriptions(recordType: "T", database),
    ]
    for read in ofOne { #expect(map.worker(reading: ReadPlan { [read] }) == one, "\(read)") }
    #expect(map.worker(reading: ReadPlan { Set(ofOne) }) == one)
    let both = ReadPlan { [.zone(zone), .log(self.next, after: 0)] }
    #expect(map.worker(reading: both) == nil)
    #expect(map.worker(reading: .none) == nil)
  }

  @Test func `a worker at whose address another server answers is not used`() throws {
    let server = try PostgresServer.shared.get()
    let connection = try Connection.forTest(server.url)
    try connection.send(SQL("SELECT system_identifier::text FROM pg_control_system()"))
    let identity = try #require(try connection.exchange()[0].first?.text(0))
    try Worker(host: "h", port: 1, identity: identity).require(connection)
    #expect(throws: ServerError.self) { try other.require(connection) }
  }

  @Test func `only what the coordinator can do better is handed over to it`() {
    #expect(HandoverReason(ServerError.noSuchTable) == .lacksTable)
    #expect(HandoverReason(ServerError(code: nil, message: "gone")) == .isAway)
    #expect(HandoverReason(StoreError(.unreachable, "no answer")) == .isAway)
    #expect(HandoverReason(ServerError(code: "23514", message: "refused")) == nil)
    #expect(HandoverReason(StoreError(.unavailable, "commits are missing")) == nil)
    #expect(HandoverReason(StoreError(.noRoom, "full")) == nil)
  }

  @Test func `a worker that was away is not tried for five seconds`() {
    let reachability = WorkerReachability()
    #expect(reachability.isWorthATry(at: 0))
    reachability.note(.lacksTable, at: 1000)
    #expect(reachability.isWorthATry(at: 1000))
    reachability.note(.isAway, at: 1000)
    #expect(!reachability.isWorthATry(at: 5999))
    #expect(reachability.isWorthATry(at: 6000))
  }
}
