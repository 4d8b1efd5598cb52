import BrumeModel
import BrumeWire
import Foundation
import HTTPTypes
import Testing

@testable import BrumeServer

/// Counts over time, what is kept of them, and what operators get.
@Suite struct UsageTests {
  private static let hour: Milliseconds = 3_600_000
  private static let now: Milliseconds = 1_800_000_000_000

  private static func requests(_ report: UsageReport) -> [Int64] {
    report.buckets.map { $0.counts[.requests] }
  }

  @Test func `counts stand in the step of their time`() {
    var history = UsageHistory(since: 0)
    history.count(at: Self.now - 61 * 60_000) { $0.add(.requests, 5) }
    history.count(at: Self.now - 60_000) { $0.add(.requests, 2) }
    history.count(at: Self.now) { $0.add(.requests) }
    let report = history.report(.hour, now: Self.now)
    #expect(Self.requests(report) == Array(repeating: 0, count: 58) + [2, 1])
    #expect(report.total[.requests] == 3)
    #expect(history.report(.day, now: Self.now).total[.requests] == 8)
  }

  @Test func `minutes are kept for a day and hours for a month`() {
    var history = UsageHistory(since: 0)
    let start = Self.now - 40 * 24 * Self.hour
    for minute in 0..<(40 * 24 * 60) where minute % 30 == 0 {
      history.count(at: start + Int64(minute) * 60_000) { $0.add(.saved) }
    }
    #expect(history.minutes.count <= UsageHistory.mostMinutes)
    #expect(history.hours.count <= UsageHistory.mostHours + 1)
    #expect(history.report(.month, now: Self.now).total[.saved] > 29 * 24 * 2)
  }

  @Test func `a clock that is set back counts on at the time that it shows`() {
    var history = UsageHistory(since: 0)
    let earlier = Self.now - 10 * 60_000
    history.count(at: earlier) { $0.add(.requests) }
    history.count(at: Self.now) { $0.add(.requests) }
    for _ in 0..<2 { history.count(at: earlier + 60_000) { $0.add(.requests) } }
    for span in [UsageSpan.hour, .month] {
      #expect(history.report(span, now: earlier + 60_000).total[.requests] == 3)
    }
    #expect(Self.requests(history.report(.hour, now: earlier + 60_000)).suffix(2) == [1, 2])
  }

  /// The minute and the hour have just begun.
  @Test func `a thread that looked at the clock before another counts with it`() {
    var history = UsageHistory(since: 0)
    for now in [Self.now, Self.now - 5] { history.count(at: now) { $0.add(.requests) } }
    #expect(Self.requests(history.report(.hour, now: Self.now)).last == 2)
  }

  @Test func `times are the bounds within which that share was answered`() {
    var counts = UsageCounts()
    #expect(counts.time(of: 0.5) == nil)
    for _ in 0..<94 { counts.took(microseconds: 180) }
    for _ in 0..<5 { counts.took(microseconds: 9_000) }
    counts.took(microseconds: 60_000_000)
    #expect(counts.time(of: 0.5) == 200)
    #expect(counts.time(of: 0.95) == 10_000)
    #expect(counts.time(of: 0.99) == 10_000)
    #expect(counts.time(of: 1) == UsageCounts.bounds.last)
  }

  @Test func `the file brings everything back, and a damaged one nothing`() throws {
    var history = UsageHistory(since: Self.now - Self.hour)
    history.count(at: Self.now - 60_000) { $0.took(microseconds: 5) }
    history.count(at: Self.now) { $0.add(.pushes, 3) }
    let file = UsageFile(history, uses: ["user/_a": Self.now], storage: StorageHistory())
    #expect(UsageFile(file.bytes, now: Self.now) == file)
    #expect(UsageFile(Array(file.bytes.dropLast(9)), now: Self.now) == nil)
    #expect(UsageFile(Array(#"{"format":2}"#.utf8), now: Self.now) == nil)
    // Written by a clock that was ahead.
    let early = try #require(UsageFile(file.bytes, now: Self.now - 2 * Self.hour))
    #expect(early.history.minutes.isEmpty && early.uses["user/_a"] == Self.now - 2 * Self.hour)
  }

  @Test(arguments: [(1 << 44, true), (1 << 44 + 1, false)] as [(Int64, Bool)])
  func `a file with counts that no server reaches brings nothing back`(
    count: Int64, isRead: Bool
  ) throws {
    var counts = UsageCounts()
    for kind in UsageKind.allCases { counts.add(kind, count) }
    let bucket = UsageBucket(Self.now, counts)
    let history = UsageHistory(since: 0, minutes: [bucket], hours: [bucket], now: Self.now)
    let file = UsageFile(history, uses: [:], storage: StorageHistory())
    #expect((UsageFile(file.bytes, now: Self.now) != nil) == isRead)
  }

  @Test func `a server goes on counting where the one before has ended`() async throws {
    let folder = try DataFolder(path: NSTemporaryDirectory() + "/brume-usage-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    let clock: @Sendable () -> Milliseconds = { Self.now }
    let first = Usage(keptIn: folder, limits: Limits(), now: clock)
    first.count(.saved, 7)
    let keeping = Task { await first.keep(ServerFixture.silent) }
    keeping.cancel()
    await keeping.value
    let next = Usage(keptIn: folder, limits: Limits(), now: clock)
    #expect(next.report(.day).total[.saved] == 7)
    #expect(Usage(keptIn: nil, limits: Limits(), now: clock).report(.day).total[.saved] == 0)
  }

  // MARK: Over the routes

  @Test func `requests, refusals and saves are counted, the operators' apart`() async throws {
    try await ServerFixture().routes { client in
      _ = try await client.save("n1")
      _ = try await client.call("records/lookup", ["records": "none"])
      _ = try await client.send("/_brume/health/live")
      // A page loads the client before it asks anything, the console's too.
      #expect(try await client.send("/_brume/client/brume.js").status == 200)
      // A scraper asks by the clock, and so does an open console.
      #expect(try await client.send("/_brume/metrics").status == 200)
      let answer = try await client.admin("usage?span=hour")
      let total = try #require(answer["total"], "\(answer.text)")
      #expect(total["requests"] == 2 && total["refused"] == 1 && total["saved"] == 1)
      #expect(total["failed"] == 0 && total["operatorRequests"] == 0 && total["p50"] != nil)
      #expect(answer["usage"]?.array?.count == 60)
      #expect(try await client.admin("metrics").text.contains("brume_notifier_lag_seconds"))
      let again = try await client.admin("usage")
      #expect(again["total"]?["operatorRequests"] == 2 && again["span"] == "day")
      #expect(again["total"]?["requests"] == 2, "\(again.text)")
      #expect(try await client.admin("usage?span=year").reason.contains("hour, day, week, month"))
    }
  }

  @Test func `what users store is counted anew when it has changed`() async throws {
    try await ServerFixture().routes { client in
      func alice() async throws -> JSON? {
        try await client.admin("usage/storage")["users"]?.array?.first { $0["user"] == "alice" }
      }
      let before = try await alice()
      #expect(before?["records"] == 0 && before?["bytes"] == 0 && before?["whole"] == true)
      _ = try await client.save("n1")
      let one = try await alice()
      #expect(one?["records"] == 1 && (one?["bytes"]?.int ?? 0) > 0)
      _ = try await client.save("n2")
      #expect(try await alice()?["records"] == 2)
      let zones = try await client.admin("zones?user=alice&sizes=true")["zones"]?.array
      #expect(zones?.first?["brume"]?["records"] == 2, "\(zones ?? [])")
    }
  }

  @Test func `users and API tokens say when they were used last`() async throws {
    try await ServerFixture().routes { client in
      func alice() async throws -> JSON? {
        try await client.admin("users")["users"]?.array?.first { $0["name"] == "alice" }
      }
      #expect(try await alice()?["lastUsed"] == nil)
      _ = try await client.save("n1")
      #expect(try await alice()?["lastUsed"]?.int != nil)
      let tokens = try await client.admin("tokens")["tokens"]?.array
      #expect(tokens?.first?["lastUsed"]?.int != nil)
    }
  }

  @Test func `an API token beside a signature or an operator's token was not used`() async throws {
    try await ServerFixture().routes { client in
      let token = client.fixture.ready.apiToken
      let target = "\(client.fixture.path("users/caller", "public"))?ckAPIToken=\(token)"
      let signed = try AuthenticationTests.headers(client.fixture, target: target, body: "{}")
      #expect(try await client.send(target, .post, Array("{}".utf8), signed).status == 200)
      #expect(try await client.admin("users?ckAPIToken=\(token)").status == 200)
      let tokens = try await client.admin("tokens")["tokens"]?.array
      let listed = tokens?.first { $0["token"]?.string == token }
      #expect(listed != nil && listed?["lastUsed"] == nil, "\(tokens ?? [])")
    }
  }
}
