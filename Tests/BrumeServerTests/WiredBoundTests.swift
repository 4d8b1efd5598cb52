// Bounds of things that are tried with numbers of their own elsewhere: here, that the number of `Limits` is the one that
// they are given, at the last that may be and at the next.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Synchronization
import Testing

@testable import BrumeCore
@testable import BrumeServer
@testable import BrumeTracing

@Suite struct WiredBoundTests {
  private static func limits(_ change: (inout Limits) -> Void) -> Limits {
    var limits = Limits.apple
    change(&limits)
    return limits
  }

  /// Whether a request of the last caller enters while one of each before it is at work.
  private static func enters(_ callers: [String], _ shares: RequestShares) async throws -> Bool {
    guard let first = callers.first else { return true }
    do {
      return try await shares.run(for: first, at: "address \(callers.count)") {
        try await enters(Array(callers.dropFirst()), shares)
      }
    } catch let error as BrumeError where error.code == .throttled { return false }
  }

  @Test func `so many requests are at work, and so many of one caller`() async throws {
    let shares = RequestShares(
      Self.limits {
        $0.requestsAtOnce = 3
        $0.requestsAtOncePerCaller = 2
        $0.requestsWaitingPerCaller = 0
      })
    #expect(try await Self.enters(["a", "b", "c"], shares))
    #expect(try await !Self.enters(["a", "b", "c", "d"], shares))
    #expect(try await Self.enters(["a", "a", "b"], shares))
    #expect(try await !Self.enters(["a", "a", "a"], shares))
  }

  @Test func `so many requests of one caller wait, and the next is refused`() {
    let limits = Self.limits { $0.requestsWaitingPerCaller = 1 }
    var shares = FairShares(most: 9, mostOfOne: 1, mostWaiting: limits.requestsWaitingPerCaller)
    let isFirstIn = shares.entersAtOnce("a", at: "here")
    let others = (1...2).map { shares.enter("a", at: "here", id: $0) }
    #expect(isFirstIn && others == [.waits, .refused])
  }

  @Test func `the log of requests has so many lines`() async throws {
    try await ServerFixture { $0.limits.requestLogLines = 3 }.routes { client in
      func lines() async throws -> Int? {
        try await client.admin("logs?limit=9")["log"]?.array?.count
      }
      for _ in 0..<2 { _ = try await client.call("zones/list") }
      // Each question is a line too, when it has been answered.
      #expect(try await lines() == 2)
      #expect(try await lines() == 3)
      #expect(try await lines() == 3)
    }
  }

  @Test func `so many users' last uses are remembered`() {
    let usage = Usage(keptIn: nil, limits: Self.limits { $0.lastUses = 2 }, now: { 7 })
    let users = ["_a", "_b", "_c"].map { UserID($0) }
    func use(_ user: UserID) {
      usage.used(
        by: Caller(
          in: ServerFixture.containerEnvironment, user: user, device: nil, kind: .user,
          requestID: "r"), apiToken: nil)
    }
    for user in users.prefix(2) { use(user) }
    #expect(users.map { usage.lastUse(of: $0) } == [7, 7, nil])
    use(users[2])
    #expect(users.map { usage.lastUse(of: $0) } == [nil, nil, 7])
  }

  @Test func `so many indexes are counted by a server`() async throws {
    let engine = try await Engine(
      store: MemoryStore(coders: .wireForm), limits: Self.limits { $0.countedIndexes = 2 },
      host: .test(clock: ManualClock(), seed: 1))
    let place = ServerFixture.containerEnvironment
    for field in ["a", "b", "c"] {
      engine.indexUses.noteUsed([IndexName(type: "T", field: field, index: "q")], in: place)
    }
    #expect(engine.indexUses.all(in: place).count == 2)
  }

  @Test func `so many spans wait, and so many requests are known by what they cause`() async {
    let next = Atomic<UInt8>(0)
    let exporter = OTLPExporter(
      TracingSettings(endpoint: "http://127.0.0.1:1", percent: 100, headers: []), version: "1",
      limits: Self.limits {
        $0.spansWaiting = 3
        $0.tracedRequests = 2
      },
      randomBytes: { count in
        let first = next.wrappingAdd(1, ordering: .relaxed).newValue
        return (0..<count).map { first &+ UInt8(truncatingIfNeeded: $0) }
      }, sleep: { _ in })
    for name in ["one", "two", "three"] {
      await exporter.spans.request(name, traceparent: nil) { _ in }
    }
    #expect(exporter.dropped == 0)
    var known: [Bool] = []
    for name in ["one", "two", "three"] {
      known.append(
        await exporter.spans.run("push", .producer, causedBy: name) { $0.traceparent != nil })
    }
    #expect(known == [false, true, true])
    #expect(exporter.dropped == 2)
  }
}
