// Who waits in line while the server is away is refused with those before, and not after as many attempts to connect as
// there are before.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(2))) struct PostgresLineTests {
  /// Attempts that one connection costs where nobody answers.
  private static let attempts = 15

  /// What became of jobs, and how often anybody waited to connect again.
  private final class Outcomes: Sendable {
    let pauses = Mutex(0)
    private let (ends, ended) = AsyncStream.makeStream(of: StoreError.Code?.self)

    func finish(_ error: (any Error)?) { ended.yield((error as? StoreError)?.code) }

    func codes(_ count: Int) async -> [StoreError.Code?] {
      var codes: [StoreError.Code?] = []
      for await code in ends {
        codes.append(code)
        if codes.count == count { break }
      }
      return codes
    }

    /// To where nobody is.
    func connector() throws -> Connector {
      Connector(
        settings: try ConnectionSettings("postgres://brume@127.0.0.1:1/postgres"),
        logger: LogLines().logger, wait: { _, _ in true },
        pause: { [self] _ in pauses.withLock { $0 += 1 } }, milliseconds: { 0 })
    }
  }

  private static let node = Node(
    coders: .wireForm, bucketCount: 256, leases: PostgresLeases(owner: "test") { 0 },
    acceptsLoss: true)

  @Test func `reads are refused together`() async throws {
    let outcomes = Outcomes()
    let readers = Readers(Self.node, try outcomes.connector())
    for _ in 0..<20 {
      try readers.add(
        ReadJob(
          plan: .none, asksForIndex: false, isWanted: { true }, run: { _ in },
          finish: { outcomes.finish($0) }))
    }
    try readers.start(1)
    #expect(await outcomes.codes(20) == Array(repeating: .unreachable, count: 20))
    #expect(outcomes.pauses.withLock { $0 } == Self.attempts)
    readers.close()
  }

  /// More than one group has room for.
  @Test func `writes are refused together`() async throws {
    let outcomes = Outcomes()
    let writers = Writers(Self.node, try outcomes.connector()) { _, _ in }
    for bucket in 0..<200 {
      try writers.add(
        WriteJob(
          plan: .none, locks: [Locks.Lock(kind: .saves, bucket: Bucket(bucket))],
          isRepeatable: false, run: { _ in nil }, finish: { outcomes.finish($0) }))
    }
    try writers.start(["one"])
    #expect(await outcomes.codes(200) == Array(repeating: .unreachable, count: 200))
    #expect(outcomes.pauses.withLock { $0 } == Self.attempts)
    await writers.close()
  }

  @Test func `a read whose client has gone does not go on connecting`() async throws {
    let outcomes = Outcomes()
    let readers = Readers(Self.node, try outcomes.connector())
    try readers.add(
      ReadJob(
        plan: .none, asksForIndex: false, isWanted: { false }, run: { _ in },
        finish: { outcomes.finish($0) }))
    try readers.start(1)
    #expect(await outcomes.codes(1) == [nil], "its work is cancelled")
    #expect(outcomes.pauses.withLock { $0 } == 0)
    readers.close()
  }

  @Test func `whoever closes a store tries to connect once`() throws {
    let outcomes = Outcomes()
    let connector = try outcomes.connector()
    connector.close()
    for connector in [connector, connector.aside] {
      #expect(throws: StoreError.self) { _ = try connector.connect() }
    }
    #expect(outcomes.pauses.withLock { $0 } == 0)
  }

  @Test func `a write whose commit nobody can ask about holds up none that does not need its lock`()
    async throws
  {
    let url = try PostgresServer.shared.get().emptySchema()
    let (proxy, proxied) = try PostgresCutTests.proxy(url)
    let store = try PostgresStore.forTest(buckets: 16, url: proxied, writers: 1) { _ in
      Thread.sleep(forTimeInterval: 0.001)
    }
    let saver = Saver()
    await saver.save("before", in: store)
    // Connections that are there stay, and no other can be made.
    proxy.close()
    proxy.cut(at: .answerLost)
    async let doubtful: Void = saver.save("doubtful", in: store)
    while proxy.cuts == 0 { await Task.yield() }
    let error = await #expect(throws: StoreError.self) {
      try await store.write(in: .database(Self.elsewhere(store))) { _ in }
    }
    #expect(error?.code == .unreachable)
    #expect(saver.answer("doubtful") == nil, "nobody can say yet")
    try await store.close()
    await doubtful
    #expect(saver.answer("doubtful") == .unknown)
  }

  /// A database in another bucket than the one that is saved to.
  private static func elsewhere(_ store: PostgresStore) -> DatabaseKey {
    let taken = Bucket(of: .sample(), among: store.bucketCount)
    let keys = (0..<100).map { ZoneKey.sample(owner: "_other\($0)").database }
    return keys.first { Bucket(of: $0, among: store.bucketCount) != taken } ?? .sample()
  }
}
