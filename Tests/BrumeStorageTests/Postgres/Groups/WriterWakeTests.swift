// A write that comes just when the time to gather has passed.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Dispatch
import Synchronization
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(1))) struct WriterWakeTests {
  /// The time passes only where a thread waits, and what is done then comes before it knows.
  private final class Time: Sendable {
    let now = Mutex<Int64>(0)
    let meanwhile = Mutex<(@Sendable () -> Void)?>(nil)

    func pass(_ milliseconds: Int) {
      now.withLock { $0 += Int64(milliseconds) }
      let meanwhile = meanwhile.withLock { meanwhile in
        defer { meanwhile = nil }
        return meanwhile
      }
      meanwhile?()
    }
  }

  private static let buckets = 64

  @Test func `a thread that is woken when its time has passed takes no other's place`() async throws
  {
    let url = try PostgresServer.shared.get().emptySchema()
    try await PostgresStore.forTest(buckets: Self.buckets, url: url).close()
    let time = Time()
    let writers = try Self.writers(url, time)
    // One thread writes all the time, so that other writes gather.
    let (first, later) = (Held(), Held())
    async let held = Self.write(writers, in: 0) { first.hold() }
    await first.hasBegun()
    let (answers, answered) = AsyncStream.makeStream(of: Bool.self)
    time.meanwhile.withLock { meanwhile in
      meanwhile = {
        for bucket in 2...16 { Self.add(writers, in: bucket) { answered.yield($0 == nil) } }
      }
    }
    Self.add(writers, in: 1) { answered.yield($0 == nil) }
    var good = 0
    for await isGood in answers {
      good += isGood ? 1 : 0
      if good == 16 { break }
    }
    async let laterHeld = Self.write(writers, in: 17) { later.hold() }
    await later.hasBegun()
    #expect(await Self.write(writers, in: 18) {} == nil, "a thread is free")
    first.end()
    later.end()
    let errors = await [held, laterHeld]
    #expect(errors.allSatisfy { $0 == nil })
    await writers.close()
  }

  /// A body that goes on when somebody says so.
  private final class Held: Sendable {
    private let (begun, begins) = AsyncStream.makeStream(of: Void.self)
    private let gate = DispatchSemaphore(value: 0)

    func hold() {
      begins.yield()
      gate.wait()
    }

    func hasBegun() async { for await _ in begun { break } }
    func end() { gate.signal() }
  }

  private static func writers(_ url: String, _ time: Time) throws -> Writers {
    let connector = Connector(
      settings: try ConnectionSettings(url), logger: LogLines().logger,
      wait: { _, milliseconds in
        time.pass(milliseconds)
        return false
      },
      pause: { _ in }, milliseconds: { time.now.withLock { $0 } })
    let node = Node(
      coders: .wireForm, bucketCount: buckets, leases: PostgresLeases(owner: "test") { 0 },
      acceptsLoss: true)
    let writers = Writers(node, connector) { _, _ in }
    try writers.start(3)
    return writers
  }

  private static func add(
    _ writers: Writers, in bucket: Int, _ body: @escaping @Sendable () -> Void = {},
    finish: @escaping @Sendable ((any Error)?) -> Void
  ) {
    let job = WriteJob(
      plan: .none, locks: [Locks.Lock(kind: .saves, bucket: Bucket(bucket))], isRepeatable: false,
      run: { _ in
        body()
        return nil
      }, finish: finish)
    do { try writers.add(job) } catch { finish(error) }
  }

  /// Answers what went wrong.
  private static func write(
    _ writers: Writers, in bucket: Int, _ body: @escaping @Sendable () -> Void
  ) async -> (any Error)? {
    await withCheckedContinuation { continuation in
      add(writers, in: bucket, body) { continuation.resume(returning: $0) }
    }
  }
}
