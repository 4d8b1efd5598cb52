import BrumeModel
import BrumeWire
import Synchronization
import Testing

@testable import BrumeServer

/// What users stored over time: what is kept of it, and what operators get.
@Suite struct StorageHistoryTests {
  private static let hour: Milliseconds = 3_600_000
  private static let now: Milliseconds = 1_800_000_000_000 / hour * hour + hour / 2
  private static let (ada, ben) = (UserID("_ada"), UserID("_ben"))

  private static func bytes(_ count: Int64, whole: Bool = true) -> StoredSize {
    StoredSize(records: 1, bytes: count, isWhole: whole)
  }

  @Test func `an hour keeps what was counted last`() {
    var history = StorageHistory()
    history.note([Self.ada: Self.bytes(5)], at: Self.now)
    history.note([Self.ada: Self.bytes(7)], at: Self.now + 60_000)
    #expect(history.samples.count == 1)
    #expect(history.samples.map { $0.sizes[Self.ada]?.bytes } == [7])
  }

  @Test func `a clock that is set back keeps samples at the time that it shows`() {
    var history = StorageHistory()
    for (hours, bytes) in [(0, 5), (2, 7), (1, 9)] as [(Int64, Int64)] {
      history.note([Self.ada: Self.bytes(bytes)], at: Self.now + hours * Self.hour)
    }
    let report = history.report(.day, now: Self.now + Self.hour)
    #expect(report.users.first?.samples.map(\.size.bytes) == [5, 9])
  }

  @Test func `hours are kept for a month, and of each those who store most`() {
    var history = StorageHistory()
    let many = (0..<50).map { (UserID("_\($0)"), Self.bytes(Int64($0))) }
    for hours in 0..<(40 * 24) {
      history.note(Dictionary(many) { $1 }, at: Self.now + Int64(hours) * Self.hour)
    }
    #expect(history.samples.count <= UsageHistory.mostHours + 1)
    #expect(history.samples.allSatisfy { $0.sizes.count == StorageHistory.mostUsers })
    #expect(history.newest.contains(UserID("_49")) && !history.newest.contains(UserID("_29")))
  }

  @Test func `a span has the newest count of each step, and who stores most comes first`() {
    var history = StorageHistory()
    history.note([Self.ada: Self.bytes(1), Self.ben: Self.bytes(2)], at: Self.now - 7 * Self.hour)
    history.note([Self.ada: Self.bytes(3)], at: Self.now - Self.hour)
    history.note([Self.ada: Self.bytes(4)], at: Self.now)
    let day = history.report(.day, now: Self.now)
    #expect(day.steps == 24 && day.step == Self.hour)
    #expect(day.users.map(\.user) == [Self.ada, Self.ben])
    #expect(day.users[0].samples.map(\.size.bytes) == [1, 3, 4])
    #expect(day.users[0].samples.last?.time == day.from + 23 * Self.hour)
    // Hours are the smallest steps.
    #expect(history.report(.hour, now: Self.now) == day)
    let month = history.report(.month, now: Self.now)
    #expect(month.steps == 120 && month.users[0].samples.last?.size.bytes == 4)
    #expect(month.users[0].samples.count < 3)
  }

  @Test func `nothing is kept of a user who is gone`() {
    var history = StorageHistory()
    history.note([Self.ada: Self.bytes(1), Self.ben: Self.bytes(2)], at: Self.now - Self.hour)
    history.note([Self.ada: Self.bytes(1)], forgetting: [Self.ben], at: Self.now)
    #expect(history.users == [Self.ada])
  }

  @Test func `the file brings it back, and one of an earlier version has none`() throws {
    var storage = StorageHistory()
    storage.note([Self.ada: Self.bytes(1)], at: Self.now - Self.hour)
    storage.note(
      [Self.ada: Self.bytes(1), Self.ben: Self.bytes(2, whole: false)], at: Self.now)
    let usage = UsageHistory(since: Self.now)
    let file = UsageFile(usage, uses: [:], storage: storage)
    #expect(UsageFile(file.bytes, now: Self.now) == file)
    let earlier = try #require(UsageFile(file.bytes, now: Self.now - Self.hour))
    #expect(earlier.storage.samples.count == 1)
    var text = String(decoding: file.bytes, as: UTF8.self)
    text.replace("\"storage\"", with: "\"other\"")
    #expect(UsageFile(Array(text.utf8), now: Self.now)?.storage == StorageHistory())
  }

  @Test func `a look that takes long is followed by a pause many times as long`() {
    #expect(StorageSampler.pause(after: 100) == 15 * 60_000)
    #expect(StorageSampler.pause(after: 60_000) == 200 * 60_000)
  }

  @Test func `a clock that is set during a look makes its pause no longer`() async throws {
    let fixture = try await ServerFixture { $0.isClockManual = true }
    let time = try #require(fixture.server.clock.manual)
    let steady = Mutex<Int64>(0)
    let sampler = StorageSampler(fixture.server) {
      // At the end of the look it is a day later.
      steady.withLock { steady in
        if steady > 0 { time.advance(by: 24 * Self.hour) }
        steady += 100
        return steady
      }
    }
    let running = Task { try await sampler.run() }
    try await time.somethingWaits()
    let timer = time.shown(most: 9).timers.first { $0.name == "a look at what users store" }
    #expect(timer?.time == time.now + StorageSampler.pause)
    running.cancel()
    _ = await running.result
  }

  // MARK: Over the routes

  @Test func `a look counts all users, and finds those of before who are gone`() async throws {
    let fixture = try await ServerFixture()
    let sampler = StorageSampler(fixture.server)
    try await fixture.routes { client in
      _ = try await client.save("n1")
      #expect(try await sampler.sample() == nil)
      func users() async throws -> [JSON] {
        try await client.admin("usage/storage/history?span=week")["users"]?.array ?? []
      }
      let alice = try #require(try await users().first)
      #expect(alice["user"] == "alice" && alice["samples"]?.array?.count == 1)
      #expect((alice["samples"]?.array?.first?["bytes"]?.int ?? 0) > 0)
      _ = try await client.admin("users/delete", ["user": "alice"])
      #expect(try await users().allSatisfy { $0["user"] != "alice" })
      _ = try await sampler.sample()
      #expect(!fixture.server.usage.storedUsers.contains { $0.name == alice["recordName"]?.string })
      let wrong = try await client.admin("usage/storage/history?span=year")
      #expect(wrong.reason.contains("hour, day, week, month"))
    }
  }
}
