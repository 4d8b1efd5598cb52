// What writes of a group wait for when one of them waits in vain. PostgreSQL ends a statement after 30 s; here it does so when a test asks it to.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Synchronization
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(1))) struct LockedBucketTests {
  private let url: String
  /// Holds what others wait for.
  private let holder: Connection
  private let holderID: Int64
  /// In a transaction, who waits would always be who waited first.
  private let watcher: Connection
  private let answers = Answers()

  private final class Answers: Sendable {
    let codes = Mutex<[Int: StoreError.Code?]>([:])
  }

  init() async throws {
    url = try PostgresServer.shared.get().emptySchema()
    try await PostgresStore.forTest(buckets: 4, url: url).close()
    (holder, watcher) = (try Connection.forTest(url), try Connection.forTest(url))
    try holder.simple("SET idle_in_transaction_session_timeout = 0")
    try holder.send(SQL("SELECT pg_backend_pid()::bigint"))
    holderID = try #require(try holder.exchange()[0].first?.integer(0))
  }

  @Test func `for a lock of which one write was too slow to get it no other of the group waits`()
    async throws
  {
    try holder.simple("BEGIN; SELECT last FROM buckets WHERE bucket = 1 FOR UPDATE")
    let (waits, codes) = try await run([1, 1, 2, 1, 1].map { job(in: $0) })
    #expect(waits == 2, "the group, and its first write")
    #expect(codes == [.tooSlow, .tooSlow, nil, .tooSlow, .tooSlow])
  }

  @Test func `a write that is too slow itself fails alone`() async throws {
    try holder.simple("BEGIN; SELECT pg_advisory_xact_lock(\(holderID))")
    let slow = job(in: 1) { [holderID] transaction in
      _ = try transaction.session.rows(Self.wait, [.integer(holderID)])
    }
    let (waits, codes) = try await run([slow, job(in: 1)])
    #expect(waits == 2)
    #expect(codes == [.tooSlow, nil])
  }

  private typealias Body = @Sendable (PostgresTransaction) throws -> Void

  private func job(in bucket: Int, _ body: @escaping Body = { _ in }) -> (Int, Body) {
    (bucket, body)
  }

  /// Writes as one group. Answers how often it waited for the holder, and what became of each.
  private func run(
    _ jobs: [(bucket: Int, body: Body)]
  ) async throws -> (waits: Int, codes: [StoreError.Code?]) {
    let writers = try writers()
    for (index, (bucket, body)) in jobs.enumerated() {
      try writers.add(
        WriteJob(
          plan: .none, locks: [Locks.Lock(kind: .saves, bucket: Bucket(bucket))],
          isRepeatable: false,
          run: { transaction in
            do {
              try body(transaction)
              return nil
            } catch {
              return error
            }
          },
          finish: { [answers] error in
            let code = (error as? StoreError)?.code
            _ = answers.codes.withLock { $0.updateValue(code, forKey: index) }
          }))
    }
    try writers.start(1)
    var ended: Set<String> = []
    while answers.codes.withLock({ $0.count }) < jobs.count {
      let values: [SQLValue] = [.integer(holderID), .texts(Array(ended))]
      try watcher.send(Self.endWaiting, values)
      ended.formUnion(try watcher.exchange()[0].map { $0.text(0) })
      await Task.yield()
    }
    await writers.close()
    let codes = answers.codes.withLock { $0 }
    return (ended.count, codes.sorted { $0.key < $1.key }.map(\.value))
  }

  private func writers() throws -> Writers {
    let connector = Connector(
      settings: try ConnectionSettings(url), logger: LogLines().logger, wait: { _, _ in true },
      pause: { _ in }, milliseconds: { 0 })
    let node = Node(
      coders: .wireForm, bucketCount: 4, leases: PostgresLeases(owner: "test") { 0 },
      acceptsLoss: true)
    return Writers(node, connector) { _, _ in }
  }

  private static let wait = SQL("SELECT pg_advisory_xact_lock($1)::text")
  /// As when the time of a statement is over. Of each transaction once.
  private static let endWaiting = SQL(
    """
    SELECT xact_start::text, pg_cancel_backend(pid) FROM pg_stat_activity
    WHERE $1::bigint::integer = ANY (pg_blocking_pids(pid)) AND xact_start::text <> ALL ($2::text[])
    """)
}
