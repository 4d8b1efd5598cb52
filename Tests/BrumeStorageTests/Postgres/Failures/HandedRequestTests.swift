// The server gives no more connections, and requests go on with those that are there.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Dispatch
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(1))) struct HandedRequestTests {
  @Test func `a read that gets no connection is served by who has one`() async throws {
    let fixture = try await Fixture()
    let readers = try fixture.readers()
    let (entered, gate) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
    async let first = fixture.read(readers) { _ in
      entered.continuation.yield()
      gate.wait()
    }
    for await _ in entered.stream { break }
    async let second = fixture.read(readers) { _ in }
    for await _ in fixture.refusals { break }
    gate.signal()
    let errors = await [first, second]
    #expect(errors.allSatisfy { $0 == nil }, "\(errors)")
    readers.close()
  }

  @Test func `a read that was handed to who loses the connection is refused`() async throws {
    let fixture = try await Fixture()
    let readers = try fixture.readers()
    let (entered, gate) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
    async let first = fixture.read(readers) { transaction in
      entered.continuation.yield()
      gate.wait()
      _ = try transaction.session.rows(Fixture.end)
    }
    for await _ in entered.stream { break }
    async let second = fixture.read(readers) { _ in }
    for await _ in fixture.refusals { break }
    gate.signal()
    let codes = await [first, second].map { ($0 as? StoreError)?.code }
    #expect(codes == [.unreachable, .unreachable])
    readers.close()
  }

  @Test func `a write that gets no connection is carried out by who has one`() async throws {
    let fixture = try await Fixture()
    let writers = try fixture.writers()
    let (entered, gate) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
    async let first = fixture.write(writers, in: Bucket(1)) {
      entered.continuation.yield()
      gate.wait()
    }
    for await _ in entered.stream { break }
    async let second = fixture.write(writers, in: Bucket(2)) {}
    for await _ in fixture.refusals { break }
    gate.signal()
    let errors = await [first, second]
    #expect(errors.allSatisfy { $0 == nil }, "\(errors)")
    await writers.close()
  }
}

/// A server that gives one connection, and refuses all others at once.
private struct Fixture {
  /// One for each refusal.
  let refusals: AsyncStream<Void>
  private let connector: Connector
  private let node = Node(
    coders: .wireForm, bucketCount: 4, leases: PostgresLeases(owner: "test") { 0 },
    acceptsLoss: true)
  static let end = SQL("SELECT pg_terminate_backend(pg_backend_pid())")

  init() async throws {
    let url = try PostgresServer.shared.get().emptySchema()
    try await PostgresStore.forTest(buckets: 4, url: url).close()
    let (refusals, refused) = AsyncStream.makeStream(of: Void.self)
    self.refusals = refusals
    let free = Mutexed(1)
    connector = Connector(
      settings: try ConnectionSettings(url), logger: LogLines().logger,
      wait: { $0.wait(timeout: .now() + .milliseconds($1)) == .success }, pause: { _ in },
      milliseconds: PostgresStore.uptime,
      open: { (settings, exchanges, damaged) throws(ServerError) in
        var isFree = false
        free.change {
          isFree = $0 > 0
          $0 -= 1
        }
        if isFree { return try Connection(settings, exchanges, damaged) }
        refused.yield()
        throw ServerError(code: "53300", message: "too many clients already")
      })
  }

  func readers() throws -> Readers {
    let readers = Readers(node, connector)
    try readers.start(2)
    return readers
  }

  func writers() throws -> Writers {
    let writers = Writers(node, connector) { _, _ in }
    try writers.start(2)
    return writers
  }

  /// Answers what went wrong.
  func read(
    _ readers: Readers, _ body: @escaping @Sendable (PostgresTransaction) throws -> Void
  ) async -> (any Error)? {
    await withCheckedContinuation { continuation in
      let job = ReadJob(
        plan: .none, asksForIndex: false, isWanted: { true },
        run: { transaction in
          _ = try transaction.settings.value(.secret)
          try body(transaction)
        },
        finish: { continuation.resume(returning: $0) })
      do { try readers.add(job) } catch { job.finish(error) }
    }
  }

  /// Answers what went wrong.
  func write(
    _ writers: Writers, in bucket: Bucket, _ body: @escaping @Sendable () -> Void
  ) async -> (any Error)? {
    await withCheckedContinuation { continuation in
      let job = WriteJob(
        plan: .none, locks: [Locks.Lock(kind: .saves, bucket: bucket)], isRepeatable: false,
        run: { _ in
          body()
          return nil
        },
        finish: { continuation.resume(returning: $0) })
      do { try writers.add(job) } catch { job.finish(error) }
    }
  }
}
