// Bounds of what operators are shown, and of what is measured, each at the last that may be and at the next.

import BrumeModel
import BrumeNotifier
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Synchronization
import Testing

@testable import BrumeServer
@testable import BrumeTracing

@Suite struct ReportBoundTests {
  @Test func `an answer has so many lines of the push log, the newest`() async throws {
    try await ServerFixture { $0.limits.pushLogPage = 2 }.routes { client in
      for (count, listed) in [(1, ["1"]), (2, ["1", "2"]), (3, ["2", "3"])] {
        try await client.fixture.server.store.write(in: .all) {
          try $0.pushLog.append(Self.line("\(count)"), limit: 10)
        }
        let answer = try await client.admin("push/log?limit=9")
        let lines = answer["log"]?.array?.compactMap { $0["notification"]?.string }
        #expect(lines == listed, "\(answer.text)")
      }
      let next = try await client.admin("push/log?limit=9")["next"]?.int
      let older = try await client.admin("push/log?limit=9&before=\(try #require(next))")
      let lines = older["log"]?.array?.compactMap { $0["notification"]?.string }
      #expect(lines == ["1"] && older["next"] == nil, "\(older.text)")
    }
  }

  private static func line(_ notification: String) -> PushLogEntry {
    PushLogEntry(
      time: 1, in: ServerFixture.containerEnvironment, user: nil, device: "d", channel: "webhook",
      notificationID: notification, subscriptionID: "s", requestID: "r", subject: "a zone",
      verdict: .sent, status: 200, reason: "", attempt: 1)
  }

  @Test func `a check of all assets names so many of each kind, and counts all`() async throws {
    try await ServerFixture { $0.limits.assetCheckNames = 2 }.routes { client in
      for (count, listed) in [(1, 1), (2, 2), (3, 2)] {
        let bytes = Mutex([ArraySlice<UInt8>([1])])
        try await client.fixture.server.assets.write(Self.name(count)) {
          bytes.withLock { $0.popLast() }
        }
        let answer = try await client.admin("assets/check")
        #expect(answer["unknown"]?.array?.count == listed, "\(answer.text)")
        #expect(answer["objects"]?.int == Int64(count))
      }
      for (count, listed) in [(1, 1), (2, 2), (3, 2)] {
        try await client.fixture.server.store.write(in: .all) {
          try $0.assets.put(Self.lost(count))
        }
        let answer = try await client.admin("assets/check")
        #expect(answer["missing"]?.array?.count == listed, "\(answer.text)")
        #expect(answer["files"]?.int == Int64(count))
      }
    }
  }

  private static func name(_ number: Int) -> String { "object0\(number)" }

  private static func lost(_ number: Int) -> AssetFile {
    AssetFile(checksum: "c\(number)", object: "lost000\(number)", size: 1, digest: [1])
  }

  // MARK: Traces

  private final class Nobody: EntryDelivery {
    func connectedDevices(of users: Set<UserID>) -> [UserID: Set<DeviceKey>] { [:] }
    func deliver(_ new: NewEntries) {}
  }

  @Test(arguments: [(2, 2), (3, 2)])
  func `so many requests of one fan-out get a span each`(requests: Int, spans: Int) async throws {
    let queue = SpanQueue(capacity: 100)
    let count = Atomic<UInt8>(0)
    let tracer = OTLPTracer(queue, percent: 100) { bytes in
      let next = count.wrappingAdd(1, ordering: .relaxed).newValue
      return (0..<bytes).map { next &+ UInt8(truncatingIfNeeded: $0) }
    }
    let measured = Spans(tracer, remembering: 10)
    for number in 0..<requests { await measured.request("\(number)", traceparent: nil) { _ in } }
    _ = queue.take(upTo: 100)
    var limits = Limits.apple
    limits.tracedPerFanOut = 2
    let fanOut = TracedFanOut(MemoryStore(coders: .wireForm), Nobody(), measured, limits: limits)
    try await fanOut.tracedStore.writeRepeatable(in: .all) { _ in }
    fanOut.tracedDelivery.deliver(Self.entries(requests))
    let names = queue.take(upTo: 100).map(\.name)
    #expect(names.count { $0 == "fan-out" } == spans && names.count { $0 == "delivery" } == spans)
  }

  private static func entries(_ requests: Int) -> NewEntries {
    var new = NewEntries()
    for number in 0..<requests {
      let device = DeviceKey(
        in: ServerFixture.containerEnvironment, user: UserID("u"), device: DeviceID("d\(number)"))
      let entry = MailboxEntry(
        position: Int64(number), notificationID: "n", subscriptionID: "s", collapseID: nil,
        payload: [], time: 1, requestID: "\(number)")
      new.entries.append((device, entry))
    }
    return new
  }
}
